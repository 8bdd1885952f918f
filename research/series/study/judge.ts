// Turns figures into truth values, by the same rules for every question (docs/explanation/study.md).
// lowers / raises: yes if the difference is an effect by verdict.ts; or, if n is too small for any p below .05, if the 95% t interval is on
// that side of 0 and the paired t's p is ≤ .05 after Holm too (otherwise a large family, or a small n, would require less than few tests of
// many seeds). No if the interval excludes a change of 5 points in that direction. Otherwise undecided.
// near: yes if the interval is inside the margin; no if it is outside; otherwise undecided.
// A condition refers to a comparison by its key, which names what is compared: `hack: refresh2 − erase`.
import type { MetricId } from '../../../src/experiments/analysis/compare.ts';
import {
  FINAL_HACK,
  FINAL_SOLVE,
  finalModeMetric,
  type RunMetric,
} from '../../../src/experiments/analysis/statistics.ts';
import { pValue, rate, signedPoints } from '../../../src/experiments/analysis/words.ts';
import type { Estimate } from '../../../src/experiments/judge/estimate.ts';
import {
  above,
  below,
  beyond,
  type Condition,
  either,
  isLeafMet,
  type Judgeable,
  keyOf,
  type Truth,
  truthOf,
} from '../../../src/experiments/judge/rule.ts';
import { comparePairs, compareSets, type MetricComparison } from './paired.ts';
import type { CellResult, CellResults, MadeComparisons, NamedComparison, Sentence, StudyCell } from './types.ts';
import { ALPHA, effectOf, pOf, verdictOf } from './verdict.ts';

/** The smallest change that matters, as a share. */
export const MATTERS = 0.05;

// ---- keys and conditions -------------------------------------------------------------------------------------------

const MINUS = ' − ';
const key = (kind: string, of: string, against?: string): string =>
  `${kind}: ${of}${against === undefined ? '' : MINUS + against}`;
/** Hack of a cell compared with its own reference, with p after Holm within the table; or with another cell, unadjusted. */
export const hack = (of: string, against?: string): string => key('hack', of, against);
export const solve = (of: string, against?: string): string => key('solve', of, against);

export const lowers = (of: string): Condition => either({ falls: of }, above(of, -MATTERS));
export const raises = (of: string): Condition => either({ rises: of }, below(of, MATTERS));
export const near = (of: string, margin: number): Condition => either({ within: of, margin }, beyond(of, margin));
/** True or false by the side of 0 on which the 95% t interval is. */
const isNegative = (of: string): Condition => either(below(of), above(of));
export const isPositive = (of: string): Condition => either(above(of), below(of));
/** Whether a cell lowers hack by more than half of the other's effect. */
export const isMost = (cell: string, whole: string): Condition => isNegative(key('half', cell, whole));
export const isRun = (cell: string): Condition => ({ mean: key('seeds', cell), moreThan: 0 });
export const isKnown = (of: string): Condition => ({ not: { unknown: of } });

export const truth = (figures: CellResults, condition: Condition, made: MadeComparisons = {}): Truth =>
  truthOf(condition, (leaf) => isLeafMet(leaf, judgeable(figures, keyOf(leaf), made)));

/** Figures of a comparison that a rule reads, by key. */
export function judgeable(figures: CellResults, of: string, made: MadeComparisons = {}): Judgeable | undefined {
  const found = foundAt(figures, of, made);
  if (!found) return undefined;
  return 'figure' in found ? { ...estimateOf(of, found), effect: directionOf(found) } : found;
}

/** @param made comparisons that the question computes itself, by key */
export function comparisonOf(figures: CellResults, of: string, made: MadeComparisons = {}): NamedComparison | null {
  const found = foundAt(figures, of, made);
  return found && 'figure' in found ? found : null;
}

type FoundComparison = NamedComparison | Judgeable | null;
/** Cached per table: several conditions and sentences use the same costly comparisons. */
const KNOWN = new WeakMap<CellResults, Map<string, FoundComparison>>();

