// Downloads a model from the Hub into a store: only the files that the lab uses, each resumed where it stopped, and checked against the
// Hub's hash: sha-256 of LFS files, git's sha-1 of the others.
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { withoutHoles } from '../byte-holes.ts';
import { checkRoom } from '../errors.ts';
import {
  type ModelStore,
  missingBytes,
  type PartialFile,
  type StoredFile,
  type StoredModel,
  sameContent,
  usedBytes,
  withPartial,
} from '../model-store.ts';
import { gitBlobSha1, hashInParts } from './hash.ts';
import { HubClient, type HubOptions } from './http.ts';
import { fileUrl, type HubModel, hubId, hubSource, openHub, withHoles } from './hub.ts';
import { inspectSource } from './inspect.ts';
import { type ModelProgress, ProgressMeter } from './progress.ts';
import { fetchRest } from './ranged.ts';

export interface DownloadOptions extends HubOptions {
  onProgress?: (progress: ModelProgress) => void;
  /** Id in the store; by default made from repository and revision. */
  id?: string;
  /** Bytes per request. */
  partBytes?: number;
}

/** Resolves with a complete model, at once if it is stored and unchanged on the Hub. Files that have changed on the Hub are fetched again.
 *  Throws before a byte is stored if the lab cannot use the model (FormatError), the Hub refuses it (HubError) or there is no room
 *  (StorageError); after a stop or an interruption, the next call resumes. */
export async function downloadModel(
  store: ModelStore,
  repo: string,
  revision: string,
  options: DownloadOptions = {},
): Promise<StoredModel> {
  const meter = new ProgressMeter(options.now ?? (() => performance.now()), options.onProgress ?? (() => {}));
  let waits = false;
  const client = new HubClient({
    ...options,
    onRetry: (why, waitMs) => {
      options.onRetry?.(why, waitMs);
      waits = true;
      meter.name(`waiting ${Math.ceil(waitMs / 1000)} s (${why})`);
    },
  });
  const listed = await openHub(client, repo, revision);
  const id = options.id ?? (await hubId(listed, store));
  const kept = await store.get(id);
  // If a file has changed, its headers are read again, which give its holes.
  const moves =
    kept?.files.some(({ holes }) => holes) &&
    !listed.files.every((file) => kept.files.some((known) => isSame(known, file)));
  const facts = kept && !moves ? null : await inspectSource(hubSource(client, listed), listed.files);
  const hub = facts ? { ...listed, files: withHoles(listed.files, facts) } : listed;
  // Holes are stored as zeros, so they need room too.
  const room = (await missingBytes(store, { id, files: hub.files })) + holeBytes(kept ?? hub);
  checkRoom(repo, room, await store.room());

  let model = mergedRecord(id, hub, kept);
  if (kept && !model.complete) await dropStale(store, model, kept);
  await store.save(model);
  if (model.complete) return model;
  const change = async (path: string, changes: Partial<StoredFile>) => {
    const files = model.files.map((file) => (file.path === path ? { ...file, ...changes } : file));
    model = { ...model, files };
    await store.save(model);
  };

  const total = model.files.reduce((sum, file) => sum + usedBytes(file), 0);
  let done = total - (await missingBytes(store, model));
  for (const { path } of model.files) {
    const file = () => model.files.find((candidate) => candidate.path === path)!;
    if (file().checked) continue;
    meter.start(path, done, total);
    await withPartial(store, id, path, async (partial) => {
      await fetchRest(client, fileUrl(client, hub, path), file(), partial, {
        onBytes: (bytes) => {
          done += bytes;
          if (waits) meter.name(path);
          waits = false;
          meter.add(bytes);
        },
        onEtag: (etag) => change(path, { etag }),
        partBytes: options.partBytes,
      });
      await change(path, { ...(await verifyFile(client, hub, file(), partial, meter)), checked: true });
    });
  }
  model = { ...model, complete: true };
  await store.save(model);
  return model;
}

const isSame = (known: StoredFile, file: StoredFile): boolean => known.path === file.path && sameContent(known, file);

/** Number of bytes in the holes of files that are incomplete. */
const holeBytes = ({ files }: { files: readonly StoredFile[] }): number =>
  files.filter(({ checked }) => !checked).reduce((sum, file) => sum + file.bytes - usedBytes(file), 0);

/** The record of the model to complete: stored files with the same content stay checked, all others must be fetched. */
function mergedRecord(id: string, hub: HubModel, kept: StoredModel | null): StoredModel {
  const { repo, revision, commit } = hub;
  const files = hub.files.map((file) => {
    const known = kept?.files.find(({ path }) => path === file.path);
    return known && isSame(known, file) ? { ...known, ...file, sha256: file.sha256 ?? known.sha256 } : file;
  });
  return {
    id,
    origin: { kind: 'hub', repo, revision, commit },
    files,
    complete: kept?.complete === true && files.every(({ checked }) => checked),
    createdAt: kept?.createdAt ?? Date.now(),
  };
}

/** Deletes files that have changed or were deleted on the Hub. The record marks them as unchecked first. */
async function dropStale(store: ModelStore, model: StoredModel, kept: StoredModel): Promise<void> {
  const isStale = (old: StoredFile) => {
    const now = model.files.find(({ path }) => path === old.path);
    return !now || !sameContent(old, now);
  };
  const files = kept.files.map((file) => (isStale(file) ? { ...file, checked: false } : file));
  await store.save({ ...kept, files, complete: false });
  for (const { path } of kept.files.filter(isStale))
    await withPartial(store, model.id, path, (partial) => partial.clear());
}

/** Returns the file's sha-256, without its holes if it has any. Throws FormatError and deletes the bytes if they differ from the Hub's. With
 *  holes only the length is compared, since the Hub has no hash of parts. */
async function verifyFile(
  client: HubClient,
  { repo }: HubModel,
  file: StoredFile,
  partial: PartialFile,
  meter: ProgressMeter,
): Promise<Pick<StoredFile, 'sha256' | 'sha256WithoutHoles'>> {
  const { path, bytes, gitSha1, holes } = file;
  const whole = await partial.read();
  const kept = holes ? withoutHoles(whole, holes) : whole;
  meter.start(`checking ${path}`, 0, kept.size);
  const sha256 = await hashInParts(kept, { signal: client.signal, onPart: (part) => meter.add(part) }).catch(
    (error) => {
      client.checkStopped();
      throw error;
    },
  );
  if (holes && whole.size === bytes) return { sha256: file.sha256, sha256WithoutHoles: sha256 };
  const [name, expected, found] =
    file.sha256 !== null || gitSha1 === undefined
      ? ['sha-256', file.sha256 ?? sha256, sha256]
      : ['git’s sha-1', gitSha1, await gitBlobSha1(kept)];
  if (found === expected && kept.size === bytes) return { sha256 };
  await partial.clear();
  throw new FormatError(
    `${path} of ${repo} arrived damaged: its ${name} is ${found}, the Hub says ${expected}.`,
    'It was dropped: download it again. If that stays, a proxy or mirror on the way changes files.',
  );
}
