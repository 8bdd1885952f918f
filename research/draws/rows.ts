// Published rows with the evaluations of repeated runs: those of one draw, or their mean.

import type { EvalRow, RunRecord } from '../../src/experiments/records/events.ts';
import { overDraws } from '../../src/experiments/records/metrics.ts';
import { runKey } from '../../src/experiments/runs/key.ts';
import type { HeadlineRows } from '../judge/types.ts';
import { repeatSpec } from './again.ts';

/** Repeated runs, by the key of the same run with one draw. */
export type Again = ReadonlyMap<string, RunRecord>;

const plainKey = ({ spec }: RunRecord): string => runKey(repeatSpec(spec, 1));

export const byPlainKey = (runs: Iterable<RunRecord>): Again =>
  new Map([...runs].map((record) => [plainKey(record), record] as const));

/** Rows of further sampled chains, by the published file that they continue. */
export type MoreLines = ReadonlyMap<string, readonly Sampled[]>;

interface Sampled {
  sampling: number;
  way: string;
}

/** Everything that was evaluated with further draws of random numbers. */
export interface Redrawn {
  again: Again;
  more: MoreLines;
}

/** The rows of each draw, and the rows with all draws. */
export interface Draws {
  byDraw: readonly HeadlineRows[];
  whole: HeadlineRows;
}

/** The least number of draws among the runs. */
export const drawsOf = (again: Again): number =>
  Math.min(...[...again.values()].map(({ spec }) => spec.evaluationSeeds));

/** A run with the evaluations of one draw; null for the mean of all. */
function withDraw(published: RunRecord, again: RunRecord | undefined, draw: number | null): RunRecord {
  const evals = published.evals.map((row): EvalRow => {
    const own = again?.evals.find(({ kind, model }) => row.kind === 'final' && kind === 'final' && model === row.model);
    if (!own) return row;
    if (draw === null) return overDraws(own);
    if (draw === 0) return row;
    const { all, splits } = own.draws![draw - 1];
    // Measures independent of the sampling seed are equal in every draw, so only the first draw stores them.
    return { ...row, all: { ...all, figures: { ...row.all.figures, ...all.figures } }, splits };
  });
  return { ...published, evals };
}

export const isAgain = (record: RunRecord, again: Again): boolean => again.has(plainKey(record));

/** Whether that model of the run was evaluated again. */
export const hasDraws = (record: RunRecord, again: Again, model: string): boolean =>
  again.get(plainKey(record))?.evals.some((row) => row.kind === 'final' && row.model === model) ?? false;

/** A published run with the evaluations of one draw, or their mean, if it was repeated. */
export const runOfDraw = (record: RunRecord, again: Again, draw: number | null): RunRecord =>
  withDraw(record, again.get(plainKey(record)), draw);

/** The published rows, in which repeated runs have the evaluations of one draw, or their mean. */
function rowsOfDraw(rows: HeadlineRows, again: Again, draw: number | null): HeadlineRows {
  const of = (record: RunRecord) => runOfDraw(record, again, draw);
  return {
    has: rows.has,
    lines: rows.lines,
    runs: (file) => rows.runs(file).map(of),
    study: (file) => new Map([...rows.study(file)].map(([key, record]) => [key, of(record)] as const)),
  };
}

/** The first draw contains the published evaluations. */
export const drawsOfRuns = (rows: HeadlineRows, again: Again): Draws => ({
  byDraw: Array.from({ length: drawsOf(again) }, (_, draw) => rowsOfDraw(rows, again, draw)),
  whole: rowsOfDraw(rows, again, null),
});

/** A draw is a sampling seed of the chains. Null if `read` uses no further sampled rows. */
export function drawsOfLines(read: (rows: HeadlineRows) => unknown, rows: HeadlineRows, more: MoreLines): Draws | null {
  const filesRead = new Set<string>();
  const all: HeadlineRows = {
    ...rows,
    lines<T>(file: string) {
      filesRead.add(file);
      return [...rows.lines<T>(file), ...((more.get(file) ?? []) as T[])];
    },
  };
  read(all);
  const files = [...filesRead].filter((file) => more.has(file));
  const sampled = files.flatMap((file) => all.lines<Sampled>(file)).filter(({ way }) => way === 'sampled');
  const samplings = [...new Set(sampled.map(({ sampling }) => sampling))].sort((a, b) => a - b);
  const ofSampling = (sampling: number): HeadlineRows => ({
    ...all,
    lines: <T>(file: string) => all.lines<T>(file).filter((row) => (row as Partial<Sampled>).sampling === sampling),
  });
  return files.length === 0 ? null : { byDraw: samplings.map(ofSampling), whole: all };
}

/** Null if the rows that `read` uses were not all repeated. */
export const drawsOfRead = (
  read: (rows: HeadlineRows) => unknown,
  rows: HeadlineRows,
  { again, more }: Redrawn,
): Draws | null => drawsOfLines(read, rows, more) ?? (areAllAgain(read, rows, again) ? drawsOfRuns(rows, again) : null);

/** Only the repeated runs, as published. */
export function rowsAgain(rows: HeadlineRows, again: Again): HeadlineRows {
  const isOwn = (record: RunRecord) => isAgain(record, again);
  return {
    has: rows.has,
    lines: rows.lines,
    runs: (file) => rows.runs(file).filter(isOwn),
    study: (file) => new Map([...rows.study(file)].filter(([, record]) => isOwn(record))),
  };
}

/**
 * Whether `read` uses runs, all of them from files in which every run was repeated: otherwise a mean over seeds would mix runs with one and
 * with many draws.
 */
function areAllAgain(read: (rows: HeadlineRows) => unknown, rows: HeadlineRows, again: Again): boolean {
  if (again.size === 0) return false;
  const files: string[] = [];
  read({
    ...rows,
    runs(file) {
      files.push(file);
      return rows.runs(file);
    },
  });
  return files.length > 0 && files.every((file) => rows.runs(file).every((record) => isAgain(record, again)));
}
