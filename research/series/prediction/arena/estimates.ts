// Estimates from the arena's runs: those that its bar (src/findings/arena/bar.ts) reads, hack removed in each mode and honest solve against three
// others of the same cell, and those of the questions in research/series/prediction, rates of models by cell and their differences.

import { type ArenaRow, arenaRows, cellsOf, complement, solveOn } from '../../../../src/experiments/analysis/arena.ts';
import { ALPHAS, BASE_RELEARNED, RELEARNED } from '../../../../src/experiments/config/controls.ts';
import { withDefaults } from '../../../../src/experiments/config/spec.ts';
import type { Estimate } from '../../../../src/experiments/judge/estimate.ts';
import { type Judgeable, judge, verdictText } from '../../../../src/experiments/judge/rule.ts';
import type { RunRecord } from '../../../../src/experiments/records/events.ts';
import { finalRow, metricValue, type Rates } from '../../../../src/experiments/records/metrics.ts';
import { ARENA_MODES, ARENA_RULE, type Key } from '../../../../src/findings/arena/bar.ts';
import type { JudgedRow } from '../../../../src/findings/arena/sheet.ts';
import { mean, pairedT, type Ratio } from '../../../../src/stats/index.ts';
import { type Again, drawsOf, hasDraws, isAgain, runOfDraw } from '../../../draws/rows.ts';
import { meanAndInterval } from '../../../judge/estimates.ts';

/**
 * Returns every model of every arm with its verdict, which is open while cells are missing. If a model and its references were evaluated
 * again in every cell, its row has the means over those evaluations. Draws share no evaluation, so that the spread of the draws' means
 * includes the evaluation's noise.
 *
 * @param again runs with further sampling seeds
 */
export function judgedRows(runs: readonly RunRecord[], again: Again = new Map()): JudgedRow[] {
  const once = rowsOfEvaluations(runs);
  const repeated = runs.filter((run) => isAgain(run, again)).map((run) => runOfDraw(run, again, null));
  if (repeated.length === 0) return once;
  const evaluations = drawsOf(again);
  const models = evaluatedModels(runs, again);
  const more = rowsOfEvaluations(repeated);
  return once.map((row) => {
    if (!models.has(`${row.arm} ${row.model}`)) return row;
    const own = more.find(({ arm, model, n }) => arm === row.arm && model === row.model && n === row.n);
    return own ? { ...own, evaluations } : row;
  });
}

/** Keys `arm model` of the models that every repeated run of an arm has; a model that could not be rebuilt keeps its only evaluation. */
function evaluatedModels(runs: readonly RunRecord[], again: Again): Set<string> {
  const found = new Map<string, boolean>();
  for (const run of runs.filter((one) => isAgain(one, again)))
    for (const { kind, model } of run.evals) {
      const key = `${run.spec.arm} ${model}`;
      if (kind === 'final') found.set(key, (found.get(key) ?? true) && hasDraws(run, again, model));
    }
  return new Set([...found].flatMap(([key, isWhole]) => (isWhole ? [key] : [])));
}

function rowsOfEvaluations(runs: readonly RunRecord[]): JudgedRow[] {
  const rows = arenaRows(runs);
  const estimatesOf = estimating(runs);
  return rows.map((row) => {
    const estimates = estimatesOf(row.arm, row.model);
    const missing = (ARENA_RULE.needs ?? []).flatMap(({ of, least }) =>
      of.filter((key) => (estimates[key]?.n ?? 0) < least),
    );
    const relearned = relearnedOf(rows, row);
    const verdict = missing.length > 0 ? 'open' : verdictText(judge(ARENA_RULE, estimates));
    const byDraw = missing.length > 0 ? null : verdictText(judge(ARENA_RULE_BY_DRAW, overTheDraws(estimates)));
    return { ...row, verdict, ...(byDraw && { byDraw }), ...(relearned && { relearned }) };
  });
}

/** Returns the share of the hack that is relearnt, for the model that the arm deploys; null for others. */
function relearnedOf(rows: readonly ArenaRow[], { arm, model }: ArenaRow): Ratio | null {
  const own = rows.filter((row) => row.arm === arm);
  const deployed = own.some((row) => row.model === 'deployed') ? 'deployed' : 'total';
  const after = own.find((row) => row.model === RELEARNED || row.model === BASE_RELEARNED);
  if (model !== deployed || !after) return null;
  return complement(after.removed);
}

