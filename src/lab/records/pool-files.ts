// Teacher pools as files: JSON lines in and out, plain or in gzip, whole or one file per prompt. Labels are read as they are:
// they were frozen when the pool was graded.

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { setOwn } from '@projected-grpo-lab/base/own.ts';
import { gzipSync, strToU8, zipSync } from 'fflate';
import { POOL_REMEDY, type PoolRow, poolFromJsonl, poolToJsonl } from '../../environments/code/pool.ts';
import type { PoolFormat } from '../protocol/protocol.ts';

const MAX_POOL_BYTES = 64 * 2 ** 20;

/** Throws FormatError, naming file and line. */
export async function readPoolFiles(files: readonly { file: Blob; name: string }[]): Promise<PoolRow[]> {
  const rows: PoolRow[] = [];
  let bytes = 0;
  for (const { file, name } of files) {
    const text = await textOf(file, name, MAX_POOL_BYTES - bytes);
    bytes += text.length;
    try {
      for (const row of poolFromJsonl(text)) rows.push(row);
    } catch (error) {
      if (error instanceof FormatError)
        throw new FormatError(`${name}: ${error.message}`, error.remedy, { cause: error });
      throw error;
    }
  }
  if (rows.length === 0) throw new FormatError(`${files[0]?.name ?? 'The file'} holds no pool rows.`, POOL_REMEDY);
  return rows;
}

async function textOf(file: Blob, name: string, limit: number): Promise<string> {
  const head = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  const isGzip = head[0] === 0x1f && head[1] === 0x8b;
  const stream = isGzip ? file.stream().pipeThrough(new DecompressionStream('gzip')) : file.stream();
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const reader = (stream as ReadableStream<Uint8Array>).getReader();
  let text = '';
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      text += decoder.decode(read.value, { stream: true });
      if (text.length > limit) {
        await reader.cancel();
        break;
      }
    }
    if (text.length <= limit) return text + decoder.decode();
  } catch (error) {
    throw new FormatError(
      `${name} cannot be read as ${isGzip ? 'gzip' : 'text'} (${error instanceof Error ? error.message : String(error)}).`,
      'Get the file again from its source.',
      { cause: error },
    );
  }
  throw new FormatError(`${name} holds more than ${MAX_POOL_BYTES} bytes of text.`, 'Split the pool.');
}

export function writePool(rows: readonly PoolRow[], format: PoolFormat): Blob {
  const options = { level: 9, mtime: 0 } as const;
  if (format === 'jsonl') return new Blob([poolToJsonl(rows)], { type: 'application/jsonl' });
  if (format === 'jsonl.gz')
    return new Blob([gzipSync(strToU8(poolToJsonl(rows)), options) as Uint8Array<ArrayBuffer>]);
  const byProblem = new Map<string, PoolRow[]>();
  for (const row of rows) {
    const own = byProblem.get(row.problem_id);
    if (own) own.push(row);
    else byProblem.set(row.problem_id, [row]);
  }
  const files: Record<string, Uint8Array> = {};
  for (const [i, [problem, own]] of [...byProblem].entries()) {
    // Numbered, so that two ids that differ in a forbidden character do not meet.
    const name = `${String(i + 1).padStart(4, '0')}-${problem.replace(/[^\w.,@()+-]/g, '_').slice(0, 80)}.jsonl.gz`;
    setOwn(files, name, gzipSync(strToU8(poolToJsonl(own)), options));
  }
  const zip = zipSync(files, { level: 0, mtime: '1980-01-02T00:00:00' });
  return new Blob([zip as Uint8Array<ArrayBuffer>], { type: 'application/zip' });
}
