// Kept optimizer steps on disk: one folder a run, one file a step, each written whole, so that a kill leaves no half of one.
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { inOrder, type StepStore } from '../experiments/steps.ts';
import { FormatError } from '../lib/errors.ts';
import { writeWhole } from './ports.node.ts';

/** `folderOf` names the folder of a run's steps; it is made when the first one is kept. */
export function stepFolder(folderOf: (runId: string) => string): StepStore {
  const fileOf = (runId: string, step: number) => join(folderOf(runId), String(step).padStart(6, '0'));
  return {
    append: (runId, step, delta) => writeWhole(fileOf(runId, step), serialize([...delta])),
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

async function stepsIn(folder: string): Promise<number[]> {
  try {
    return (await readdir(folder)).filter((name) => /^\d+$/.test(name)).map(Number);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

async function read(path: string): Promise<Float32Array[]> {
  const bytes = await readFile(path);
  try {
    return deserialize(bytes) as Float32Array[];
  } catch {
    throw new FormatError(`${path} is damaged.`, 'Delete it and train the run again, or begin anew with --fresh.');
  }
}
