// A stored run's model: its last adapter parameters, on the model that the run trained.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { deployed } from '../../algorithms/optimizer.ts';
import type { AdapterSettings } from '../../engine/types.ts';
import { withDefaults } from '../../experiments/config/spec.ts';
import type { RunRecord } from '../../experiments/records/events.ts';
import type { Records } from '../records/records.ts';
import { type Equipped, writingAs } from './equipment.ts';

/**
 * Opens the model with the run's adapter and prompt settings. `remedies`: the advice if nothing is stored, and if another model is loaded.
 * Throws SpecError in both cases.
 */
export async function keptModel(
  runId: string,
  records: Pick<Records, 'checkpoints' | 'run'>,
  equip: (adapter: AdapterSettings) => Promise<Equipped>,
  remedies: { missing: string; other: string },
) {
  const [checkpoint, run] = [await records.checkpoints.load(runId), await records.run(runId)];
  if (!checkpoint || !run)
    throw new SpecError(`No adapter parameters are kept for run ${JSON.stringify(runId)}.`, remedies.missing);
  const { optimizer, step } = checkpoint;
  const spec = withDefaults(checkpoint.spec);
  const equipped = await writingAs(await equip(spec), spec);
  checkModel(run, equipped, remedies.other);
  const [has, wants] = [optimizer.total.length, equipped.policy.adapterLayout.total];
  if (has !== wants)
    throw new SpecError(`The run has ${has} adapter parameters, the loaded model ${wants}.`, remedies.other);
  const paramsOf = (model: 'trained' | 'deployed') => (model === 'trained' ? optimizer.total : deployed(optimizer));
  return { equipped, spec, step, paramsOf };
}

/** Throws SpecError if the run trained another model than the loaded one. */
export function checkModel(
  { id, modelSha256 }: Pick<RunRecord, 'id' | 'modelSha256'>,
  { model }: Pick<Equipped, 'model'>,
  remedy: string,
): void {
  if (modelSha256 === model.sha256) return;
  const models = `${modelSha256.slice(0, 8)}; ${model.sha256.slice(0, 8)} is loaded`;
  throw new SpecError(`${id} was trained on another model (${models}).`, remedy);
}
