// What a folder of `run` was begun with where the command line says `auto`: how the weights lay, and which kind of device computed. It
// goes on with that, since in another storage it would be another model, on another kind of device other bits, and checkpoints of one
// are no other's (what `auto` comes to changes with the machine, and with what can be chosen).
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { STORAGES } from '../../engine/storage-layouts.ts';
import type { WeightStorage } from '../../engine/types.ts';
import type { ExperimentSpec } from '../../experiments/config/spec.ts';
import { contentKey } from '../../experiments/records/artifacts.ts';
import { numericsOf, numericsOfContext } from '../../experiments/records/numerics.ts';
import type { Numerics } from '../../kernels/device.ts';
import { storedSha256 } from '../../storage/model-files.ts';
import { SafetensorsFile } from '../../storage/safetensors.ts';
import { diskFile } from '../../storage/sources.node.ts';
import { readCheckpoint } from '../files/checkpoint.node.ts';

/** Where `run` keeps what it needs to go on: `out`, or, where that is null, a folder by what is trained. */
export async function folderOf(
  spec: ExperimentSpec,
  out: string | null,
  modelSha256: string,
  root: string,
): Promise<string> {
  const key = await contentKey([spec, modelSha256]);
  return out === null ? join(root, '.cache', 'runs', key.slice(0, 12)) : resolve(out);
}

/** The storage of what is kept of this experiment; null where nothing is. */
export async function begunWith(
  spec: ExperimentSpec,
  out: string | null,
  filesSha256: string,
  root: string,
): Promise<WeightStorage | null> {
  for (const storage of STORAGES) {
    const folder = await folderOf(spec, out, await storedSha256(filesSha256, storage), root);
    const kept = await keptStorage(folder, filesSha256);
    if (kept !== null) return kept;
  }
  return null;
}

/** What of the CPU's two kinds computed what is kept of this experiment, in any storage; null where nothing is, or a GPU did. */
export async function begunOn(
  spec: ExperimentSpec,
  out: string | null,
  filesSha256: string,
  root: string,
): Promise<'cpu' | 'cpu-fused' | null> {
  for (const storage of STORAGES) {
    const folder = await folderOf(spec, out, await storedSha256(filesSha256, storage), root);
    for (const name of await readdir(folder).catch(() => [])) {
      const numerics = await numericsOfFile(join(folder, name)).catch(() => null);
      if (numerics === 'cpu' || numerics === 'cpu-fused') return numerics;
    }
  }
  return null;
}

async function numericsOfFile(path: string): Promise<Numerics | null> {
  if (path.endsWith('.run.json')) {
    const device = /"device":\s*"([^"]+)"/.exec(await readFile(path, 'utf8'))?.[1];
    return device === undefined ? null : numericsOf(device);
  }
  if (!path.endsWith('.checkpoint')) return null;
  const checkpoint = await readCheckpoint(path, () => {});
  return checkpoint && numericsOfContext(checkpoint.context);
}

/** Null where the folder keeps nothing of these files, or is not there. */
async function keptStorage(folder: string, filesSha256: string): Promise<WeightStorage | null> {
  const names = await readdir(folder).catch(() => []);
  const kept = new Set<string>();
  for (const name of names) {
    const sha256 = await modelOf(join(folder, name)).catch(() => null);
    if (sha256 !== null) kept.add(sha256);
  }
  for (const storage of STORAGES) if (kept.has(await storedSha256(filesSha256, storage))) return storage;
  return null;
}

/** The sha-256 that a finished run, or the tensors beside a checkpoint, say they are of. What is damaged is another's to tell. */
async function modelOf(path: string): Promise<string | null> {
  if (path.endsWith('.run.json'))
    return /"modelSha256":\s*"([0-9a-f]{64})"/.exec(await readFile(path, 'utf8'))?.[1] ?? null;
  if (!path.endsWith('.safetensors')) return null;
  const file = await diskFile(path);
  return file && ((await SafetensorsFile.open(file, path)).metadata.model_sha256 ?? null);
}
