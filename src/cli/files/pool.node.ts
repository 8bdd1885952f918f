// A teacher pool in a file: `.jsonl` or `.jsonl.gz`, and written also as a zip of one file per prompt.
import { readFile } from 'node:fs/promises';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { poolToJsonl } from '../../environments/code/pool.ts';
import { groupByProblem, type KeptPool } from '../../experiments/pools/stored.ts';
import type { PoolFormat } from '../../lab/protocol/pools.ts';
import { readPoolFiles } from '../../lab/records/pool-files.ts';
import { sha256 } from '../../storage/sources.ts';

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
  const lines = poolToJsonl(groupByProblem(await readPoolFiles([{ file: new Blob([bytes]), name: path }])));
  return { sha256: await sha256(new TextEncoder().encode(lines)), kept: { lines, graderVersion: null } };
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
