// Q over K by arm: the chart and the table of every question of self-improvement.

import { bestAt, flowsOf, lastAt } from '../../../src/experiments/exit/metrics.ts';
import { type ImproveRow, type Model, modelsOf, modelsOfArm, rowsOfWay } from '../../../src/experiments/exit/rows.ts';
import { intervalText } from '../../../src/experiments/judge/estimate.ts';
import type { Line, LineChart, Table } from '../../../src/experiments/judge/figures.ts';
import { type Column, tableOf } from '../../../src/experiments/judge/table.ts';
import { mean as meanOf, sd } from '../../../src/stats/index.ts';
import { meanAndInterval } from '../../judge/estimates.ts';

/** [arm in the rows, its label, the arm with its colour] */
export type ShownArm = readonly [arm: string, label: string, colour: string];

const sampledAt = (models: readonly Model[], k: number): number[] =>
  models.flatMap((model) => lastAt(rowsOfWay(model, 'sampled'), k) ?? []);

export function curves(rows: readonly ImproveRow[], arms: readonly ShownArm[], ks: readonly number[]): LineChart {
  const models = modelsOf(rows);
  const lines = arms.flatMap(([arm, label, colour]): Line[] => {
    const own = modelsOfArm(models, arm);
    if (own.length === 0) return [];
    const values = ks.map((k) => sampledAt(own, k));
    const mean = values.map((one) => meanOf(one));
    const ends = (sign: 1 | -1) =>
      own.length < 2 ? null : values.map((one, i) => mean[i]! + sign * (sd(one) as number));
    return [{ label, arm: colour, n: own.length, mean, low: ends(-1), high: ends(1) }];
  });
  return {
    kind: 'lines',
    title: 'Quality of the last answer after K revisions',
    x: 'revisions (K)',
    y: 'mean quality, Q(K)',
    at: ks.map(String),
    band: '± 1 sd over models of other training seeds',
    lines,
  };
}

/** The last revision that E1 to E4 use. */
export const LAST = 16;

/**
 * Gain at K = 16 over the untrained base if the best answer so far is kept, which requires a checker. The base is one model, so its
 * differences are unpaired.
 */
export function bestSoFar(rows: readonly ImproveRow[], arm: string): string[] {
  const models = modelsOf(rows);
  const [base] = modelsOfArm(models, 'base');
  if (!base) return [];
  const apart = (at: typeof bestAt) => {
    const own = at(rowsOfWay(base, 'sampled'), LAST);
    if (own === null) return null;
    const values = modelsOfArm(models, arm).flatMap((model) => {
      const value = at(rowsOfWay(model, 'sampled'), LAST);
      return value === null ? [] : [value - own];
    });
    return meanAndInterval(values);
  };
  const [best, last] = [apart(bestAt), apart(lastAt)];
  if (!best?.interval || !last) return [];
  const { low, high } = best.interval;
  const outcome = low > 0 ? 'it is better' : high < 0 ? 'it is worse' : 'the two are not told apart';
  return [
    `Against the untrained base at K = ${LAST}: last answers ${intervalText(last)}; where the best answer so far is kept, ${intervalText(best)}: ${outcome}.`,
  ];
}
export function table(rows: readonly ImproveRow[], arms: readonly ShownArm[], ks: readonly number[]): Table {
  const models = modelsOf(rows);
  const present = arms
    .map(([arm, label]) => ({ label, own: modelsOfArm(models, arm) }))
    .filter(({ own }) => own.length > 0);
  type Row = (typeof present)[number];
  const rate = (of: 'fixRate' | 'breakRate') => (row: Row) =>
    row.own.map((model) => flowsOf(rowsOfWay(model, 'sampled'))[of]);
  return tableOf(
    'Q after K revisions, and of all steps together how often an unsolved answer is mended and a solved one broken; mean ± sd over models',
    present,
    [
      ['arm', ({ label }) => label],
      ['n', ({ own }) => String(own.length)],
      ...ks.map((k): Column<Row> => [`K ${k}`, ({ own }) => sampledAt(own, k)]),
      ['fix rate', rate('fixRate')],
      ['break rate', rate('breakRate')],
    ],
  );
}
