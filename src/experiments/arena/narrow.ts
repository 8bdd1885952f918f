// Trusted problems that are no fair sample (docs/arena.md): all of them take a string, and most of the others do not. Is RL on them alone
// clearly short of repaired graders then, and do the untrusted problems make up for it without their hack? The rule was written before its
// runs. A draw of the problems is a unit: it decides which problems are trusted.
import type { Ratio } from '../../stats/index.ts';
import { type ArenaRow, arenaRows, cellKey, cellsOf, solveOn } from '../analysis/arena.ts';
import { withDefaults } from '../config/spec.ts';
import { within } from '../judge/estimates.ts';
import type { Rule } from '../judge/rule.ts';
import type { Estimate, Estimates } from '../judge/types.ts';
import type { RunRecord } from '../records/events.ts';
import { metricValue } from '../records/metrics.ts';
import { finalIn, honestOf } from './estimates.ts';

/** Draws of the problems, none of them a pilot's or a judged cell's. */
export const NARROW_DRAWS = [37, 47, 57, 67, 77, 87, 97, 107] as const;
/** Of honest solve, what trusted problems alone are to fall short by: ten points. */
const SHORT = 0.1;

/** Models that know more than the trusted strings, each as [arm, model]. */
export const NARROW_MODELS = {
  merge: ['trusted-only', 'merge'],
  curriculum: ['curriculum', 'total'],
  agree: ['agree', 'total'],
  agree_random: ['agree_random', 'total'],
} as const;
type Method = keyof typeof NARROW_MODELS;
const METHODS = Object.keys(NARROW_MODELS) as Method[];
/** What P4 asked of; the sheet has more. */
export const NARROW_ARMS: readonly string[] = ['none', 'repaired', ...Object.values(NARROW_MODELS).map(([arm]) => arm)];
export type NarrowKey = 'short' | 'narrowing' | `over:${Method}` | `removed:${Method}`;

export const NARROW_WORDS: Record<Method, string> = {
  merge: 'merged with vanilla',
  curriculum: 'curriculum',
  agree: 'agreement',
  agree_random: 'agreement’s placebo',
};

export const NARROW_NAMES = {
  short: 'repaired graders − RL on trusted strings, honest solve',
  narrowing: 'RL on any trusted problems − on trusted strings, honest solve',
  ...Object.fromEntries(
    METHODS.map((name) => [`over:${name}`, `${NARROW_WORDS[name]} − RL on trusted strings, honest solve`]),
  ),
  ...Object.fromEntries(METHODS.map((name) => [`removed:${name}`, `${NARROW_WORDS[name]}, hack removed`])),
} as Record<NarrowKey, string>;

const IS_SHORT = { above: 'short', bound: SHORT } as const;
const MAKES_UP = { all: [{ above: 'over:merge' }, { mean: 'removed:merge', atLeast: 0.9 }] } as const;

export const NARROW_RULE: Rule<NarrowKey> = {
  needs: [{ of: ['short', 'over:merge'], least: NARROW_DRAWS.length, what: 'draws' }],
  cases: [
    { status: 'holds', when: { all: [IS_SHORT, MAKES_UP] } },
    { status: 'in part', because: 'ten points short, merging is not shown to make up for it', when: IS_SHORT },
    { status: 'in part', because: 'merging helps, ten points are not shown to lack', when: MAKES_UP },
    { status: 'fails', because: 'less than ten points lack', when: { below: 'short', bound: SHORT } },
    { status: 'open' },
  ],
  after: 'Merging is judged, the other methods are not.',
};

/** The cells whose trusted problems all take strings, by draw; the plan has one each. */
export const narrowCells = (runs: readonly RunRecord[]): RunRecord[][] =>
  cellsOf(runs)
    .filter(([{ spec }]) => withDefaults(spec).trustedArguments.join() === 'string')
    .toSorted(([a], [b]) => dataSeedOf(a) - dataSeedOf(b));

/** Honest solve of one model and its hack of the hackable prompts, cell by cell; null where a cell lacks it. */
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

/** Its hack of the hackable prompts. */
export const hackOn =
  (model: string) =>
  (arm: string): RateIn =>
  (cell) => {
    const rates = finalIn(cell, arm, model);
    return rates && metricValue(rates, 'hack');
  };

/** Of what an arm trains. */
export const honestIn = honestOn('total');
export const hackIn = hackOn('total');

/** one − other of a rate, a value a cell that has both; a draw has one cell here. */
export function overDraws(
  name: string,
  cells: readonly RunRecord[][],
  one: RateIn,
  other: RateIn,
  nameOf = nameOfDraw,
): Estimate {
  const each = cells.flatMap((cell) => {
    const [a, b] = [one(cell), other(cell)];
    return a === null || b === null ? [] : [{ of: nameOf(cell), value: a - b }];
  });
  return { name, word: null, n: each.length, ...within(each.map(({ value }) => value)), each };
}

/** The share of the hack that a model removes; undefined where no cell has it beside vanilla and repaired graders. */
export function removedBy(name: string, rows: readonly ArenaRow[], arm: string, model: string): Estimate | undefined {
  const share = rows.find((row) => row.arm === arm && row.model === model)?.removed;
  return share && ofShare(name, share);
}

/** A ratio of means over cells: no cell has a value of its own. */
export const ofShare = (name: string, { n, ratio, interval }: Ratio): Estimate => ({
  name,
  word: null,
  n,
  interval,
  mean: ratio,
  each: [],
});

export function narrowEstimates(runs: readonly RunRecord[]): Estimates<NarrowKey> {
  const cells = narrowCells(runs);
  const rows = arenaRows(cells.flat());
  const over = (key: NarrowKey, one: RateIn) =>
    overDraws(NARROW_NAMES[key], cells, one, (cell) => honestOf(cell, 'trusted-only', 'total'));
  const estimates: Partial<Record<NarrowKey, Estimate>> = {
    short: over('short', (cell) => honestOf(cell, 'repaired', 'total')),
    narrowing: over('narrowing', ([{ spec }]) => honestOf(anyTrusted(runs, spec), 'trusted-only', 'total')),
  };
  for (const method of METHODS) {
    const [arm, model] = NARROW_MODELS[method];
    estimates[`over:${method}`] = over(`over:${method}`, (cell) => honestOf(cell, arm, model));
    const removed = removedBy(NARROW_NAMES[`removed:${method}`], rows, arm, model);
    if (removed) estimates[`removed:${method}`] = removed;
  }
  return estimates;
}

const nameOfDraw = ([run]: readonly RunRecord[]): string => `draw ${dataSeedOf(run)}`;
const dataSeedOf = ({ spec }: RunRecord): number => withDefaults(spec).dataSeed;

/** What was run on the same problems, of which any may be trusted. */
export function anyTrusted(runs: readonly RunRecord[], of: RunRecord['spec']): RunRecord[] {
  const key = cellKey({ ...withDefaults(of), trustedArguments: [] });
  return runs.filter(({ spec }) => cellKey(withDefaults(spec)) === key);
}
