// A teacher pool in a file: `.jsonl` or `.jsonl.gz`, and written also as a zip of one file per prompt.
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { FormatError, SpecError } from '@projected-grpo-lab/base/errors.ts';
import { type PoolRow, poolToJsonl } from '../../environments/code/pool.ts';
import { groupByProblem, type KeptPool } from '../../experiments/records/pool.ts';
import type { PoolFormat } from '../../lab/protocol/pools.ts';
import { readPoolFiles, writePool } from '../../lab/records/pool-files.ts';
import { readOrNull } from '../../storage/disk.node.ts';
import { sha256 } from '../../storage/sources.ts';
import { writeNew } from './new-file.node.ts';
import { sumOf } from './summed-text.node.ts';

export interface PoolOfFile {
  sha256: string;
  kept: KeptPool;
}

/** With the hash that a run's spec names it by. Throws SpecError where there is no such file, FormatError for a bad one. */
export async function readPoolFile(path: string): Promise<PoolOfFile> {
  let bytes: Buffer<ArrayBuffer>;
  try {
    bytes = (await readFile(path)) as Buffer<ArrayBuffer>;
  } catch (cause) {
    throw new SpecError(`--teacher-pool ${path}: the file cannot be read.`, 'Name a .jsonl or .jsonl.gz file.', {
      cause,
    });
  }
  await checkSum(path, bytes);
  const lines = poolToJsonl(groupByProblem(await readPoolFiles([{ file: new Blob([bytes]), name: path }])));
  return { sha256: await sha256(new TextEncoder().encode(lines)), kept: { lines, graderVersion: null } };
}

/** Of lines alone: the packed forms have sums of their own. Throws SpecError where there is another file. */
export async function writePoolFile(path: string, flag: string, rows: readonly PoolRow[], format: PoolFormat) {
  const bytes = new Uint8Array(await writePool(rows, format).arrayBuffer());
  if (format === 'jsonl') await writeNew(sumOf(path), flag, `${await sha256(bytes)}  ${basename(path)}\n`);
  await writeNew(path, flag, bytes);
}

async function checkSum(path: string, bytes: Uint8Array): Promise<void> {
  const sum = await readOrNull(sumOf(path));
  if (sum === null || sum.toString('latin1').slice(0, 64) === (await sha256(bytes))) return;
  throw new FormatError(
    `${path} is damaged, or was changed: its sha-256 is not that of ${basename(sumOf(path))}.`,
    `Have it made again; where you changed it yourself, delete ${basename(sumOf(path))}.`,
  );
}

/** By the file's name. Throws SpecError for another ending. */
export function poolFormatOf(path: string): PoolFormat {
  const formats: readonly PoolFormat[] = ['jsonl.gz', 'jsonl', 'zip'];
  const found = formats.find((format) => path.endsWith(`.${format}`));
  if (found) return found;
  throw new SpecError(
    `--out ${path} has no known ending.`,
    'End it with .jsonl, .jsonl.gz or .zip (one file per prompt).',
  );
}