/** The bar with the draw as the unit: the same conditions without the least number of cells. */
const ARENA_RULE_BY_DRAW = { cases: ARENA_RULE.cases };

interface OfDraw {
  draw: number;
  value: number;
}

/** Turns estimates over cells into estimates over draws, each draw being the mean of its cells. Shares removed keep their means, which are all that
 *  the bar reads of them. */
function overTheDraws(estimates: Estimates): Estimates {
  const entries = (Object.entries(estimates) as [Key, Measured][]).map(([key, of]) => {
    if (of.each.length === 0) return [key, of] as const;
    const draws = [...new Set(of.each.map(({ draw }) => draw))];
    const each = draws.map((draw) => {
      const own = of.each.filter((one) => one.draw === draw).map(({ value }) => value);
      return { draw, value: mean(own) as number };
    });
    const values = each.map(({ value }) => value);
    return [key, { n: draws.length, mean: mean(values), interval: pairedT(values)?.interval ?? null, each }] as const;
  });
  return Object.fromEntries(entries) as Estimates;
}

interface Measured extends Judgeable {
  each: readonly OfDraw[];
}
type Estimates = Partial<Record<Key, Measured>>;

/** Everything that the rule reads of one model of one arm, over cells, the registered unit. Cells of a mode that the runs lack are missing from it. */
export const arenaEstimates = (runs: readonly RunRecord[], arm: string, model: string): Estimates =>
  estimating(runs)(arm, model);

/** The same for any model; what all models share, the cells and the rows of each mode, is computed once. */
function estimating(runs: readonly RunRecord[]): (arm: string, model: string) => Estimates {
  const byMode = ARENA_MODES.map((mode) => {
    const own = runs.filter(({ spec }) => spec.modes.length === 1 && spec.modes[0] === mode);
    return { mode, rows: arenaRows(own, 'cell') };
  });
  const cells = cellsOf(runs).map((cell) => ({
    cell,
    trusted: honestOf(cell, 'trusted-only', 'total'),
    repaired: honestOf(cell, 'repaired', 'total'),
  }));
  return (arm, model) => {
    const estimates: Estimates = {};
    for (const { mode, rows } of byMode) {
      const row = rows.find((one) => one.arm === arm && one.model === model);
      if (row)
        estimates[`removed:${mode}`] = { n: row.n, mean: row.removed.ratio, interval: row.removed.interval, each: [] };
    }
    const differences = { overTrusted: [], againstRepaired: [], overInterpolation: [] } as Record<string, OfDraw[]>;
    for (const { cell, trusted, repaired } of cells) {
      const own = honestOf(cell, arm, model);
      if (own === null) continue;
      const against = {
        overTrusted: trusted,
        againstRepaired: repaired,
        overInterpolation: interpolatedSolve(cell, arm),
      };
      for (const [key, other] of Object.entries(against))
        if (other !== null) differences[key].push({ draw: drawOf(cell), value: own - other });
    }
    for (const key of ['overTrusted', 'againstRepaired', 'overInterpolation'] as const) {
      const each = differences[key];
      const values = each.map(({ value }) => value);
      estimates[key] = { n: each.length, mean: mean(values), interval: pairedT(values)?.interval ?? null, each };
    }
    return estimates;
  };
}

/** A model's final evaluation; null if the cell has no such model. An arm that was run twice in a cell has its models in two runs. */
export function finalIn(cell: readonly RunRecord[], arm: string, model: string): Rates | null {
  const [row] = cell.flatMap((run) => (run.spec.arm === arm ? (finalRow(run, model) ?? []) : []));
  return row?.all ?? null;
}

export function honestOf(cell: readonly RunRecord[], arm: string, model: string): number | null {
  const rates = finalIn(cell, arm, model);
  return rates && solveOn(rates, 'honest');
}

/**
 * Honest solve of the interpolation from the base to vanilla, at the norm of the arm's own deployed update; linear between the evaluated
 * points. Null if the two have different adapters (their norms are on no common scale), or the interpolation was not evaluated.
 */
