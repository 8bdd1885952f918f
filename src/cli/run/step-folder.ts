// Kept optimizer steps on disk: one folder a run, one file a step, each written whole, so that a kill leaves no half-written file, and
// sealed with its sha-256.
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { serialize } from 'node:v8';
import { namesIn, writeWhole } from '@projected-grpo-lab/base/files/disk.node.ts';
import { seal } from '@projected-grpo-lab/base/files/sealed.ts';
import { inOrder, type StepStore } from '../../experiments/records/steps.ts';
import { readState } from '../files/kept-state.node.ts';

/** `folderOf` names the folder of a run's steps; it is made when the first one is kept. */
export function stepFolder(folderOf: (runId: string) => string): StepStore {
  const fileOf = (runId: string, step: number) => join(folderOf(runId), String(step).padStart(6, '0'));
  return {
    append: async (runId, step, delta) => writeWhole(fileOf(runId, step), await seal(serialize([...delta]))),
    async truncate(runId, step) {
      for (const kept of await stepsIn(folderOf(runId)))
        if (kept > step) await rm(fileOf(runId, kept), { force: true });
    },
    async load(runId) {
      const steps = await stepsIn(folderOf(runId));
      return inOrder(await Promise.all(steps.map(async (step) => [step, await read(fileOf(runId, step))] as const)));
    },
  };
}

const stepsIn = async (folder: string): Promise<number[]> =>
  (await namesIn(folder)).filter((name) => /^\d+$/.test(name)).map(Number);

export const isDelta = (value: unknown) => Array.isArray(value) && value.every((part) => part instanceof Float32Array);

const read = async (path: string): Promise<Float32Array[]> =>
  readState(await readFile(path), isDelta, path, 'Delete it and train the run again, or begin anew with --fresh.');
