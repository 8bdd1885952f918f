// Steps through a run as in a debugger. One step is shown with its answers, rewards, split and update. Forward trains the next step if the
// run is paused at the newest one, and back returns to any earlier step or checkpoint.
import { useMemo, useState } from 'react';
import { rolloutPresentationOf } from '../../experiments/environments/registry.ts';
import type { RunRecord } from '../../experiments/records/events.ts';
import { decimal } from '../../lib/numbers.ts';
import { type AxisName, armAxis } from '../../store/charts/axis.ts';
import { type ExperimentView, keptSteps } from '../../store/experiment-view.ts';
import { exampleRollouts, methodStep } from '../../store/runs/method.ts';
import type { SharedCursor } from '../charts/shared-cursor.ts';
import { Code } from '../inspect/rollouts/Code.tsx';
import { useSettled, useStep } from '../inspect/rollouts/use-rollouts.ts';
import { useLab, useLabActions } from '../lab-context.ts';
import { Button } from '../parts/Button.tsx';
import { lazyPart } from '../parts/lazy-part.tsx';
import { OutcomeTag } from '../parts/OutcomeTag.tsx';
import { goTo } from '../parts/PlaceLink.tsx';
import { MethodPicture } from './MethodPicture.tsx';
import { ArmChoice } from './PublishedMethod.tsx';
import { useFollowed } from './use-followed.ts';
import { usePlayer } from './use-player.ts';
import './method.css';

const TryBasisOfRuns = lazyPart(async () => ({ default: (await import('./TryBasis.tsx')).TryBasisOfRuns }));

interface RunMethodProps {
  view: ExperimentView;
  isLive: boolean;
  /** Cursor of the charts above, and the quantity on their axis. */
  shared: SharedCursor;
  axis: AxisName;
}

export default function RunMethod({ view, isLive, shared, axis }: RunMethodProps) {
  const runs = view.runs.filter(({ rows }) => rows.length > 0);
  const atWork = runs.find(({ status }) => status === 'running') ?? runs.at(-1);
  // The run that was training when the first step arrived stays on show until the user chooses another arm, so that the next run does not
  // replace it.
  const [chosen, choose] = useState<string | null>(null);
  const run = runs.find(({ id }) => id === chosen) ?? atWork;
  if (!run) return null;
  if (run.id !== chosen) choose(run.id);
  const ofArm = (arm: RunRecord['spec']['arm']) => {
    const own = runs.filter(({ spec }) => spec.arm === arm);
    return own.find(({ status }) => status === 'running') ?? own.at(-1);
  };
  return (
    <>
      <section className="method" aria-label="Step through">
        <header className="method-head">
          <h3>Step through</h3>
          <p className="muted note">What happened in each step of this run, seed {run.spec.seed}.</p>
          <ArmChoice
            arms={[...new Set(runs.map(({ spec }) => spec.arm))]}
            chosen={run.spec.arm}
            onChoose={(arm) => choose(ofArm(arm)?.id ?? null)}
          />
        </header>
        <Steps
          key={run.id}
          run={run}
          length={run.rows.length}
          kept={keptSteps(view, run)}
          shared={shared}
          place={armAxis(
            runs.filter(({ spec }) => spec.arm === run.spec.arm),
            axis,
          )}
          isAtWork={isLive && run.status === 'running'}
        />
      </section>
      <TryBasisOfRuns view={view} />
    </>
  );
}

interface StepsProps {
  run: RunRecord;
  /** Number of the run's rows, which grow in place. */
  length: number;
  /** Steps with a checkpoint. */
  kept: readonly number[];
  shared: SharedCursor;
  /** Position of a step on the charts' axis. */
  place: (step: number) => number;
  isAtWork: boolean;
}

function Steps({ run, length, kept, shared, place, isAtWork }: StepsProps) {
  const lab = useLabActions();
  const paused = useLab((state) => state.progress?.paused === true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows grow in place
  const steps = useMemo(() => {
    const evals = run.evals
      .filter(({ kind }) => kind === 'during')
      .map(({ step, model, all }) => ({ step, model, figures: all.figures }));
    return run.rows.map((row) => methodStep(run.spec, row, evals));
  }, [run, length]);
  const player = useFollowed(
    usePlayer(length),
    shared,
    steps.map(({ step }) => place(step)),
  );
  const { at } = player;
  const isNewest = at === length - 1;
  const { step } = steps[at];
  const before = kept.findLast((other) => other < step);
  return (
    <>
      <MethodPicture steps={steps} player={player} kept={kept} />
      <div className="step-through">
        {before === undefined ? null : (
          <Button
            icon="resume"
            label={`Checkpoint, step ${before}`}
            onClick={() => player.go(before - steps[0].step)}
          />
        )}
        <Button label="Step back" disabled={at === 0} onClick={() => player.go(at - 1)} />
        {isNewest && isAtWork ? (
          <Button
            icon={paused ? 'step' : 'pause'}
            label={paused ? 'Train one step' : 'Wait after this step'}
            tone="primary"
            title={paused ? 'Trains the next step, and waits' : 'Waits after this step'}
            onClick={() => void lab.pace(paused ? 'step' : 'pause')}
          />
        ) : (
          <Button icon="step" label="Step forward" disabled={isNewest} onClick={() => player.go(at + 1)} />
        )}
        <Button
          icon="open"
          label={`All rollouts of step ${step}`}
          onClick={() => {
            void lab.showRollouts(run.id, step);
            goTo('rollouts');
          }}
        />
      </div>
      {player.isPlaying ? null : <StepOutcomes run={run} step={step} />}
    </>
  );
}

/** One rollout of each outcome: its answer, its reward, and the sign of its advantage. */
function StepOutcomes({ run, step: pointed }: { run: RunRecord; step: number }) {
  // While the pointer moves across a chart, rollouts of the steps in between are not read.
  const step = useSettled(pointed, 120);
  const rollouts = useStep(run.id, step);
  const presentation = rolloutPresentationOf(run.spec.environment);
  if (!rollouts || rollouts.length === 0) return null;
  const found = exampleRollouts(rollouts, presentation);
  return (
    <div className="happened">
      <ul className="happened-outcomes" aria-label={`Rollouts of step ${step}, one of each outcome`}>
        {found.map(({ id, n, first }) => {
          const { mark, tone } = presentation.outcomes.find((outcome) => outcome.id === id) ?? { mark: '', tone: '' };
          return (
            <li key={id} className={`answer ${tone}`}>
              <p className="answer-head">
                <OutcomeTag {...{ mark, tone }}>
                  {n} {id}
                </OutcomeTag>
                <span className="num muted">
                  reward {decimal(first.reward, 2)}, advantage {first.advantage > 0 ? '+' : ''}
                  {decimal(first.advantage, 2)}
                </span>
              </p>
              <div className="sample-text">
                <Code
                  completion={first.turns[first.turns.length - 1].completion}
                  python={presentation.text === 'python'}
                  exploit={presentation.exploit(first.verdict)}
                  tokens={null}
                />
              </div>
              <p className="sample-said">{advantageText(first.advantage)}</p>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function advantageText(advantage: number): string {
  if (advantage === 0) return 'Its group had equal rewards: it gives no gradient.';
  return advantage > 0 ? 'Better than its group: made likelier.' : 'Worse than its group: made less likely.';
}
