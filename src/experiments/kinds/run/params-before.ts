// The adapter parameters with which a step of a stored run was sampled: those of the untrained model, of a checkpoint at that step, or the sum of
// the earlier stored steps.
import { scaleInto, subtractInto } from '../../../algorithms/vectors.ts';
import type { RunSpec } from '../../config/run-spec.ts';
import { rateOf, stageAt, stagesOf } from '../../config/stages.ts';
import type { Checkpoint } from '../../records/checkpoint.ts';
import type { RunRecord } from '../../records/events.ts';
import { type KeptSteps, keepsSteps } from '../../records/steps.ts';

/** Stored weights of a run. */
export interface KeptWeights {
  run: Pick<RunRecord, 'spec' | 'begunFrom'>;
  checkpoint: Pick<Checkpoint, 'step' | 'optimizer'> | null;
  steps: KeptSteps | null;
}

/**
 * @param step counts from 1
 * @param initial the untrained model's adapter parameters
 * @returns δS_total before the step; null if it cannot be derived from what is stored
 */
export function paramsBefore(step: number, { run, checkpoint, steps }: KeptWeights, initial: Float32Array) {
  const { spec, begunFrom } = run;
  const done = step - 1;
  if (checkpoint?.step === done) return checkpoint.optimizer.total;
  // A run that began from another adapter did not start at the untrained model.
  if (begunFrom) return null;
  if (done === 0) return initial;
  if (!steps || steps.length < done || !keepsSteps(spec)) return null;
  return sumOfUpdates(spec, steps.slice(0, done), initial);
}

/** Repeats a run's updates in the order of operations of its optimizer. */
function sumOfUpdates(spec: RunSpec, steps: KeptSteps, initial: Float32Array): Float32Array {
  const total = initial.slice();
  const stages = stagesOf(spec);
  for (const [step, deltas] of steps.entries())
    for (const [epoch, delta] of deltas.entries()) {
      scaleInto(total, 1 - rateOf(spec, stageAt(stages, step), step, epoch) * spec.weightDecay);
      subtractInto(total, delta);
    }
  return total;
}