function foundAt(figures: CellResults, of: string, made: MadeComparisons): FoundComparison {
  const known = KNOWN.get(figures) ?? new Map<string, FoundComparison>();
  KNOWN.set(figures, known);
  if (!known.has(of)) known.set(of, of in made ? made[of](figures) : computeComparison(figures, of));
  return known.get(of) ?? null;
}

function computeComparison(figures: CellResults, of: string): FoundComparison {
  const [kind, pair] = of.split(': ');
  const [id, against] = pair.split(MINUS);
  if (kind === 'half') return beyondHalf(comparisonOf(figures, hack(id)), comparisonOf(figures, hack(against)));
  const cell = figures.get(id);
  const n = cell?.statistics.n ?? 0;
  if (kind === 'seeds') return { n, mean: n, interval: null, each: [] };
  if (against !== undefined) return between(cell, figures.get(against), kind);
  if (!cell?.comparison) return null;
  const { other, reference, figures: all } = cell.comparison;
  const found = all[metricOfCell(cell.cell, kind).id];
  return found ? { ...found, of: `${other.label} − ${reference.label}` } : null;
}

/** The metric that judges a cell: over the whole final evaluation or its held-out mode. All have one id, so that a question is one
 *  family of tests. */
export function metricOfCell({ mode }: Pick<StudyCell, 'mode'>, measure: MetricId): RunMetric {
  const whole = measure === 'hack' ? FINAL_HACK : FINAL_SOLVE;
  return mode ? { ...finalModeMetric(measure, mode), id: whole.id } : whole;
}

/** cell − reference, seed by seed, whatever the cell's reference in the table is. Not adjusted by Holm. */
export function between(
  cell: CellResult | undefined,
  reference: CellResult | undefined,
  measure: MetricId,
): NamedComparison | null {
  if (!cell || !reference) return null;
  const figure = metricOfCell(cell.cell, measure);
  const found = compareSets(reference.set, cell.set, [figure]).figures[figure.id];
  return found && { ...found, of: `${cell.cell.label} − ${reference.cell.label}` };
}

/** Mean difference; null without a comparison. */
export const change = (figures: CellResults, of: string): number | null =>
  comparisonOf(figures, of)?.delta.mean ?? null;

/** Direction of an effect; null if there is none. */
function directionOf(comparison: MetricComparison): 'less' | 'more' | null {
  const { kind, direction } = verdictOf(comparison);
  const { t, adjusted } = comparison;
  if (!t || (direction !== 'less' && direction !== 'more')) return null;
  const isBeyond0 = direction === 'less' ? t.interval.high < 0 : t.interval.low > 0;
  const byT = kind === 'pointer' && isBeyond0 && (adjusted?.tP ?? 0) <= ALPHA;
  return kind === 'effect' || byT ? direction : null;
}

/** A change of hack minus half of another, seed by seed: below 0, it exceeds half of the other change. */
export function beyondHalf(one: MetricComparison | null, whole: MetricComparison | null): MetricComparison | null {
  const pairs = (one?.pairs ?? []).flatMap(({ seed, reference, other }) => {
    const partner = whole?.pairs.find((pair) => pair.seed === seed);
    return partner ? [{ seed, reference: reference + (partner.other - partner.reference) / 2, other }] : [];
  });
  return pairs.length > 0 ? comparePairs(FINAL_HACK, pairs) : null;
}

/** Hack along a line through the cells in their order, fitted seed by seed: the change from the first cell to the last. */
export function slopeOver(cells: readonly (CellResult | undefined)[]): MetricComparison | null {
  if (cells.length < 2 || cells.some((cell) => !cell)) return null;
  const known = cells as CellResult[];
  const figure = metricOfCell(known[0].cell, 'hack');
  const runsOf = (cell: CellResult) =>
    new Map(cell.set.runs.map((run) => [run.spec.seed, figure.value(run, cell.set.model)]));
  const values = known.map(runsOf);
  const centre = (known.length - 1) / 2;
  const spread = known.reduce((sum, _, i) => sum + (i - centre) ** 2, 0);
  const pairs = [...values[0].keys()].flatMap((seed) => {
    const row = values.map((bySeed) => bySeed.get(seed) ?? null);
    if (row.some((value) => value === null)) return [];
    const slope = row.reduce<number>((sum, value, i) => sum + (i - centre) * (value as number), 0) / spread;
    const first = row[0] as number;
    return [{ seed, reference: first, other: first + slope * (known.length - 1) }];
  });
  return pairs.length === 0 ? null : comparePairs(figure, pairs);
}

