// Evaluates every character with a run's stored model and the untrained one, for comparison. Leaves the untrained adapter parameters set.

import type { AdapterSettings } from '../../engine/types.ts';
import { LETTERS } from '../../environments/characters/data.ts';
import { rolesOf } from '../../environments/characters/task.ts';
import { targetOf } from '../../environments/characters/texts.ts';
import { askEach } from '../../experiments/characters/each.ts';
import type { Equipped } from '../equipment/equipment.ts';
import { keptModel } from '../equipment/kept-model.ts';
import type { CharacterMap } from '../protocol/run-requests.ts';
import type { Records } from '../records/records.ts';

/** Throws SpecError if nothing is stored of the run, or it belongs to another model. */
export async function mapOf(
  runId: string,
  records: Pick<Records, 'checkpoints' | 'run'>,
  equipped: (adapter: AdapterSettings) => Promise<Equipped>,
  signal: AbortSignal,
): Promise<CharacterMap> {
  const kept = await keptModel(runId, records, equipped, {
    missing: 'Choose a run with checkpoints, or train it again.',
    other: 'Choose Characters in the form, which loads their model; then ask again.',
  });
  const { spec } = kept;
  const { policy, codec } = kept.equipped;
  const target = targetOf(LETTERS, spec.teaches);
  const roles = rolesOf(LETTERS, target, spec.character);
  const measured = (adapterParams: Float32Array) => {
    policy.setAdapterParams(adapterParams);
    return askEach({ policy, codec, signal }, LETTERS, roles, target);
  };
  try {
    const before = await measured(policy.initialAdapterParams);
    return { runId, step: kept.step, before, after: await measured(kept.paramsOf('trained')) };
  } finally {
    policy.setAdapterParams(policy.initialAdapterParams);
  }
}
