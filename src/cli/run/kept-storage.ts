// Finds the weight storage, device kind and adapter form of a run's kept files, so that `run` with `auto` continues with them. `auto` may
// choose otherwise on another machine, or once it has more options, but another storage is another model and another device kind gives other bits,
// so the checkpoints would not fit.
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { STORAGES } from '../../engine/storage-layouts.ts';
import type { AdapterForm, WeightStorage } from '../../engine/types.ts';
import type { ExperimentSpec } from '../../experiments/config/spec.ts';
import { contentKey } from '../../experiments/records/artifacts.ts';
import { formOfContext, numericsOf, numericsOfContext } from '../../experiments/records/numerics.ts';
import type { Numerics } from '../../kernels/device.ts';
import { storedSha256 } from '../../storage/model-files.ts';
import { SafetensorsFile } from '../../storage/safetensors.ts';
import { diskFile } from '../../storage/sources.node.ts';
import { readCheckpoint } from '../files/checkpoint.node.ts';

/** Folder of the files that `run` continues from: `out`, or, where that is null, a folder named by the experiment. */
export async function folderOf(
  spec: ExperimentSpec,
  out: string | null,
  modelSha256: string,
  root: string,
): Promise<string> {
  const key = await contentKey([spec, modelSha256]);
  return out === null ? join(root, '.cache', 'runs', key.slice(0, 12)) : resolve(out);
}

/** Weight storage of this experiment's kept files; null if there are none. */
export async function keptStorageOf(
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

/** Device that produced the kept files of this experiment, in any storage; null if there are none, or if
 *  it was plain WebGPU, which `auto` finds again. */
export async function keptBackendOf(
  spec: ExperimentSpec,
  out: string | null,
  filesSha256: string,
  root: string,
): Promise<Exclude<Numerics, 'webgpu'> | null> {
  for await (const path of keptFiles(spec, out, filesSha256, root)) {
    const numerics = await numericsOfFile(path).catch(() => null);
    if (numerics !== null && numerics !== 'webgpu') return numerics;
  }
  return null;
}

/** Form of the adapter in this experiment's kept files, in any storage; null if there are none. */
export async function keptFormOf(
  spec: ExperimentSpec,
  out: string | null,
  filesSha256: string,
  root: string,
): Promise<AdapterForm | null> {
  for await (const path of keptFiles(spec, out, filesSha256, root)) {
    const form = await formOfFile(path).catch(() => null);
    if (form !== null) return form;
  }
  return null;
}

/** Paths in the folders of this experiment, in any storage. */
async function* keptFiles(spec: ExperimentSpec, out: string | null, filesSha256: string, root: string) {
  for (const storage of STORAGES) {
    const folder = await folderOf(spec, out, await storedSha256(filesSha256, storage), root);
    for (const name of await readdir(folder).catch(() => [])) yield join(folder, name);
  }
}

async function formOfFile(path: string): Promise<AdapterForm | null> {
  if (path.endsWith('.run.json'))
    return /"adapterForm":\s*"unfolded"/.test(await readFile(path, 'utf8')) ? 'unfolded' : 'folded';
  if (!path.endsWith('.checkpoint')) return null;
  const checkpoint = await readCheckpoint(path, () => {});
  return checkpoint && formOfContext(checkpoint.context);
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

/** Null if the folder has no files of this model, or is missing. */
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

/** The model's sha-256 in a finished run, or in the tensors beside a checkpoint. Damage is reported by the files' readers. */
async function modelOf(path: string): Promise<string | null> {
  if (path.endsWith('.run.json'))
    return /"modelSha256":\s*"([0-9a-f]{64})"/.exec(await readFile(path, 'utf8'))?.[1] ?? null;
  if (!path.endsWith('.safetensors')) return null;
  const file = await diskFile(path);
  return file && ((await SafetensorsFile.open(file, path)).metadata.model_sha256 ?? null);
}
