// Teacher pools as files: JSON lines in and out, plain or in gzip, whole or one file per prompt. Stored labels are kept: they were frozen
// when the pool was graded.

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { setOwn } from '@projected-grpo-lab/base/own.ts';
import { zipSync } from 'fflate';
import { POOL_REMEDY, type PoolRow, poolFromJsonl, poolToJsonl } from '../../environments/code/pool.ts';
import { groupedBy } from '../../lib/grouped.ts';
import { gunzip } from '../../lib/gunzip.ts';
import { gzipText } from '../../lib/inflate.ts';
import { isGzip, readUpTo } from '../../lib/streams.ts';
import type { PoolFormat } from '../protocol/protocol.ts';

const MAX_POOL_BYTES = 64 * 2 ** 20;

/** Throws FormatError, naming file and line. */
export async function readPoolFiles(files: readonly { file: Blob; name: string }[]): Promise<PoolRow[]> {
  const rows: PoolRow[] = [];
  let bytes = 0;
  for (const { file, name } of files) {
    const { text, length } = await textOf(file, name, MAX_POOL_BYTES - bytes);
    bytes += length;
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

/** The file's text, and its length in bytes. */
async function textOf(file: Blob, name: string, most: number): Promise<{ text: string; length: number }> {
  const isZipped = isGzip(new Uint8Array(await file.slice(0, 2).arrayBuffer()));
  try {
    const packed = await readUpTo(file.stream(), most);
    const bytes = isZipped ? gunzip(packed, most) : packed;
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), length: bytes.length };
  } catch (cause) {
    if (cause instanceof RangeError)
      throw new FormatError(`${name} holds more than ${MAX_POOL_BYTES} bytes of text.`, 'Split the pool.', { cause });
    throw new FormatError(
      `${name} cannot be read as ${isZipped ? 'gzip' : 'text'} (${cause instanceof Error ? cause.message : String(cause)}).`,
      'Get the file again from its source.',
      { cause },
    );
  }
}

export function writePool(rows: readonly PoolRow[], format: PoolFormat): Blob {
  if (format === 'jsonl') return new Blob([poolToJsonl(rows)], { type: 'application/jsonl' });
  if (format === 'jsonl.gz') return new Blob([gzipText(poolToJsonl(rows))]);
  const byProblem = groupedBy(rows, ({ problem_id }) => problem_id);
  const files: Record<string, Uint8Array> = {};
  for (const [i, [problem, own]] of [...byProblem].entries()) {
    // Numbers distinguish two ids that differ only in a forbidden character.
    const name = `${String(i + 1).padStart(4, '0')}-${problem.replace(/[^\w.,@()+-]/g, '_').slice(0, 80)}.jsonl.gz`;
    setOwn(files, name, gzipText(poolToJsonl(own)));
  }
  const zip = zipSync(files, { level: 0, mtime: '1980-01-02T00:00:00' });
  return new Blob([zip as Uint8Array<ArrayBuffer>], { type: 'application/zip' });
}
