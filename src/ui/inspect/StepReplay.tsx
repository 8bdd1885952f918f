// "Replay with this basis": computes another quarantine for an arm's finished runs from their kept steps, without training.

import { PAIR_SETS, readsCodeAlone } from '../../environments/code/pair-sets/table.ts';
import { ARMS } from '../../experiments/config/arms.ts';
import { shownView } from '../../store/lab-state.ts';
import { controlOf, routableArms, type StepReplayDraft } from '../../store/runs/step-replay.ts';
import { useLab, useStepReplay, useStepReplayActions } from '../lab-context.ts';
import { Button } from '../parts/Button.tsx';
import { Choice, choicesOf, optionsOf } from '../parts/Choice.tsx';
import { Problem } from '../parts/Problem.tsx';

const KINDS: Readonly<Record<StepReplayDraft['kind'], string>> = {
  real: 'the labelled pairs',
  random: 'random directions',
  random_matched: 'random, as much removed',
  permuted: 'permuted labels',
  flipped: 'flipped labels',
};
const GATES: Readonly<Record<StepReplayDraft['gate'], string>> = {
  one_sided: 'hack-ward only',
  no_gate: 'both ways',
  reverse: 'reversed',
};
const AXES: Readonly<Record<StepReplayDraft['basisKind'], string>> = { svd: 'singular vectors', mean_diff: 'the mean' };
const LOSSES: Readonly<Record<StepReplayDraft['basisLoss'], string>> = { nll: 'mean per token', grpo: 'sum (GRPO)' };

export default function StepReplay() {
  const replaySteps = useStepReplayActions();
  const view = useLab(shownView);
  const busy = useLab((state) => state.busy);
  const ready = useLab((state) => state.connection.status === 'ready');
  const ownSets = useLab((state) => state.pairSets);
  const { draft, work, problem, made } = useStepReplay((state) => state);
  const arms = view ? routableArms(view) : [];
  if (!view || arms.length === 0) return null;
  const arm = draft.arm !== '' && arms.includes(draft.arm) ? draft.arm : arms[0];
  const spec = view.runs.find((run) => run.spec.arm === arm)!.spec;
  const name = controlOf(draft, spec).id;
  const sets = [
    ...PAIR_SETS.filter(({ models }) => models === 'any' || !readsCodeAlone(spec.model)),
    ...ownSets.map(({ id, name }) => ({ id, label: name })),
  ].map(({ id, label }) => [id, label] as const);
  const fromPairs = draft.kind !== 'random_matched';
  const hasAxes = fromPairs && draft.basisKind === 'svd';
  const choice = choicesOf(draft, replaySteps.change);
  return (
    <details className="route-again">
      <summary>Replay the quarantine with another basis</summary>
      <p className="muted">
        Every optimizer step of these runs is kept, and vanilla’s training uses no basis. So another quarantine needs no
        training: one evaluation for each seed, paired with all others.
      </p>
      <form
        aria-label="Replay the quarantine"
        onSubmit={(event) => {
          event.preventDefault();
          void replaySteps.start();
        }}
      >
        <div className="filters">
          {arms.length > 1 ? (
            <Choice
              label="Runs of"
              value={arm}
              options={arms.map((one) => [one, ARMS[one].label] as const)}
              onChange={(arm) => replaySteps.change({ arm })}
            />
          ) : null}
          {choice('kind', 'Basis from', optionsOf(KINDS))}
          {fromPairs ? (
            <>
              {choice('pairSet', 'Pair set', sets)}
              {choice('basisKind', 'Axes from', optionsOf(AXES))}
              {choice('basisLoss', 'Gradient of a pair', optionsOf(LOSSES))}
            </>
          ) : null}
          {hasAxes ? (
            <AmountInput
              label="Axes k"
              value={draft.k}
              min={1}
              max={4096}
              step={1}
              set={(k) => replaySteps.change({ k })}
            />
          ) : null}
          {choice('gate', 'Gate', optionsOf(GATES))}
          <AmountInput
            label="Overshoot"
            value={draft.overshoot}
            min={0}
            max={10}
            step={0.1}
            set={(overshoot) => replaySteps.change({ overshoot })}
          />
          <Button
            label="Replay with this basis"
            isLarge
            tone="primary"
            type="submit"
            disabled={!ready || busy || work !== null}
          />
        </div>
        {work ? (
          <p className="route-again-work">
            <progress value={work.fraction} max={1} aria-label="Done" />
            <span className="muted" role="status">
              {work.what}
            </span>
            <Button label="Cancel" onClick={() => void replaySteps.cancel()} />
          </p>
        ) : (
          <p className="muted">
            The row will be called “{name}”.{busy ? ' The model is training; this can start when that has ended.' : ''}
          </p>
        )}
      </form>
      {made ? (
        <p className="callout good" role="status">
          “{made}” is in the table, and kept with the runs.
        </p>
      ) : null}
      <Problem problem={problem} />
    </details>
  );
}

function AmountInput({
  label,
  set,
  ...range
}: {
  label: string;
  value: number;
  min: number;
  max: number;
  step: number;
  set: (value: number) => void;
}) {
  return (
    <label className="choice">
      <span>{label}</span>
      <input
        type="number"
        {...range}
        onChange={(event) => {
          const number = event.target.valueAsNumber;
          // An empty or half-typed field leaves the previous value.
          if (number >= range.min && number <= range.max) set(number);
        }}
      />
    </label>
  );
}
