// `study --again`: published runs trained once more, by the grader as it is now, and held against what is published. A grader's
// limits, a faster kernel, another machine: whatever could have moved a verdict shows here as a row that differs.
import { isDeepStrictEqual } from 'node:util';
import type { EvalRow, StepRow } from '../../../src/experiments/records/events.ts';
import type { FinishedRun } from '../../../src/experiments/runs/finished.ts';

interface Again {
  /** Runs that were published and made once more. */
  runs: number;
  /** Keys of those of which a step, or an evaluation that both have, differs. */
  differing: string[];
  /** Steps and evaluations compared; student rollouts behind them, and how many of those nobody could judge. */
  rows: number;
  evals: number;
  rollouts: number;
  unjudged: number;
}

/** Which quarantines rode along was another question's matter: what they were is compared by their evaluations. */
const ownOf = (rows: readonly StepRow[]) => rows.map((row) => ({ ...row, shadowCin: null, shadowNorms: null }));

export function heldAgainst(
  published: ReadonlyMap<string, FinishedRun>,
  made: ReadonlyMap<string, FinishedRun>,
): Again {
  const found: Again = { runs: 0, differing: [], rows: 0, evals: 0, rollouts: 0, unjudged: 0 };
  for (const [key, own] of made) {
    const kept = published.get(key);
    if (!kept) continue;
    const same = (a: EvalRow, b: EvalRow) => a.model === b.model && a.step === b.step && a.kind === b.kind;
    const pairs = own.record.evals.flatMap((row) => {
      const twin = kept.record.evals.find((other) => same(other, row));
      return twin ? [[row, twin] as const] : [];
    });
    const isEqual =
      isDeepStrictEqual(ownOf(own.record.rows), ownOf(kept.record.rows)) &&
      pairs.every(([row, twin]) => isDeepStrictEqual(row, twin));
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

export function againText({ runs, differing, rows, evals, rollouts, unjudged }: Again): string {
  return [
    `${runs - differing.length} of ${runs} runs are what is published, to the last digit (${rows} steps, ${evals} evaluations, ${rollouts} student rollouts; unjudged: ${unjudged}).`,
    ...differing.map((key) => `differs: ${key}`),
  ].join('\n');
}
