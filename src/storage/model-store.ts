// Storage of third-party models between visits: weight files of gigabytes, written in pieces and read lazily. In the browser it is the
// origin-private file system (opfs.ts), in tests memory (memory.ts), in Node a folder (folder.node.ts); the rest of the lab uses only this interface.

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import { listOf } from '@projected-grpo-lab/base/lists.ts';
import * as z from 'zod/mini';
import { bytesOutside } from './byte-holes.ts';
import { sumWithoutHoles } from './model-sums.ts';
import type { FileLike, FileSource } from './sources.ts';

const count = z.int().check(z.nonnegative());
/** Source of a model, for display: a Hub id with its revision (and its commit at the time), the name of a dropped folder, or an npm
 *  package (small.ts). */
const Origin = z.union([
  z.object({ kind: z.literal('hub'), repo: z.string(), revision: z.string(), commit: z.optional(z.string()) }),
  z.object({ kind: z.literal('folder'), name: z.string() }),
  z.object({ kind: z.literal('package'), name: z.string(), version: z.string() }),
]);
const StoredFile = z.object({
  path: z.string(),
  /** Final size. */
  bytes: count,
  /** The source's hash if it gives one, else null until it is computed. */
  sha256: z.nullable(z.string().check(z.regex(/^[0-9a-f]{64}$/))),
  /** Git's hash of the content, which the Hub gives for files that are not in LFS: sha-1 of `blob BYTES\0` and the bytes. */
  gitSha1: z.optional(z.string().check(z.regex(/^[0-9a-f]{40}$/))),
  /** The server's strong ETag for the fetched bytes: the remaining bytes must come from the same file. */
  etag: z.optional(z.string()),
  /** All bytes were stored, read back, and had the expected hash. */
  checked: z.optional(z.boolean()),
  /** Ranges of bytes that the lab never reads: they are stored as zeros and not fetched. */
  holes: z.optional(listOf(z.tuple([count, count]), 10_000)),
  /** Sha-256 of the file without its holes, computed after the download; the source has no such hash. */
  sha256WithoutHoles: z.optional(z.string().check(z.regex(/^[0-9a-f]{64}$/))),
});
export type StoredFile = z.infer<typeof StoredFile>;

const Record = z.object({
  /** Safe as a folder's name and unique in the store; a run's `spec.model` is this id. */
  id: z.string(),
  origin: Origin,
  files: listOf(StoredFile, 100_000),
  /** Whether every file is stored and checked. The download of an incomplete model can be resumed. */
  complete: z.boolean(),
  /** Milliseconds since the epoch. */
  createdAt: z.number(),
});
/** Record of a stored model, complete or not. */
export interface StoredModel extends Omit<z.infer<typeof Record>, 'files'> {
  files: readonly StoredFile[];
}

/** A file that is being written; bytes are appended, and survive a crash. */
export interface PartialFile {
  /** Bytes written so far. */
  size(): Promise<number>;
  /** Throws StorageError if there is no room; the earlier bytes stay. */
  append(bytes: Uint8Array): Promise<void>;
  /** Deletes all bytes, because they were wrong. */
  clear(): Promise<void>;
  /** The written bytes, read lazily. */
  read(): Promise<FileLike>;
  close(): Promise<void>;
}

export interface ModelStore {
  /** Complete and incomplete models, the oldest first. Other contents of the folder are ignored. */
  list(): Promise<StoredModel[]>;
  /** Null if there is no such model. */
  get(id: string): Promise<StoredModel | null>;
  /** Writes the record, before the files. */
  save(model: StoredModel): Promise<void>;
  /** Bytes of a stored file; 0 if there is none. */
  sizeOf(id: string, path: string): Promise<number>;
  /** A second writer of an open file is refused (StorageError). Nothing is created before the first append. */
  partial(id: string, path: string): Promise<PartialFile>;
  /** Files of a complete model, read lazily. Throws FormatError if the model is missing or incomplete. */
  source(id: string): Promise<FileSource>;
  /** Deletes the record and all files. */
  delete(id: string): Promise<void>;
  /** Number of bytes that may still be written; null if unknown. */
  room(): Promise<number | null>;
}

/** Name of the record beside a model's files. */
export const RECORD = 'lab-model.json';

/** Parses a record; null for a malformed one or another folder's, which is not touched. */
export function readRecord(text: string, id: string): StoredModel | null {
  try {
    const parsed = Record.safeParse(parseJsonText(text));
    return parsed.success ? { ...parsed.data, id } : null;
  } catch {
    return null;
  }
}

/** Source of a stored model, for display. */
export function originText(origin: StoredModel['origin']): string {
  if (origin.kind === 'hub') return `${origin.repo} at ${origin.revision}`;
  return origin.kind === 'folder' ? `the folder ${origin.name}` : `the package ${origin.name} ${origin.version}`;
}

/** Hashes of a complete model's files, from the source or computed after the download. */
export function sumsOf(model: StoredModel | null): ReadonlyMap<string, string> {
  const files = model?.complete ? model.files : [];
  return new Map(
    files.flatMap(({ path, sha256, sha256WithoutHoles: own }) => {
      if (own) return [[sumWithoutHoles(path), own] as const];
      return sha256 === null ? [] : [[path, sha256] as const];
    }),
  );
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

/** Folder names and file name of a path inside a model. Throws FormatError for a path that points outside, or to the record. */
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

/** The record of a complete model; throws the error of `source` if it is missing or incomplete. */
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

/** Number of bytes that must still be fetched. */
export async function missingBytes(
  store: ModelStore,
  { id, files }: { id: string; files: readonly StoredFile[] },
): Promise<number> {
  const kept = await store.get(id);
  let missing = 0;
  for (const file of files) {
    const known = kept?.files.find(({ path }) => path === file.path);
    if (!known || !sameContent(known, file)) {
      missing += usedBytes(file);
    } else if (!known.checked) {
      const there = await store.sizeOf(id, file.path);
      missing += Math.max(0, usedBytes(known) - usedBytes(known, there));
    }
  }
  return missing;
}

/** Opens a file for `work`, and closes it in any case. */
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

/** Number of bytes of a file, or of its first `upTo` bytes, that the lab reads. */
export const usedBytes = ({ bytes, holes }: Pick<StoredFile, 'bytes' | 'holes'>, upTo = bytes): number =>
  bytesOutside(holes, Math.min(upTo, bytes));

/** Whether two descriptions of a file can mean the same bytes: lengths, and hashes that both have, are equal. */
export function sameContent(a: StoredFile, b: StoredFile): boolean {
  const agree = (x: string | null | undefined, y: string | null | undefined) => !x || !y || x === y;
  return a.bytes === b.bytes && agree(a.sha256, b.sha256) && agree(a.gitSha1, b.gitSha1);
}