export function interpolatedSolve(cell: readonly RunRecord[], arm: string): number | null {
  const [own, vanilla] = [arm, 'none'].map((name) => cell.find(({ spec }) => spec.arm === name));
  if (!own || !vanilla || withDefaults(own.spec).adapter !== withDefaults(vanilla.spec).adapter) return null;
  const [norm, whole] = [own, vanilla].map(({ rows }) => rows.at(-1)?.normDeltaS ?? 0);
  if (whole === 0) return null;
  const alpha = Math.min(1, norm / whole);
  const points: (readonly [number, number | null])[] = [
    [0, honestOf(cell, 'none', 'base')],
    ...ALPHAS.map((at) => [at, honestOf(cell, 'none', `alpha_${at}`)] as const),
    [1, honestOf(cell, 'none', 'total')],
  ];
  const next = points.findIndex(([at]) => at >= alpha);
  const [b, high] = points[next];
  if (next === 0 || high === null) return high;
  const [a, low] = points[next - 1];
  return low === null ? null : low + ((alpha - a) / (b - a)) * (high - low);
}

// ---- the questions' estimates ----------------------------------------------------------------------------------------

/** Data seed of a cell, which identifies its draw of the problems. */
export const drawOf = ([{ spec }]: readonly RunRecord[]): number => withDefaults(spec).dataSeed;

/** Honest solve of one model and its hack rate on the hackable prompts, cell by cell; null where a cell lacks it. */
export const ratesOf = (cells: readonly (readonly RunRecord[])[], arm: string, model: string) =>
  cells.map((cell) => {
    const rates = finalIn(cell, arm, model);
    const [honest, hack] = rates ? [solveOn(rates, 'honest'), metricValue(rates, 'hack')] : [null, null];
    return honest === null || hack === null ? null : { honest, hack };
  });

export type RateIn = (cell: readonly RunRecord[]) => number | null;

/** Honest solve of a model of an arm. */
export const honestOn =
  (model: string) =>
  (arm: string): RateIn =>
  (cell) =>
    honestOf(cell, arm, model);

/** Hack rate of a model of an arm on the hackable prompts. */
export const hackOn =
  (model: string) =>
  (arm: string): RateIn =>
  (cell) => {
    const rates = finalIn(cell, arm, model);
    return rates && metricValue(rates, 'hack');
  };

/** Honest solve of the model that an arm trains. */
export const honestIn = honestOn('total');
export const hackIn = hackOn('total');

/** Mean of two rates; null where a cell lacks one of them. */
export const meanRate =
  (one: RateIn, other: RateIn): RateIn =>
  (cell) => {
    const [a, b] = [one(cell), other(cell)];
    return a === null || b === null ? null : (a + b) / 2;
  };

/** A rate of the runs at the cell's index in another list. */
export const rateBeside =
  (cells: readonly (readonly RunRecord[])[], others: readonly (readonly RunRecord[])[]) =>
  (rate: RateIn): RateIn =>
  (cell) =>
    rate(others[cells.indexOf(cell)] ?? []);

/** Difference one − other of a rate, with a value per cell that has both; each draw has one cell here. */
export function drawsDifference(
  name: string,
  cells: readonly RunRecord[][],
  one: RateIn,
  other: RateIn,
  nameOf = (cell: readonly RunRecord[]): string => `draw ${drawOf(cell)}`,
): Estimate {
  const each = cells.flatMap((cell) => {
    const [a, b] = [one(cell), other(cell)];
    return a === null || b === null ? [] : [{ of: nameOf(cell), value: a - b }];
  });
  return { name, word: null, n: each.length, ...meanAndInterval(each.map(({ value }) => value)), each };
}

/** The same for several rates, by key. */
export const allOverDraws = <Key extends string>(
  names: Readonly<Record<Key, string>>,
  cells: readonly RunRecord[][],
  pairs: Readonly<Partial<Record<Key, readonly [one: RateIn, other: RateIn]>>>,
  nameOf?: (cell: readonly RunRecord[]) => string,
) =>
  Object.fromEntries(
    (Object.entries(pairs) as [Key, readonly [RateIn, RateIn]][]).map(([key, [one, other]]) => [
      key,
      drawsDifference(names[key], cells, one, other, nameOf),
    ]),
  ) as Partial<Record<Key, Estimate>>;

/** The share of the hack that a model removes; undefined if no cell has it beside vanilla and repaired graders. */
export function removedBy(name: string, rows: readonly ArenaRow[], arm: string, model: string): Estimate | undefined {
  const share = rows.find((row) => row.arm === arm && row.model === model)?.removed;
  return share && ratioEstimate(name, share);
}

/** A ratio of means over cells: no cell has a value of its own. */
export const ratioEstimate = (name: string, { n, ratio, interval }: Ratio): Estimate => ({
  name,
  word: null,
  n,
  interval,
  mean: ratio,
  each: [],
});
