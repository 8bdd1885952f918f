// Finished runs in a file: the output of `run --json`, or a published file of either format (JSON with `runs`, or packed column by column).
import { readFile } from 'node:fs/promises';
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { jsonOrNull, readInput } from '../../src/cli/grade/lines.ts';
import type { RunRecord } from '../../src/experiments/records/events.ts';
import type { FinishedRun } from '../../src/experiments/runs/finished.ts';
import { runKey } from '../../src/experiments/runs/key.ts';
import { PACKED_RUNS, unpackRuns } from './pack.ts';

/** Checks only the fields used for judging. Throws FormatError. */
export const readRuns = async (path: string): Promise<RunRecord[]> => (await resultIn(path)).runs;

/** Runs with their keys, and with their commit if the file names it. Throws FormatError. */
export async function readStudyRuns(path: string): Promise<FinishedRun[]> {
  if (path.endsWith(PACKED_RUNS)) return unpackRuns(await readFile(path), path);
  const { runs, commit } = await resultIn(path);
  const made = typeof commit === 'string' ? { commit } : {};
  return runs.map((record) => ({ key: runKey(record.spec), record, rerouted: [], ...made }));
}

interface Result {
  runs: RunRecord[];
  commit?: unknown;
}

async function resultIn(path: string): Promise<Result> {
  const found = jsonOrNull(await readInput(path)) as Partial<Result> | null;
  const runs = found?.runs;
  if (Array.isArray(runs) && runs.every((run) => run?.spec && run.rows && run.evals))
    return { runs, commit: found?.commit };
  throw new FormatError(`${path} has no runs.`, 'Give what `run --json` prints.');
}
