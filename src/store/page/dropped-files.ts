// Sends files that were dropped on the page to the readers that they are for: by their first bytes, and by their fields where they are JSON. A
// name decides only between kinds that bytes cannot tell apart. Loaded with the first drop.

import { fileKind, HEAD_BYTES, type KnownFile } from '../../lib/file-kind.ts';
import { type Held, heldBy, type Reader } from './dropped-text.ts';

/** What a reader of its own kind each does with a file; failures are told by the reader. */
export interface Readers
  extends Record<Exclude<Reader, 'pool' | 'scenario'> | 'archive' | 'basis', (file: File) => Promise<unknown>> {
  /** One pool may come in several files. */
  pool(files: readonly File[]): Promise<unknown>;
  refuse(message: string, remedy: string): void;
}

/** A file and the reader that has it now. A scenario is returned unread, because its reader is a view's own. */
export interface Sent {
  reader: Reader | 'archive' | 'basis';
  file: File;
}

const READ_HERE =
  'The lab reads a basis (.safetensors), an exported run or probe (.zip), a teacher pool or problems with checks (.jsonl), labelled pairs (.json), a data set (.parquet, .jsonl, .json), a sweep or an agents’ scenario (.json), a log of Inspect (.eval, .json), and the folder of a model or an adapter.';

/** Throws nothing: what cannot be read (a folder, a missing file) is of unknown kind. */
async function kindOf(file: File): Promise<KnownFile> {
  const head = await file
    .slice(0, HEAD_BYTES)
    .arrayBuffer()
    .catch(() => null);
  return head ? fileKind(new Uint8Array(head)) : { kind: 'unknown', name: 'a file that cannot be read' };
}

async function heldIn(file: File): Promise<Sent | Extract<Held, { reader: null }>> {
  const { kind, name } = await kindOf(file);
  if (kind === 'zip') return { reader: 'archive', file };
  if (kind === 'log' || kind === 'table') return { reader: kind, file };
  // A damaged file has no known first bytes: its reader says what is wrong with it.
  if (kind === 'safetensors' || (kind === 'unknown' && /\.safetensors$/i.test(file.name)))
    return { reader: 'basis', file };
  return kind === 'json' || kind === 'jsonl' || kind === 'gzip' ? heldBy(file, kind) : { reader: null, name };
}

export async function sendDropped(files: readonly File[], readers: Readers): Promise<Sent[]> {
  const held = await Promise.all(files.map(async (file) => ({ name: file.name, held: await heldIn(file) })));
  const sent = held.flatMap(({ held }) => (held.reader === null ? [] : [held]));
  const pool = sent.filter(({ reader }) => reader === 'pool').map(({ file }) => file);
  if (pool.length > 0) await readers.pool(pool);
  for (const { name, held: one } of held)
    if (one.reader === null) readers.refuse(`${name} was not imported: this is ${one.name}.`, one.remedy ?? READ_HERE);
    else if (one.reader !== 'pool' && one.reader !== 'scenario') await readers[one.reader](one.file);
  return sent;
}
