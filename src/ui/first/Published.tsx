// Shown under Watch before anything has run in this browser: the published demo of the chosen environment, marked as made elsewhere, with a
// button that runs it. If the form has another preset, an offer to run that preset is shown instead.

import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import type { PublishedDemo } from '../../experiments/analysis/demo.ts';
import { environmentOf } from '../../experiments/config/preset-in.ts';
import type { PresetName } from '../../experiments/config/run-spec.ts';
import { resolveRuns, sameExperiment } from '../../experiments/config/spec.ts';
import { headlinesOf } from '../../experiments/environments/registry.ts';
import { numericsOf } from '../../experiments/records/numerics.ts';
import type { EnvironmentHeadline } from '../../findings/headline.ts';
import { percent } from '../../lib/numbers.ts';
import { ticksTo } from '../../store/charts/axis.ts';
import { type DemoChart, demoCharts, oneRun, showsFinding } from '../../store/charts/demo-charts.ts';
import { type DemoLine, demoSteps } from '../../store/charts/demo-lines.ts';
import { answerOf, intervalsOf } from '../../store/findings/answer.ts';
import { LineChart } from '../charts/LineChart.tsx';
import { SharedCursor } from '../charts/shared-cursor.ts';
import { useLab, useLabActions } from '../lab-context.ts';
import { Button } from '../parts/Button.tsx';
import { lazyPart } from '../parts/lazy-part.tsx';
import { goAfterRedraw } from '../parts/PlaceLink.tsx';
import { EnvironmentFinding, FindingBeside } from './EnvironmentFinding.tsx';
import { FindingBars } from './FindingBars.tsx';
import { useEnvironmentHeadline } from './use-demo.ts';

const PublishedCharts = lazy(() => import('./PublishedCharts.tsx'));
const ArenaPicture = lazyPart(() => import('./ArenaPicture.tsx'));
const Samples = lazyPart(() => import('./Samples.tsx'));
const PublishedMethod = lazyPart(() => import('../method/PublishedMethod.tsx'));
const ResultTable = lazyPart(() => import('../inspect/ResultTable.tsx'), <p className="muted">Loading …</p>);

/** The environment of the arena's cells. */
const ARENA_ENVIRONMENT = 'one-line-python';

export function Published({ demo }: { demo: PublishedDemo }) {
  const lab = useLabActions();
  const isReady = useLab(({ connection }) => connection.status === 'ready');
  const isOfForm = useLab(({ check }) => check.spec !== null && sameExperiment(check.spec, demo.spec));
  const [hasTable, setTable] = useState(false);
  const { spec, table } = demo;
  const environment = environmentOf(spec);
  const steps = demoSteps(demo);
  const charts = demoCharts(demo);
  const finding = useEnvironmentHeadline(environment);
  const hasBars = finding != null && !showsFinding(charts, finding);
  const lines = charts.flatMap((chart) => chart.lines);
  const marked = charts.flatMap((chart) => (chart.ends ? [] : chart.lines.filter(({ isSparse }) => isSparse)));
  // All charts share one scale from 0 to about the highest point.
  const highest = Math.max(...lines.flatMap(({ points, final }) => [...points.map((point) => point.y), final ?? 0]));
  const ticks = highest > 0.8 ? [0, 0.5, 1] : ticksTo(highest, 3);
  const [isWanted, setWanted] = useState(false);
  const [shared] = useState(() => new SharedCursor());
  const want = () => setWanted(true);
  // Charts over steps get a cursor when the user points at one. A profile has no steps, and some figures come only from evaluations.
  const followed = new Set(headlinesOf(environment).map(({ id }) => id));
  const moving = charts.filter(({ id, ends }) => !ends && followed.has(id));
  const still = charts.filter((chart) => !moving.includes(chart));
  const drawn = (chart: DemoChart) => (
    <figure key={chart.id} className="chart">
      <figcaption>
        <div className="chart-title">
          <h3>{chart.title}</h3>
        </div>
        <p>{chart.about}</p>
      </figcaption>
      <LineChart
        title={chart.title}
        lines={chart.lines}
        steps={chart.end}
        ends={chart.ends}
        ticks={ticks}
        label={chartDescription(chart.title, chart.lines)}
        onToggle={moving.includes(chart) ? want : null}
      />
    </figure>
  );

  return (
    <section className="published" aria-label="Published run" id="published">
      <EnvironmentFinding environment={environment} />
      <div className="published-body">
        <div className="published-drawn">
          {finding && !hasBars ? <OneRun of={oneRun(demo, finding)} finding={finding} /> : null}
          <div className="published-charts">
            {hasBars ? (
              <FindingBars headline={finding}>
                The lines are one run: {spec.seeds.length === 1 ? 'one seed' : `${spec.seeds.length} seeds`} of {steps}{' '}
                steps. They do not show what was found.
              </FindingBars>
            ) : null}
            {still.map(drawn)}
            {moving.length === 0 ? null : (
              // Contents: its charts are in the same grid as the others.
              <div className="published-moving" onPointerEnter={want}>
                {isWanted ? (
                  <Suspense fallback={moving.map(drawn)}>
                    <PublishedCharts demo={demo} metrics={moving.map(({ id }) => id)} shared={shared} />
                  </Suspense>
                ) : (
                  moving.map(drawn)
                )}
              </div>
            )}
          </div>
          <FindingBeside environment={environment} />
          <p className="published-mark" data-goal tabIndex={-1}>
            <span className="tag accent">Published run</span> of this demo: {spec.seeds.length === 1 ? 'seed' : 'seeds'}{' '}
            {spec.seeds.join(', ')}, {steps} steps, {demo.device}; not made in this browser.
            <OtherKind of={demo.device} />
          </p>
          <div className="published-legend">
            <p className="muted note">
              {lines.some(({ final }) => final !== null)
                ? 'Dots at the right: final evaluation on unseen problems. '
                : ''}
              {lines.some(({ isSparse }) => !isSparse) ? 'Lines: rollouts of training, smoothed. ' : ''}
              {marked.length === 0
                ? ''
                : `Marks: ${marked.every(({ id }) => id.endsWith('/deployed')) ? 'the deployed model, ' : ''}evaluated during training.`}
            </p>
          </div>
          <div className="published-tools">
            <RunForm words={isOfForm ? 'Run it yourself' : 'Run these settings'} />
            {isOfForm ? null : (
              <Button label="Back to its settings" isLarge onClick={() => lab.choosePreset(spec.preset)} />
            )}
            {isReady ? null : <span className="muted">The model is loading; a run starts when it is ready.</span>}
          </div>
        </div>
        <Samples environment={environment} />
      </div>
      <WhenNear height={320}>
        <PublishedMethod demo={demo} shared={shared} />
      </WhenNear>
      {environment === ARENA_ENVIRONMENT ? (
        <WhenNear height={1}>
          <ArenaPicture />
        </WhenNear>
      ) : null}
      <details className="fold table-fold" onToggle={(event) => setTable(event.currentTarget.open)}>
        <summary>Result table</summary>
        {hasTable ? (
          <ResultTable
            table={table}
            environment={environment}
            runs={resolveRuns(spec).map((planned) => ({ spec: planned }))}
          />
        ) : null}
      </details>
    </section>
  );
}

