// Effect of a tried basis: the diagram of one step, what it removes from every step, and the rates of the model that it would deploy, each
// beside the run's own.
import { useState } from 'react';
import { decimal, percent } from '../../lib/numbers.ts';
import { removedShare, type TrialEval, trialCharts, trialRates, trialSplit } from '../../store/charts/trial-lines.ts';
import { LineChart } from '../charts/LineChart.tsx';
import { useBasisTrial } from '../lab-context.ts';
import { SplitPicture } from './SplitPicture.tsx';

const TICKS = [0, 0.5, 1];

export function TrialResult({ environment, evals }: { environment: string; evals: readonly TrialEval[] }) {
  const { own, report, points, doing, tookMs } = useBasisTrial((state) => state);
  const [chosen, choose] = useState<number | null>(null);
  if (!own || !report) return null;
  const { steps, chance, axes, pairs, likeness } = report;
  const at = Math.min(chosen ?? steps.length - 1, steps.length - 1);
  const step = steps[at];
  const split = trialSplit(step, chance);
  const most = Math.max(...[...steps, ...own.steps].map(({ deployed, quarantine }) => Math.max(deployed, quarantine)));
  const rates = trialRates(environment, evals, points);
  return (
    <div className="trial-result">
      <div className="trial-picture">
        {split ? (
          <SplitPicture split={split} most={Math.max(most, 1e-12)} isPlaying={false} vector="Δ" />
        ) : (
          <p className="no-split">No update in this step: every group had equal rewards.</p>
        )}
        <p className="trial-slider">
          <label htmlFor="trial-step">Step</label>
          <output className="num" htmlFor="trial-step">
            {step.step} of {steps.length}
          </output>
          <input
            id="trial-step"
            type="range"
            min={0}
            max={steps.length - 1}
            value={at}
            aria-valuetext={`step ${step.step}`}
            onChange={(event) => choose(Number(event.target.value))}
          />
        </p>
      </div>
      <dl className="trial-facts num">
        <div>
          <dt>Taken out over the run</dt>
          <dd>
            {percent(removedShare(report), 0)} <span className="muted">own {percent(removedShare(own), 0)}</span>
          </dd>
        </div>
        <div>
          <dt>Axes in use</dt>
          <dd>
            {axes} <span className="muted">own {own.axes}</span>
          </dd>
        </div>
        <div>
          <dt>First axes alike</dt>
          <dd>{likeness === null ? 'no axis' : decimal(likeness, 2)}</dd>
        </div>
        <div>
          <dt>Pairs</dt>
          <dd>
            {pairs} <span className="muted">own {own.pairs}</span>
          </dd>
        </div>
        {(rates?.rates ?? []).map(({ label, tried, own }) => (
          <div key={label}>
            <dt>Deployed, {label}</dt>
            <dd>
              {tried} {own === null ? null : <span className="muted">own {own}</span>}
            </dd>
          </div>
        ))}
      </dl>
      <p className="muted note" role="status">
        {tookMs === null ? '' : `Split in ${Math.round(tookMs)} ms. `}
        {doing?.isEvaluating
          ? `Evaluating${rates ? `: ${rates.n} problems so far` : ' the last step first'} …`
          : rates
            ? `Rates: ${rates.n} problems${rates.isWhole ? ', the run’s final evaluation' : ''}.`
            : ''}
      </p>
    </div>
  );
}

/** Each line beside the run's own, below the controls and the diagram. */
export function TrialCharts({ environment, evals }: { environment: string; evals: readonly TrialEval[] }) {
  const { own, report, points } = useBasisTrial((state) => state);
  if (!own || !report) return null;
  const { steps } = report;
  return (
    <div className="trial-charts">
      {trialCharts(environment, own, report, evals, points).map(({ id, title, lines }) => (
        <figure key={id}>
          <figcaption>{title}</figcaption>
          <LineChart
            title={title}
            lines={lines}
            steps={steps.length}
            ticks={TICKS}
            label={`${title}. ${lines.map((line) => `${line.label}: ${percent(line.points.at(-1)?.y ?? 0, 0)} at the end`).join('; ')}.`}
            onToggle={null}
          />
        </figure>
      ))}
    </div>
  );
}
