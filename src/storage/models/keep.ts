// Copies dropped files into a store, in pieces; resumes after a stop, and compares the copy with its source.
import { FormatError, LabError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { Sha256 } from '@projected-grpo-lab/base/sha256.ts';
import { checkRoom } from '../errors.ts';
import { type ModelStore, missingBytes, type StoredModel, totalBytes } from '../model-store.ts';
import { memorySource } from '../sources.ts';
import { wantedFiles } from './files.ts';
import { hashInParts, partsOf } from './hash.ts';
import { inspectSource } from './inspect.ts';
import { type ModelProgress, ProgressMeter } from './progress.ts';

interface DroppedModel {
  /** The folder's name. */
  name: string;
  /** `path` is below the folder; files that the lab does not use are left out. */
  files: readonly { path: string; file: Blob }[];
}

export interface KeepOptions {
  signal?: AbortSignal;
  /** Milliseconds of any clock. */
  now?: () => number;
  onProgress?: (progress: ModelProgress) => void;
}

interface Dropped {
  path: string;
  bytes: number;
  file: Blob;
}

/** Resolves with a complete model: the stored one if the same files are dropped again. Throws before the first byte if the lab cannot use
 *  them (FormatError) or there is no room (StorageError). After a stop, the next call resumes. */
export async function keepFiles(
  store: ModelStore,
  source: DroppedModel,
  { signal, now = () => performance.now(), onProgress = () => {} }: KeepOptions = {},
): Promise<StoredModel> {
  const { name } = source;
  const byPath = new Map(source.files.map(({ path, file }) => [path, file]));
  const paths = await wantedFiles([...byPath.keys()], (path) => byPath.get(path)!.text(), name);
  const files = paths.map((path): Dropped => ({ path, bytes: byPath.get(path)!.size, file: byPath.get(path)! }));
  await inspectSource(memorySource(byPath, name), files);

  const meter = new ProgressMeter(now, onProgress);
  try {
    const { id, kept } = await placeFor(store, name, files, meter, signal);
    if (kept?.complete) return kept;
    let model: StoredModel = kept ?? {
      id,
      origin: { kind: 'folder', name },
      complete: false,
      createdAt: Date.now(),
      files: files.map(({ path, bytes }) => ({ path, bytes, sha256: null })),
    };
    const missing = await missingBytes(store, model);
    checkRoom(name, missing, await store.room());
    await store.save(model);
    let done = totalBytes(files) - missing;
    for (const file of files) {
      if (model.files.find(({ path }) => path === file.path)?.checked) continue;
      meter.start(file.path, done, totalBytes(files));
      const sha256 = await copy(store, id, file, meter, signal, (bytes) => {
        done += bytes;
      });
      model = {
        ...model,
        files: model.files.map((known) => (known.path === file.path ? { ...known, sha256, checked: true } : known)),
      };
      await store.save(model);
    }
    model = { ...model, complete: true };
    await store.save(model);
    return model;
  } catch (error) {
    throw signal?.aborted ? stopped(signal) : readError(error, name);
  }
}

/** A model's name from a folder's: `My model (1)` → `My-model-1`. */
export function folderSafe(name: string): string {
  const safe = name.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^[-._]+|[-._]+$/g, '');
  return safe.slice(0, 190) || 'model';
}

/** The first id that is free or already has these files, as far as an incomplete copy can tell. */
async function placeFor(
  store: ModelStore,
  name: string,
  files: readonly Dropped[],
  meter: ProgressMeter,
  signal: AbortSignal | undefined,
): Promise<{ id: string; kept: StoredModel | null }> {
  const base = folderSafe(name);
  for (let n = 1; ; n++) {
    const id = n === 1 ? base : `${base}-${n}`;
    const kept = await store.get(id);
    if (!kept || (await isSame(kept, name, files, meter, signal))) return { id, kept };
  }
}

async function isSame(
  kept: StoredModel,
  name: string,
  files: readonly Dropped[],
  meter: ProgressMeter,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const isThere = ({ path, bytes }: Dropped) =>
    kept.files.some((known) => known.path === path && known.bytes === bytes);
  if (kept.origin.kind !== 'folder' || kept.origin.name !== name) return false;
  if (kept.files.length !== files.length || !files.every(isThere)) return false;
  for (const { path, bytes, file } of files) {
    const known = kept.files.find((candidate) => candidate.path === path)!;
    if (!known.checked) continue;
    meter.start(`comparing ${path}`, 0, bytes);
    const sha256 = await hashInParts(file, { signal, onPart: (part) => meter.add(part) });
    if (sha256 !== known.sha256) return false;
  }
  return true;
}

/** Copies missing bytes and reads everything back. An incomplete copy with other bytes is restarted. */
async function copy(
  store: ModelStore,
  id: string,
  { path, file, bytes }: Dropped,
  meter: ProgressMeter,
  signal: AbortSignal | undefined,
  onBytes: (bytes: number) => void,
): Promise<string> {
  const partial = await store.partial(id, path);
  try {
    for (let attempt = 0; attempt < 2; attempt++) {
      const sha = new Sha256();
      let at = await partial.size();
      if (bytes === 0) await partial.append(new Uint8Array(0));
      let read = 0;
      for await (const part of partsOf(file, 0, signal)) {
        sha.update(part);
        const fresh = part.subarray(Math.max(0, at - read));
        read += part.length;
        if (fresh.length === 0) continue;
        await partial.append(fresh);
        at += fresh.length;
        onBytes(fresh.length);
        meter.add(fresh.length);
      }
      const sha256 = sha.digest();
      const kept = await partial.read();
      meter.start(`checking ${path}`, 0, bytes);
      const found = await hashInParts(kept, { signal, onPart: (part) => meter.add(part) });
      if (kept.size === bytes && found === sha256) return sha256;
      onBytes(-kept.size);
      await partial.clear();
    }
  } finally {
    await partial.close();
  }
  throw new FormatError(
    `${path} changed while it was copied, twice.`,
    'Close what is writing the dropped folder, and check the disk; then drop it again.',
  );
}

function stopped(signal: AbortSignal): LabError {
  if (signal.reason instanceof LabError && !(signal.reason instanceof StoppedError)) return signal.reason;
  return new StoppedError(
    'The copy was stopped; what was copied is kept.',
    'Drop the folder again: the copy continues there.',
  );
}

/** Explains the error of a dropped file that was changed or moved and can no longer be read. */
function readError(error: unknown, name: string): unknown {
  const what = (error as { name?: string } | null)?.name;
  if (what !== 'NotReadableError' && what !== 'NotFoundError') return error;
  return new FormatError(
    `A file of ${name} cannot be read any more (${what}).`,
    'It was changed or moved since it was dropped: drop the folder again.',
  );
}
