// Metrics of chains, computed only from their rows: quality after K steps, of the last answer and the best so far; flows between solved and unsolved; and
// for independent answers the choice of a verifier or a majority.

import { KS } from '../../environments/exit/types.ts';
import { mean } from '../../stats/index.ts';
import type { Metrics } from '../records/metrics.ts';
import type { ChainRow } from './chains.ts';

type Rows = readonly Pick<ChainRow, 'quality'>[];

/** Mean quality of the last answer over tasks. */
export const lastAt = (rows: Rows, k: number): number | null => mean(rows.map(({ quality }) => quality[k]));

/** Mean quality of the best answer so far: the choice of a verifier among K + 1 answers. */
export const bestAt = (rows: Rows, k: number): number | null =>
  mean(rows.map(({ quality }) => Math.max(...quality.slice(0, k + 1))));

export const solvedAt = (rows: Rows, k: number): number | null =>
  mean(rows.map(({ quality }) => Number(quality[k] >= 1)));

/** Quality of the most frequent of K + 1 answers, comparing whole answers; the first one on ties. */
export function majorityAt(rows: readonly ChainRow[], k: number): number | null {
  return mean(
    rows.map(({ answers, quality }) => {
      const counts = new Map<string | null, number>();
      const seen = answers.slice(0, k + 1);
      for (const answer of seen) if (answer !== null) counts.set(answer, (counts.get(answer) ?? 0) + 1);
      const most = Math.max(0, ...counts.values());
      const chosen = seen.findIndex((answer) => answer !== null && counts.get(answer) === most);
      return chosen < 0 ? 0 : quality[chosen];
    }),
  );
}

export interface Flows {
  /** Shares of tasks, by step: unsolved → solved, and solved → unsolved. */
  fixed: number[];
  broken: number[];
  /** Shares of tasks, by step: quality raised, and lowered. */
  up: number[];
  down: number[];
  /** Over all steps: the share of unsolved answers that the next step solves, and of solved ones that it breaks. */
  fixRate: number | null;
  breakRate: number | null;
}

export function flowsOf(rows: Rows): Flows {
  const steps = Array.from({ length: Math.max(0, (rows[0]?.quality.length ?? 0) - 1) }, (_, k) => k);
  const share = (k: number, is: (from: number, to: number) => boolean) =>
    rows.filter(({ quality }) => is(quality[k], quality[k + 1])).length / rows.length;
  const fixed = steps.map((k) => share(k, (from, to) => from < 1 && to >= 1));
  const broken = steps.map((k) => share(k, (from, to) => from >= 1 && to < 1));
  const solved = steps.map((k) => share(k, (from) => from >= 1));
  const total = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
  const over = (part: number, whole: number) => (whole > 0 ? part / whole : null);
  return {
    fixed,
    broken,
    up: steps.map((k) => share(k, (from, to) => to > from)),
    down: steps.map((k) => share(k, (from, to) => to < from)),
    fixRate: over(total(fixed), steps.length - total(solved)),
    breakRate: over(total(broken), total(solved)),
  };
}

/** Metrics as stored by a run's evaluation, by the ids of the environment's metrics. */
export function chainMetricsOf(rows: Rows): Metrics {
  const { fixRate, breakRate } = flowsOf(rows);
  return { ...Object.fromEntries(KS.slice(1).map((k) => [`q${k}`, lastAt(rows, k)])), fixRate, breakRate };
}
