// A teacher pool in a file: `.jsonl` or `.jsonl.gz`, and written also as a zip of one file per prompt. Other tools read the lines as plain
// text, so that their sha-256 is in a file beside them, as sha256sum writes it; the packed forms have checksums of their own.
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { FormatError, SpecError } from '@projected-grpo-lab/base/errors.ts';
import { readOrNull, writeWhole } from '@projected-grpo-lab/base/files/disk.node.ts';
import { writeNew } from '@projected-grpo-lab/base/files/new-file.node.ts';
import { type PoolRow, poolToJsonl } from '../../environments/code/pool.ts';
import { groupByProblem, type KeptPool } from '../../experiments/records/pool.ts';
import type { PoolFormat } from '../../lab/protocol/pools.ts';
import { readPoolFiles, writePool } from '../../lab/records/pool-files.ts';
import { sha256 } from '../../storage/sources.ts';
import type { Warn } from './kept-state.node.ts';

export interface PoolOfFile {
  sha256: string;
  kept: KeptPool;
}

/** The pool with the hash by which a run's spec names it. Throws SpecError for a missing file, FormatError for a bad one. */
export async function readPoolFile(path: string): Promise<PoolOfFile> {
  let bytes: Buffer<ArrayBuffer>;
  try {
    bytes = (await readFile(path)) as Buffer<ArrayBuffer>;
  } catch (cause) {
    throw new SpecError(`--teacher-pool ${path}: the file cannot be read.`, 'Name a .jsonl or .jsonl.gz file.', {
      cause,
    });
  }
  if (!(await isAsSummed(path, bytes)))
    throw new FormatError(
      `${path} is damaged, or was changed: its sha-256 is not that of ${basename(sumOf(path))}.`,
      `Have it made again; where you changed it yourself, delete ${basename(sumOf(path))}.`,
    );
  const lines = poolToJsonl(groupByProblem(await readPoolFiles([{ file: new Blob([bytes]), name: path }])));
  return { sha256: await sha256(new TextEncoder().encode(lines)), kept: { lines, graderVersion: null } };
}

/** Throws SpecError where the file exists already with other contents. */
export async function writePoolFile(path: string, flag: string, rows: readonly PoolRow[], format: PoolFormat) {
  const bytes = new Uint8Array(await writePool(rows, format).arrayBuffer());
  if (format === 'jsonl') await writeNew(sumOf(path), flag, await sumText(path, bytes));
  await writeNew(path, flag, bytes);
}

/** Saves lines for the lab's own use. */
export async function saveLines(path: string, lines: string): Promise<void> {
  // The sum is written first: the same text always has the same, and a text without its sum would go unchecked.
  await writeWhole(sumOf(path), await sumText(path, new TextEncoder().encode(lines)));
  await writeWhole(path, lines);
}

/** Null if there are none, or where they are damaged: they are made again. */
export async function loadLines(path: string, warn: Warn): Promise<string | null> {
  const bytes = await readOrNull(path);
  if (bytes === null) return null;
  if (await isAsSummed(path, bytes)) return bytes.toString('utf8');
  warn(`${path} is damaged: its sha-256 is not that of ${basename(sumOf(path))}. It is made again.`);
  return null;
}

export const sumOf = (path: string): string => `${path}.sha256`;

const sumText = async (path: string, bytes: Uint8Array) => `${await sha256(bytes)}  ${basename(path)}\n`;

/** True also without a checksum file. */
async function isAsSummed(path: string, bytes: Uint8Array): Promise<boolean> {
  const sum = await readOrNull(sumOf(path));
  return sum === null || sum.toString('latin1').slice(0, 64) === (await sha256(bytes));
}

/** The format by the file's name. Throws SpecError for another ending. */
export function poolFormatOf(path: string): PoolFormat {
  const formats: readonly PoolFormat[] = ['jsonl.gz', 'jsonl', 'zip'];
  const found = formats.find((format) => path.endsWith(`.${format}`));
  if (found) return found;
  throw new SpecError(
    `--out ${path} has no known ending.`,
    'End it with .jsonl, .jsonl.gz or .zip (one file per prompt).',
  );
}