/** The demo is one run and the finding summarises many, so both values of the same quantity are shown. */
function OneRun({ of, finding }: { of: ReturnType<typeof oneRun>; finding: EnvironmentHeadline }) {
  if (of === null) return null;
  const { n, unit } = finding;
  const intervals = intervalsOf(finding);
  return (
    <p className="note published-one">
      <b>One run</b>: {of.map((share) => percent(share, 0)).join(' → ')}; <b>{`${n} ${unit}`}</b>:{' '}
      {intervals === null ? (
        answerOf(finding)
      ) : (
        <>
          <span className="published-answer">{answerOf(finding)} </span>
          <span title="95 % intervals">{intervals}</span>
        </>
      )}
      .
    </p>
  );
}

/** States that this device's numerics differ in the last digits from the published run's, and which device reproduces it. */
function OtherKind({ of }: { of: string }) {
  const here = useLab((state) => state.device?.name ?? null);
  if (here === null || numericsOf(here) === numericsOf(of)) return null;
  return ` A run here uses ${here}: its last digits differ, and so do some answers. The device “CPU” reproduces these figures.`;
}

/** Replaces `Published` if the form has another preset, and offers to run that preset or to return to the published demo. */
export function OtherPreset({ of, preset }: { of: PublishedDemo; preset: PresetName }) {
  const lab = useLabActions();
  return (
    <section className="published" aria-label="Nothing run yet">
      <p>
        No run of preset <b>{preset}</b> is published. Run it, and its result is shown here.
      </p>
      <div className="published-tools">
        <RunForm words={`Run ${preset}`} />
        <Button
          label={`Show the published ${of.spec.preset}`}
          isLarge
          onClick={() => lab.choosePreset(of.spec.preset)}
        />
      </div>
    </section>
  );
}

export function RunForm({ words }: { words: string }) {
  const lab = useLabActions();
  const canStart = useLab(({ connection, startsWhenReady }) => connection.status !== 'failed' && !startsWhenReady);
  const isWhole = useLab(({ check }) => check.spec !== null);
  const busy = useLab((state) => state.busy);

  function run(): void {
    void lab.start();
    goAfterRedraw('watch');
  }

  return (
    <Button icon="play" label={words} isLarge tone="primary" disabled={!canStart || !isWhole || busy} onClick={run} />
  );
}

/** The chart in words: the first point of every line, and its final evaluation or last point. */
function chartDescription(label: string, lines: readonly DemoLine[]): string {
  const share = (y: number | undefined) => (y === undefined ? 'nothing' : `${Math.round(100 * y)}%`);
  return `${label}. ${lines.map((line) => `${line.label}: from ${share(line.points[0]?.y)} to ${share(line.final ?? line.points.at(-1)?.y)}`).join('; ')}.`;
}

/**
 * Renders its children when they scroll into view, so that their code and data do not delay the first screen.
 * @param height reserved until then, in pixels
 */
function WhenNear({ height, children }: { height: number; children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null);
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setNear(true);
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return isNear ? children : <div ref={place} style={{ minHeight: height }} />;
}