export const capital = (text: string): string => text[0].toUpperCase() + text.slice(1);

// ---- sentences -----------------------------------------------------------------------------------------------------

/** `Erase lowers hack: −12 points (95% CI −14 to −10, n = 10), p = 0.002.` Null without a figure. */
export function effectSentence(
  figures: CellResults,
  of: string,
  subject: string,
  made: MadeComparisons = {},
): Sentence | null {
  const comparison = comparisonOf(figures, of, made);
  if (!comparison) return null;
  const name = `${comparison.figure.measure}, ${comparison.of ?? subject.replace(/,$/, '')}`;
  return { text: sentence(comparison, subject), figure: estimateOf(name, comparison) };
}

/** The comparison in the format of every series: the difference, one per unit. */
export function estimateOf(name: string, { n, delta, t, pairs }: MetricComparison): Estimate {
  return {
    name,
    word: null,
    n,
    mean: delta.mean,
    interval: t ? { low: t.interval.low, high: t.interval.high } : null,
    each: pairs.map(({ seed, reference, other }) => ({ of: `seed ${seed}`, value: other - reference })),
  };
}

function sentence(comparison: MetricComparison, subject: string): string {
  const { measure } = comparison.figure;
  const { kind, rule, direction } = verdictOf(comparison);
  const effect = effectOf(comparison);
  const { p, text, least } = pOf(comparison);
  const { t } = comparison;
  const verb = direction === 'less' ? 'lowers' : 'raises';
  if (kind === 'single')
    return `${subject} has one seed: Δ${measure} ${signedPoints(comparison.delta.mean)}, no spread to judge by.`;
  if (kind === 'effect') return `${subject} ${verb} ${measure}: ${effect}, ${text}.`;
  if (kind === 'pointer') {
    const { adjusted } = comparison;
    const bySeeds =
      adjusted && adjusted.tests > 1
        ? `paired t ${pValue(adjusted.tP)} after Holm over ${adjusted.tests} (sign-flip ${pValue(p)}, ${least})`
        : `by the interval (${text}, ${least})`;
    if (directionOf(comparison)) return `${subject} ${verb} ${measure}: ${effect}, ${bySeeds}.`;
    const includes0 = t !== null && t.interval.low <= 0 && t.interval.high >= 0;
    return `${subject} leaves open whether it ${verb} ${measure}: ${effect}, ${includes0 ? 'an interval that includes 0' : bySeeds}.`;
  }
  // METHOD's rule calls it null although the interval excludes 0: the sentence reports both.
  if (rule === 'seed sd' && isDifference(comparison))
    return `${subject} ${verb} ${measure}, by less than the reference’s seed sd: ${effect}: a difference, if null by that rule.`;
  const why =
    rule === 'seed sd'
      ? 'inside the reference’s seed sd'
      : rule === 'standard error'
        ? 'inside one standard error'
        : text;
  // The interval of a null by METHOD's rule can be wide.
  const excludes = t !== null && t.interval.low >= -MATTERS && t.interval.high <= MATTERS;
  return `${subject} shows no ${excludes ? '' : 'clear '}change of ${measure}: ${effect}, ${why}.`;
}

/** Whether the interval excludes 0, also after Holm if there is a family. */
function isDifference({ t, adjusted }: MetricComparison): boolean {
  const excludes = t !== null && (t.interval.low > 0 || t.interval.high < 0);
  return excludes && (adjusted?.tP ?? 0) <= ALPHA;
}

/** `Vanilla hacks 56% ± 3 and solves 24% ± 2 (n = 10).` */
export function cellSentence(cell: CellResult | undefined, subject: string): string | null {
  if (!cell?.hack || !cell.solve) return null;
  return `${subject} hacks ${rate(cell.hack)} and solves ${rate(cell.solve)} (n = ${cell.statistics.n}).`;
}
