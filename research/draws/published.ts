// Rows of runs evaluated again, beside the published ones: a file for each headline, which the runs' keys find.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writeWhole } from '../../src/cli/ports.node.ts';
import type { RunRecord } from '../../src/experiments/records/events.ts';
import type { FinishedRun } from '../../src/experiments/runs/finished.ts';
import { resultsFolder } from '../judge/folder.ts';
import { PACKED_RUNS, packRunsWithCommits, unpackRuns } from '../judge/pack.ts';
import { type Again, byPlainKey } from './rows.ts';

/** Path below public/results. @param id of a source (sources.ts) */
export const drawsName = (id: string): string => `draws/${id.toLowerCase()}${PACKED_RUNS}`;

export async function publishDraws(root: string, id: string, runs: readonly FinishedRun[]): Promise<void> {
  const path = join(resultsFolder(root), drawsName(id));
  await mkdir(dirname(path), { recursive: true });
  await writeWhole(path, packRunsWithCommits(runs));
}

/** All of them, by the key that a run has with one draw. */
export function publishedAgain(root: string): Again {
  const folder = join(resultsFolder(root), 'draws');
  const files = existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => name.endsWith(PACKED_RUNS))
        .sort()
    : [];
  const runs = files.flatMap((name) => unpackRuns(readFileSync(join(folder, name)), `draws/${name}`));
  return byPlainKey(runs.map(({ record }) => record));
}

/** By key; empty where none is published. */
export function publishedDraws(root: string, id: string): ReadonlyMap<string, RunRecord> {
  const path = join(resultsFolder(root), drawsName(id));
  const runs = existsSync(path) ? unpackRuns(readFileSync(path), drawsName(id)) : [];
  return new Map(runs.map(({ key, record }) => [key, record] as const));
}
