// A kept run's checkpoint from disk: by its path, or by its name in a folder of `run --out`.
import { readdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { deployed } from '../../algorithms/optimizer.ts';
import type { Checkpoint } from '../../experiments/records/checkpoint.ts';
import { fromRows } from '../../experiments/records/layout-1.ts';
import { loadState, type Warn, warnOnStderr } from './kept-state.node.ts';

export const isCheckpoint = (value: unknown): boolean => {
  const { schema, runId, step, optimizer, rows, sampler, returns } = (value ?? {}) as Partial<Checkpoint>;
  const hasMemory = ['undefined', 'string'].includes(typeof sampler) && typeof (returns ?? {}) === 'object';
  const isWhole = optimizer?.total instanceof Float32Array && Array.isArray(rows) && hasMemory;
  return schema === 1 && typeof runId === 'string' && Number.isInteger(step) && isWhole;
};

/** Null if there is none. Throws DamagedError where neither it nor the one before can be used. */
export const readCheckpoint = (
  path: string,
  warn: Warn = warnOnStderr,
  remedy = 'Begin anew with --fresh, or choose another folder with --out.',
): Promise<Checkpoint | null> =>
  loadState<Checkpoint>(path, isCheckpoint, { warn, remedy }).then((kept) => kept && fromRows(kept));

// Names of a command's own flags, for its errors.
/** For commands whose --run is the folder. */
export const RUN_WORDS = { folder: '--run', run: '--arm-seed', remedy: 'Name a folder of `run --out`.' };
/** For `pool` and `probe`. */
const FLAG_WORDS = { folder: '--from', run: '--run', remedy: 'Name base, templates or a folder of `run --out`.' };

/** The last checkpoint of a kept run; `wanted` may be null where the folder keeps only one. */
export async function checkpointOf(folder: string, wanted: string | null, words = FLAG_WORDS): Promise<Checkpoint> {
  const ending = '.checkpoint';
  const names = await readdir(resolve(folder)).catch((cause: unknown) => {
    throw new SpecError(`${words.folder} ${folder}: there is no such folder.`, words.remedy, { cause });
  });
  // A kill between two renames leaves the previous one alone for a moment.
  const kept = names.flatMap((name) => /^(.+)\.checkpoint(?:-previous)?$/.exec(name)?.[1] ?? []);
  const runs = [...new Set(kept)];
  const found = wanted ?? (runs.length === 1 ? runs[0] : null);
  if (found === null || !runs.includes(found))
    throw new SpecError(
      wanted === null ? `${folder} keeps ${runs.length} runs.` : `${folder} keeps no run ${JSON.stringify(wanted)}.`,
      runs.length === 0 ? 'Train one with `run --out`.' : `Choose with ${words.run}: ${runs.sort().join(', ')}.`,
    );
  return (await readCheckpoint(resolve(folder, found + ending)))!;
}

export function adapterParamsOf(
  { optimizer, runId }: Checkpoint,
  model: 'trained' | 'deployed',
  total: number,
): Float32Array {
  if (optimizer.total.length !== total)
    throw new SpecError(
      `The checkpoint of ${runId} has ${optimizer.total.length} adapter parameters, the model ${total}.`,
      'Use a run of this model.',
    );
  return model === 'trained' ? optimizer.total : deployed(optimizer);
}
