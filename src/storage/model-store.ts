// Where third-party models are kept between visits: weight files of gigabytes, written piece by piece and read lazily. In the
// browser the origin-private file system (opfs.ts), in tests memory (memory.ts), in Node a folder (folder.node.ts); `lab` asks
// for this interface alone.

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import { listOf } from '@projected-grpo-lab/base/lists.ts';
import * as z from 'zod/mini';
import type { FileLike, FileSource } from './sources.ts';

const count = z.int().check(z.nonnegative());
/**
 * Where a model came from, for people: a Hub id with its revision (and the commit that this was), the dropped folder's name, or a
 * package of npm's (small.ts).
 */
const Origin = z.union([
  z.object({ kind: z.literal('hub'), repo: z.string(), revision: z.string(), commit: z.optional(z.string()) }),
  z.object({ kind: z.literal('folder'), name: z.string() }),
  z.object({ kind: z.literal('package'), name: z.string(), version: z.string() }),
]);
const StoredFile = z.object({
  path: z.string(),
  /** As it shall be. */
  bytes: count,
  /** Where the source said so, else null until it is computed. */
  sha256: z.nullable(z.string().check(z.regex(/^[0-9a-f]{64}$/))),
  /** Git's name of the content, which the Hub tells of files that are not in LFS: sha-1 of `blob BYTES\0` and the bytes. */
  gitSha1: z.optional(z.string().check(z.regex(/^[0-9a-f]{40}$/))),
  /** The server's strong ETag of the bytes that are here: what follows must come from the same file. */
  etag: z.optional(z.string()),
  /** All bytes are here, were read back and had the right hash. */
  checked: z.optional(z.boolean()),
});
export type StoredFile = z.infer<typeof StoredFile>;

const Record = z.object({
  /** Folder-safe and unique in the store: what a run's `spec.model` names. */
  id: z.string(),
  origin: Origin,
  files: listOf(StoredFile, 100_000),
  /** Whether every file is here and was checked. A half-kept model goes on where it was left. */
  complete: z.boolean(),
  /** Milliseconds since the epoch. */
  createdAt: z.number(),
});
/** What is known of a model that is kept, or half kept. */
export interface StoredModel extends Omit<z.infer<typeof Record>, 'files'> {
  files: readonly StoredFile[];
}

/** A file that is being written; bytes are appended, and what was appended is there after a crash. */
export interface PartialFile {
  /** Bytes that are there. */
  size(): Promise<number>;
  /** Throws StorageError where there is no room; what was there before is still there then. */
  append(bytes: Uint8Array): Promise<void>;
  /** Drops what is there: its bytes were wrong. */
  clear(): Promise<void>;
  /** What is there, read lazily. */
  read(): Promise<FileLike>;
  close(): Promise<void>;
}

export interface ModelStore {
  /** Complete and half-kept ones, the oldest first. What else is in the folder is left alone. */
  list(): Promise<StoredModel[]>;
  /** Null when there is none. */
  get(id: string): Promise<StoredModel | null>;
  /** Writes the record; the files come after it. */
  save(model: StoredModel): Promise<void>;
  /** Bytes of a file that are there; 0 where there is none. */
  sizeOf(id: string, path: string): Promise<number>;
  /** Where one writer has a file open, a second is refused (StorageError). Nothing is created before the first append. */
  partial(id: string, path: string): Promise<PartialFile>;
  /** Lazily read files of a complete model. Throws FormatError for one that is not here or not complete. */
  source(id: string): Promise<FileSource>;
  /** The record and all files. */
  delete(id: string): Promise<void>;
  /** Bytes that may still be written; null where nobody says. */
  room(): Promise<number | null>;
}

/** Name of the record beside a model's files. */
export const RECORD = 'lab-model.json';

/** A record as it was written; null for what is none, or another folder's: it is somebody else's, and left alone. */
export function readRecord(text: string, id: string): StoredModel | null {
  try {
    const parsed = Record.safeParse(parseJsonText(text));
    return parsed.success ? { ...parsed.data, id } : null;
  } catch {
    return null;
  }
}

