// The name of a model that is known only by the hash of its weights, as in the origin of a shared run.
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import { STORAGES } from '../../engine/storage-layouts.ts';
import { EMBEDDED_MODELS } from '../../experiments/config/preset-in.ts';
import { storedSha256, WEIGHTS } from '../../storage/model-files.ts';
import type { StoredModel } from '../../storage/model-store.ts';
import { ModelSums } from '../../storage/model-sums.ts';
import { type FileSource, sha256 } from '../../storage/sources.ts';

/** Id of the stored model with these weights by its record, else of the embedded one by its manifest; null if there is neither. */
export async function modelNamed(
  wanted: string,
  embedded: (id: string) => FileSource | undefined,
  kept: readonly StoredModel[],
): Promise<string | null> {
  for (const model of kept) if (await isOf(model, wanted)) return model.id;
  for (const id of EMBEDDED_MODELS) {
    const source = embedded(id);
    const manifest = await source?.read('manifest.json');
    if (!source || !manifest) continue;
    const sums = await ModelSums.of(source, parseJsonText(await manifest.text()));
    if (sums.has(WEIGHTS, wanted)) return id;
  }
  return null;
}

async function isOf({ files }: StoredModel, wanted: string): Promise<boolean> {
  const weights = files.find(({ path }) => path === WEIGHTS);
  const own = weights && (weights.sha256WithoutHoles ?? weights.sha256);
  const shards = files.filter(({ path }) => path.endsWith('.safetensors')).sort((a, b) => (a.path < b.path ? -1 : 1));
  const all = shards.map((file) => file.sha256WithoutHoles ?? file.sha256);
  if (!own && (all.length === 0 || all.includes(null))) return false;
  const whole = own ?? (all.length === 1 ? all[0]! : await sha256(new TextEncoder().encode(all.join('\n'))));
  for (const storage of STORAGES) if ((await storedSha256(whole, storage)) === wanted) return true;
  return false;
}
