// `study --again`: trains published runs once more with the current grader and compares them with the published rows. Anything that could
// change a verdict (a grader's limits, a faster kernel, another machine) shows here as a differing row.
import { isDeepStrictEqual } from 'node:util';
import type { EvalRow, StepRow } from '../../../src/experiments/records/events.ts';
import type { FinishedRun } from '../../../src/experiments/runs/finished.ts';

interface RepeatReport {
  /** Published runs that were trained again. */
  runs: number;
  /** Keys of runs in which a step, or an evaluation that both have, differs. */
  differing: string[];
  /** Compared steps and evaluations; their student rollouts, and how many of those could not be judged. */
  rows: number;
  evals: number;
  rollouts: number;
  unjudged: number;
}

/** The quarantines of a run depend on the questions asked, so the comparison of steps ignores them; their evaluations are compared. */
const ownOf = (rows: readonly StepRow[]) => rows.map((row) => ({ ...row, shadowCin: null, shadowNorms: null }));

export function compareWithPublished(
  published: ReadonlyMap<string, FinishedRun>,
  made: ReadonlyMap<string, FinishedRun>,
): RepeatReport {
  const found: RepeatReport = { runs: 0, differing: [], rows: 0, evals: 0, rollouts: 0, unjudged: 0 };
  for (const [key, own] of made) {
    const kept = published.get(key);
    if (!kept) continue;
    const same = (a: EvalRow, b: EvalRow) => a.model === b.model && a.step === b.step && a.kind === b.kind;
    const pairs = own.record.evals.flatMap((row) => {
      const publishedRow = kept.record.evals.find((other) => same(other, row));
      return publishedRow ? [[row, publishedRow] as const] : [];
    });
    const isEqual =
      isDeepStrictEqual(ownOf(own.record.rows), ownOf(kept.record.rows)) &&
      pairs.every(([row, publishedRow]) => isDeepStrictEqual(row, publishedRow));
    if (!isEqual) found.differing.push(key);
    found.runs += 1;
    found.rows += own.record.rows.length;
    found.evals += pairs.length;
    for (const rates of [...own.record.rows.map(({ student }) => student), ...pairs.map(([{ all }]) => all)]) {
      found.rollouts += rates.n;
      found.unjudged += rates.unjudged ?? 0;
    }
  }
  return found;
}

export function repeatText({ runs, differing, rows, evals, rollouts, unjudged }: RepeatReport): string {
  return [
    `${runs - differing.length} of ${runs} runs are what is published, to the last digit (${rows} steps, ${evals} evaluations, ${rollouts} student rollouts; unjudged: ${unjudged}).`,
    ...differing.map((key) => `differs: ${key}`),
  ].join('\n');
}
