// Kept optimizer steps on disk: one folder a run, one file a step, each written whole, so that a kill leaves no half-written file, and
// sealed with its sha-256.
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { serialize } from 'node:v8';
import { namesIn, writeWhole } from '@projected-grpo-lab/base/files/disk.node.ts';
import { seal } from '@projected-grpo-lab/base/files/sealed.ts';
import { type StepStore, stepsIn } from '../../experiments/records/steps.ts';
import { readState } from '../files/kept-state.node.ts';

/** `folderOf` names the folder of a run's steps; it is made when the first one is kept. */
export function stepFolder(folderOf: (runId: string) => string): StepStore {
  const fileOf = (key: string) => {
    const at = key.lastIndexOf('/');
    return join(folderOf(key.slice(0, at)), String(Number(key.slice(at + 1))).padStart(6, '0'));
  };
  return stepsIn({
    get: async (key) => readState(await readFile(fileOf(key)), isDelta, fileOf(key), MADE_AGAIN),
    set: async (key, delta) => writeWhole(fileOf(key), await seal(serialize(delta))),
    delete: (key) => rm(fileOf(key), { force: true }),
    keys: async (prefix) =>
      (await namesIn(folderOf(prefix.slice(0, -1)))).filter((name) => /^\d+$/.test(name)).map((name) => prefix + name),
  });
}

const MADE_AGAIN = 'Delete it and train the run again, or begin anew with --fresh.';

export const isDelta = (value: unknown) => Array.isArray(value) && value.every((part) => part instanceof Float32Array);
