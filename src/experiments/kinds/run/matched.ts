// random_V_matched in an experiment: its width is known only once all steps of a run are finished. As a control it is made at the end of its own
// run; as an arm's basis, before that run starts, from vanilla's steps of the same seed.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { setOwn } from '@projected-grpo-lab/base/own.ts';
import type { HackBasis } from '../../../algorithms/basis.ts';
import { trainingKey } from '../../analysis/vanilla.ts';
import { trainsUnprojected } from '../../config/arms.ts';
import type { RunSpec } from '../../config/run-spec.ts';
import type { LateModels } from '../../loop/final-evaluation.ts';
import type { LabEvent } from '../../records/events.ts';
import type { StepStore } from '../../records/steps.ts';
import { matchedBasis, replaySteps, type StepReplayPorts, widthNote } from './step-replay.ts';

/** Whether any of these runs needs stored steps. */
export function needsSteps(runs: readonly RunSpec[]): boolean {
  return runs.some(
    ({ basisSource, shadows: controls, alsoEvaluate }) =>
      alsoEvaluate.some((model) => ['early_stop', 'merge', 'merge_controls'].includes(model)) ||
      basisSource === 'random_matched' ||
      controls.some(({ kind }) => kind === 'random_matched'),
  );
}

/** Whether the other run's steps are those of this run without projection, to which its basis is matched. */
export const takesStepsOf = (run: RunSpec, other: RunSpec): boolean =>
  other.seed === run.seed && trainsUnprojected(other) && trainingKey(other) === trainingKey(run);

/** The deployed parameters of the `random_matched` controls of a run that has just ended. */
export async function* matchedControls(
  runId: string,
  spec: RunSpec,
  store: StepStore | null,
  ports: StepReplayPorts,
): AsyncGenerator<LabEvent, LateModels> {
  const controls = spec.shadows.filter(({ kind }) => kind === 'random_matched');
  const late: LateModels = { matched: {}, notes: {} };
  if (controls.length === 0) return late;
  const steps = await store?.load(runId);
  if (!steps || steps.length !== spec.steps) {
    const names = controls.map(({ id }) => id).join(', ');
    late.notes.total = `${names} could not be made: not all of this run’s steps were kept`;
    return late;
  }
  const routed = yield* replaySteps({ runId, spec, steps, shadows: controls, finalEvaluation: false }, ports);
  for (const { id } of controls) {
    setOwn(late.matched, id, routed.shadows[id].deployed);
    setOwn(late.notes, id, widthNote(routed.shadows[id].width!));
  }
  return late;
}

/**
 * The basis of an arm that trains with a `random_matched` one. `runs` are the experiment's. Throws SpecError if vanilla's steps of this seed are
 * not stored.
 */
export async function* matchedArm(
  spec: RunSpec,
  runs: readonly { id: string; spec: RunSpec }[],
  store: StepStore | null,
  ports: StepReplayPorts,
): AsyncGenerator<LabEvent, { basis: HackBasis; note: string }> {
  for (const { id, spec: trained } of runs.filter((run) => takesStepsOf(spec, run.spec))) {
    const steps = await store?.load(id);
    if (steps?.length !== trained.steps) continue;
    const { basis, width } = yield* matchedBasis(spec, steps, ports);
    return { basis, note: widthNote(width) };
  }
  throw new SpecError(
    `arm ${spec.arm}, seed ${spec.seed}, needs the steps of vanilla’s run of this seed, and they are not kept`,
    'Train the arm none or route-update of the same experiment and seed first.',
  );
}