/** Where a kept model comes from, for people. */
export function originText(origin: StoredModel['origin']): string {
  if (origin.kind === 'hub') return `${origin.repo} at ${origin.revision}`;
  return origin.kind === 'folder' ? `the folder ${origin.name}` : `the package ${origin.name} ${origin.version}`;
}

/** Of the files of a complete model, where the source said so or it was computed when they arrived. */
export function sumsOf(model: StoredModel | null): ReadonlyMap<string, string> {
  const files = model?.complete ? model.files : [];
  return new Map(files.flatMap(({ path, sha256 }) => (sha256 === null ? [] : [[path, sha256] as const])));
}

export function writeRecord(model: StoredModel): string {
  checkId(model.id);
  for (const { path } of model.files) pathParts(path);
  return `${JSON.stringify(model, null, 2)}\n`;
}

export const isId = (id: string): boolean => /^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/.test(id);

export function checkId(id: string): void {
  if (isId(id)) return;
  throw new FormatError(
    `${JSON.stringify(id.slice(0, 80))} cannot name a kept model.`,
    'Use up to 200 letters, digits, dots, dashes and underscores.',
  );
}

/** Folder names and file name of a path inside a model. Throws FormatError for one that leads out of it, or onto the record. */
export function pathParts(path: string): string[] {
  const parts = path.split('/');
  const isBad = (part: string) => part === '' || part === '.' || part === '..' || /[\\\0:]/.test(part);
  if (parts.some(isBad) || path === RECORD) {
    throw new FormatError(
      `${JSON.stringify(path.slice(0, 80))} is not a path inside a model.`,
      'Use relative paths with forward slashes that stay inside the folder.',
    );
  }
  return parts;
}

/** What `source` says of a model that is not here, or only half. */
export async function completeModel(store: ModelStore, id: string): Promise<StoredModel> {
  const model = await store.get(id);
  if (!model) {
    throw new FormatError(
      `No model ${JSON.stringify(id.slice(0, 80))} is kept here.`,
      'Download it, or drop it again.',
    );
  }
  if (!model.complete) {
    const missing = await missingBytes(store, model);
    throw new FormatError(
      `${id} is only half kept: ${missing} of ${totalBytes(model.files)} bytes are missing or unchecked.`,
      'Resume its download, or drop its folder again.',
    );
  }
  return model;
}

/** Bytes that are still to be fetched. */
export async function missingBytes(
  store: ModelStore,
  { id, files }: { id: string; files: readonly StoredFile[] },
): Promise<number> {
  const kept = await store.get(id);
  let missing = 0;
  for (const file of files) {
    const known = kept?.files.find(({ path }) => path === file.path);
    if (!known || !sameContent(known, file)) {
      missing += file.bytes;
    } else if (!known.checked) {
      missing += Math.max(0, file.bytes - (await store.sizeOf(id, file.path)));
    }
  }
  return missing;
}

/** Opens a file for `work`, and closes it whatever comes of that. */
export async function withPartial<T>(
  store: ModelStore,
  id: string,
  path: string,
  work: (file: PartialFile) => Promise<T>,
): Promise<T> {
  const file = await store.partial(id, path);
  try {
    return await work(file);
  } finally {
    await file.close();
  }
}

export const totalBytes = (files: readonly { bytes: number }[]): number =>
  files.reduce((sum, { bytes }) => sum + bytes, 0);

/** Whether two accounts of a file can be of the same bytes: the lengths agree, and each hash that both tell. */
export function sameContent(a: StoredFile, b: StoredFile): boolean {
  const agree = (x: string | null | undefined, y: string | null | undefined) => !x || !y || x === y;
  return a.bytes === b.bytes && agree(a.sha256, b.sha256) && agree(a.gitSha1, b.gitSha1);
}
