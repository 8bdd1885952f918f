// Published rows with the evaluations of runs that were evaluated again: those of one draw, or their mean.

import type { EvalRow, RunRecord } from '../../src/experiments/records/events.ts';
import { overDraws } from '../../src/experiments/records/metrics.ts';
import { runKey } from '../../src/experiments/runs/key.ts';
import type { HeadlineRows } from '../judge/types.ts';
import { repeatSpec } from './again.ts';

/** Runs that were evaluated again, by the key that they have with one draw. */
export type Again = ReadonlyMap<string, RunRecord>;

const plainKey = ({ spec }: RunRecord): string => runKey(repeatSpec(spec, 1));

export const byPlainKey = (runs: Iterable<RunRecord>): Again =>
  new Map([...runs].map((record) => [plainKey(record), record] as const));

/** Rows of chains that were sampled further, by the published file whose rows they continue. */
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

/** Rows once for each draw, and with all of them. */
export interface Draws {
  byDraw: readonly HeadlineRows[];
  whole: HeadlineRows;
}

/** Number of draws that each of the runs has at least. */
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
    // Measures that do not depend on the evaluation's random numbers are equal in every draw, so only the first draw keeps them.
    return { ...row, all: { ...all, figures: { ...row.all.figures, ...all.figures } }, splits };
  });
  return { ...published, evals };
}

export const isAgain = (record: RunRecord, again: Again): boolean => again.has(plainKey(record));

/** Whether that model of the run was evaluated again. */
export const hasDraws = (record: RunRecord, again: Again, model: string): boolean =>
  again.get(plainKey(record))?.evals.some((row) => row.kind === 'final' && row.model === model) ?? false;

/** A published run with the evaluations of one of its draws, or their mean, where it was evaluated again. */
export const runOfDraw = (record: RunRecord, again: Again, draw: number | null): RunRecord =>
  withDraw(record, again.get(plainKey(record)), draw);

/** The published rows with the evaluations of one draw, or their mean, in the runs that were evaluated again. */
function rowsOfDraw(rows: HeadlineRows, again: Again, draw: number | null): HeadlineRows {
  const of = (record: RunRecord) => runOfDraw(record, again, draw);
  return {
    has: rows.has,
    lines: rows.lines,
    runs: (file) => rows.runs(file).map(of),
    study: (file) => new Map([...rows.study(file)].map(([key, record]) => [key, of(record)] as const)),
  };
}

/** The first draw has the published evaluations. */
export const drawsOfRuns = (rows: HeadlineRows, again: Again): Draws => ({
  byDraw: Array.from({ length: drawsOf(again) }, (_, draw) => rowsOfDraw(rows, again, draw)),
  whole: rowsOfDraw(rows, again, null),
});

/** A draw is a sampling seed of the chains. Null where `read` takes no rows that were sampled further. */
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

/** Null where what `read` takes was not evaluated again as a whole. */
export const drawsOfRead = (
  read: (rows: HeadlineRows) => unknown,
  rows: HeadlineRows,
  { again, more }: Redrawn,
): Draws | null => drawsOfLines(read, rows, more) ?? (areAllAgain(read, rows, again) ? drawsOfRuns(rows, again) : null);

/** Only the runs that were evaluated again, as they are published. */
export function rowsAgain(rows: HeadlineRows, again: Again): HeadlineRows {
  const isOwn = (record: RunRecord) => isAgain(record, again);
  return {
    has: rows.has,
    lines: rows.lines,
    runs: (file) => rows.runs(file).filter(isOwn),
    study: (file) => new Map([...rows.study(file)].filter(([, record]) => isOwn(record))),
  };
}

/** Whether `read` takes runs from the rows, all of them from files whose every run was evaluated again: with some of a file, a mean over seeds
 *  would mix one draw with many. */
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
