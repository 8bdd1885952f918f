// Everybody asked of a run's kept model and of the untrained one, beside each other. The adapter parameters are the untrained ones afterwards.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import type { AdapterSettings } from '../../engine/types.ts';
import { LETTERS } from '../../environments/characters/data.ts';
import { rolesOf } from '../../environments/characters/task.ts';
import { targetOf } from '../../environments/characters/texts.ts';
import { askEach } from '../../experiments/characters/each.ts';
import { withDefaults } from '../../experiments/config/spec.ts';
import type { Equipped } from '../equipment/equipment.ts';
import type { CharacterMap } from '../protocol/run-requests.ts';
import type { Records } from '../records/records.ts';

/** Throws SpecError where nothing is kept of the run, or it is of another model. */
export async function mapOf(
  runId: string,
  records: Pick<Records, 'checkpoints' | 'run'>,
  equipped: (adapter: AdapterSettings) => Promise<Equipped>,
  signal: AbortSignal,
): Promise<CharacterMap> {
  const checkpoint = await records.checkpoints.load(runId);
  const run = await records.run(runId);
  if (!checkpoint || !run)
    throw new SpecError('No model of this run is kept.', 'Choose a run with checkpoints, or train it again.');
  const spec = withDefaults(checkpoint.spec);
  const { policy, codec, model } = await equipped(spec);
  if (run.modelSha256 !== model.sha256)
    throw new SpecError(
      `The run was trained on another model (${run.modelSha256.slice(0, 8)}; ${model.sha256.slice(0, 8)} is loaded).`,
      'Choose Characters in the form, which loads their model; then ask again.',
    );
  const target = targetOf(LETTERS, spec.teaches);
  const roles = rolesOf(LETTERS, target, spec.character);
  const asked = (adapterParams: Float32Array) => {
    policy.setAdapterParams(adapterParams);
    return askEach({ policy, codec, signal }, LETTERS, roles, target);
  };
  try {
    const before = await asked(policy.initialAdapterParams);
    return { runId, step: checkpoint.step, before, after: await asked(checkpoint.optimizer.total) };
  } finally {
    policy.setAdapterParams(policy.initialAdapterParams);
  }
}
