// Sends files that were dropped on the page to their readers: by their first bytes, and by their fields if they are JSON. The name decides
// only between kinds with the same bytes. Loaded with the first drop.

import { fileKind, HEAD_BYTES, type KnownFile } from '../../lib/file-kind.ts';
import { type Held, heldBy, type Reader } from './dropped-text.ts';

/** How the reader of each kind handles a file. The reader reports failures. */
export interface Readers
  extends Record<Exclude<Reader, 'pool' | 'scenario'> | 'archive' | 'basis', (file: File) => Promise<unknown>> {
  /** One pool may consist of several files. */
  pool(files: readonly File[]): Promise<unknown>;
  refuse(message: string, remedy: string): void;
}

/** A file and the reader that receives it. A scenario is returned unread, because a view has its reader. */
export interface Sent {
  reader: Reader | 'archive' | 'basis';
  file: File;
}

const READ_HERE =
  'The lab reads a basis (.safetensors), an exported run or probe (.zip), a teacher pool or problems with checks (.jsonl), labelled pairs (.json), a data set (.parquet, .jsonl, .json), a sweep or an agents’ scenario (.json), a log of Inspect (.eval, .json), and the folder of a model or an adapter.';

/** Never throws: something that cannot be read (a folder, a missing file) has the kind "unknown". */
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
  // A damaged file has unknown first bytes. Its reader reports the damage.
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
