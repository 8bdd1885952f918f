// Entropy and KL of one group's stored rollouts on the loaded model, with the weights of their step if they are stored.
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { paramsBefore } from '../../experiments/kinds/run/params-before.ts';
import { measureTokens, type TokenMeasures } from '../../experiments/kinds/run/token-measures.ts';
import type { RolloutRecord } from '../../experiments/records/events.ts';
import { writingAs } from '../equipment/equipment.ts';
import { checkModel } from '../equipment/kept-model.ts';
import type { Records } from '../records/records.ts';
import type { HandlerParts } from './parts.ts';

/** Restores the model afterwards. Throws SpecError for a run that isn't stored, or that trained another model. */
export async function groupMeasures(
  runId: string,
  step: number,
  rollouts: readonly RolloutRecord[],
  { lab, equipped }: Pick<HandlerParts, 'lab' | 'equipped'>,
  signal: AbortSignal,
): Promise<TokenMeasures> {
  const { records } = await lab();
  const run = await records.run(runId);
  if (!run)
    throw new SpecError(
      `The run ${JSON.stringify(runId.slice(0, 80))} is not stored yet.`,
      'Wait for its first checkpoint, or open it again from Library, Runs.',
    );
  const open = await writingAs(await equipped(run.spec, signal), run.spec);
  checkModel(run, open, 'Load the model that it was trained on.');
  const { policy, codec } = open;
  const params = await paramsAt(runId, step, policy.initialAdapterParams, records);
  return policy.apart(() => measureTokens({ policy, codec }, rollouts, params, signal));
}

/** A fork's steps up to its own first one were sampled with its parent's weights, which may be stored if its own are not. */
async function paramsAt(
  runId: string,
  step: number,
  initial: Float32Array,
  records: Pick<Records, 'run' | 'checkpoints' | 'steps'>,
): Promise<Float32Array | null> {
  const run = await records.run(runId);
  if (!run) return null;
  const kept = { run, checkpoint: await records.checkpoints.load(runId), steps: await records.steps.load(runId) };
  const found = paramsBefore(step, kept, initial);
  const { fork } = run.spec;
  return found || !fork || step > fork.step + 1 ? found : paramsAt(fork.run, step, initial, records);
}
