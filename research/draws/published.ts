// Rows of repeated runs, beside the published ones: one file for each headline, found by the runs' keys.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writeWhole } from '../../src/cli/ports.node.ts';
import type { RunRecord } from '../../src/experiments/records/events.ts';
import type { FinishedRun } from '../../src/experiments/runs/finished.ts';
import { resultsFolder } from '../judge/folder.ts';
import { PACKED_RUNS, packRunsWithCommits, unpackRuns } from '../judge/pack.ts';
import type { Rows } from '../judge/types.ts';
import { byPlainKey, type Redrawn } from './rows.ts';

/** Id of the arena's judged runs among the sources. */
export const ARENA_SOURCE = 'arena';

/** Path below public/results. @param id of a source (sources.ts) */
export const drawsName = (id: string): string => `draws/${id.toLowerCase()}${PACKED_RUNS}`;

export async function publishDraws(root: string, id: string, runs: readonly FinishedRun[]): Promise<void> {
  const path = join(resultsFolder(root), drawsName(id));
  await mkdir(dirname(path), { recursive: true });
  await writeWhole(path, packRunsWithCommits(runs));
}

/** Files of further sampled chains, by the published file that they continue. */
export const MORE_LINES: Readonly<Record<string, string>> = { 'exit/e1.jsonl.gz': 'draws/e1.jsonl.gz' };

/** Everything that was evaluated with further draws. */
export function publishedRedrawn(root: string, rows: Rows): Redrawn {
  const folder = join(resultsFolder(root), 'draws');
  const files = existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => name.endsWith(PACKED_RUNS))
        .sort()
    : [];
  const runs = files.flatMap((name) => unpackRuns(readFileSync(join(folder, name)), `draws/${name}`));
  const more = Object.entries(MORE_LINES).filter(([, own]) => rows.has(own));
  return {
    again: byPlainKey(runs.map(({ record }) => record)),
    more: new Map(more.map(([file, own]) => [file, rows.lines(own)] as const)),
  };
}

/** Repeated runs by key; empty if none is published. */
export function finishedDraws(root: string, id: string): ReadonlyMap<string, FinishedRun> {
  const path = join(resultsFolder(root), drawsName(id));
  const runs = existsSync(path) ? unpackRuns(readFileSync(path), drawsName(id)) : [];
  return new Map(runs.map((run) => [run.key, run] as const));
}

/** Repeated records by key; empty if none is published. */
export const publishedDraws = (root: string, id: string): ReadonlyMap<string, RunRecord> =>
  new Map([...finishedDraws(root, id)].map(([key, { record }]) => [key, record] as const));
