// From figures to a verdict, by rules that are the same for every question (docs/explanation/study.md):
//   lowers / raises  yes, where the difference is an effect by analysis/verdict.ts; or, where n is too small for any p below
//                    .05, where the 95% t interval lies on that side of 0 and the paired t's p is ≤ .05 after Holm too (or a
//                    large family, or a small n, would ask less than few tests of many seeds). No, where the interval
//                    excludes a change of 5 points in that direction. Otherwise undecided.
//   within           yes, where the interval lies inside the margin; no, where it lies outside; otherwise undecided.
import type { Measure } from '../../analysis/compare.ts';
import { comparePairs, compareSets, type MetricComparison } from '../../analysis/paired.ts';
import { FINAL_HACK, FINAL_SOLVE, finalModeMetric, type RunMetric } from '../../analysis/statistics.ts';
import { ALPHA, effectOf, pOf, verdictOf } from '../../analysis/verdict.ts';
import { percent, pValue, signedPoints } from '../../analysis/words.ts';
import type { Estimate } from '../../judge/types.ts';
import type { Answer, CellResult, StudyCell, StudyVerdict } from './types.ts';

/** True, false, or not decided by the data. */
export type Truth = boolean | null;

/** A comparison, and what of what it is: `erase − vanilla`. */
export type NamedComparison = MetricComparison & { of?: string };
type Judged = CellResult | NamedComparison | null | undefined;

/** The smallest change that matters. */
const MATTERS = 0.05;

/** What a cell is judged by: the whole final evaluation, or its held-out mode. One id, so that a question is one family of tests. */
export function metricOfCell({ mode }: Pick<StudyCell, 'mode'>, measure: Measure): RunMetric {
  const whole = measure === 'hack' ? FINAL_HACK : FINAL_SOLVE;
  return mode ? { ...finalModeMetric(measure, mode), id: whole.id } : whole;
}

function comparisonOf(judged: Judged, measure: Measure): NamedComparison | null {
  if (!judged) return null;
  if (!('cell' in judged)) return judged;
  const { comparison, cell } = judged;
  const found = comparison?.figures[metricOfCell(cell, measure).id] ?? null;
  return comparison && found && { ...found, of: `${comparison.other.label} − ${comparison.reference.label}` };
}

/** cell − reference, seed by seed, whatever the cell is compared with in the table. Not adjusted after Holm. */
export function between(
  cell: CellResult | undefined,
  reference: CellResult | undefined,
  measure: Measure,
): NamedComparison | null {
  if (!cell || !reference) return null;
  const figure = metricOfCell(cell.cell, measure);
  const found = compareSets(reference.set, cell.set, [figure]).figures[figure.id];
  return found && { ...found, of: `${cell.cell.label} − ${reference.cell.label}` };
}

/** Mean difference to the cell's reference; null without one. */
export function change(judged: Judged, measure: Measure): number | null {
  return comparisonOf(judged, measure)?.delta.mean ?? null;
}

export function lowers(judged: Judged, measure: Measure = 'hack'): Truth {
  return moves(comparisonOf(judged, measure), -1);
}
export function raises(judged: Judged, measure: Measure = 'hack'): Truth {
  return moves(comparisonOf(judged, measure), 1);
}
function moves(comparison: MetricComparison | null, sign: 1 | -1): Truth {
  if (!comparison?.t) return null;
  const { interval } = comparison.t;
  const [near, far] = sign < 0 ? [-interval.high, -interval.low] : [interval.low, interval.high];
  const { kind, direction } = verdictOf(comparison);
  const isThere = direction === (sign < 0 ? 'less' : 'more');
  const byT = near > 0 && (comparison.adjusted?.tP ?? 0) <= ALPHA;
  if (isThere && (kind === 'effect' || (kind === 'pointer' && byT))) return true;
  return far < MATTERS ? false : null;
}

/** |Δ| below the margin? */
export function within(judged: Judged, measure: Measure | number, margin?: number): Truth {
  const [which, most] = typeof measure === 'number' ? (['hack', measure] as const) : ([measure, margin ?? 0] as const);
  const interval = comparisonOf(judged, which)?.t?.interval;
  if (!interval) return null;
  if (interval.low >= -most && interval.high <= most) return true;
  return interval.low > most || interval.high < -most ? false : null;
}

export const nay = (truth: Truth): Truth => (truth === null ? null : !truth);
/** False if one is false, else undecided if one is undecided. */
export function allOf(...truths: Truth[]): Truth {
  if (truths.includes(false)) return false;
  return truths.includes(null) ? null : true;
}

/** True if one is true, else undecided if one is undecided. */
export const anyOf = (...truths: Truth[]): Truth => nay(allOf(...truths.map(nay)));

/** A line through the cells in their order, fitted seed by seed: its change from the first to the last. */
export function slopeOver(cells: readonly (CellResult | undefined)[], measure: Measure): MetricComparison | null {
  if (cells.length < 2 || cells.some((cell) => !cell)) return null;
  const known = cells as CellResult[];
  const figure = metricOfCell(known[0].cell, measure);
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

/** Whether a cell lowers hack by more than half of what another does, by the side of 0 on which the 95% t interval lies. */
export function isMost(cell: CellResult | undefined, whole: CellResult | undefined): Truth {
  const interval = beyondHalf(cell, whole)?.t?.interval;
  if (!interval) return null;
  return interval.high < 0 ? true : interval.low > 0 ? false : null;
}

/** Its change of hack less half of the other's, seed by seed: below 0, it does more than half of what the other does. */
function beyondHalf(cell: CellResult | undefined, whole: CellResult | undefined): MetricComparison | null {
  const [own, all] = [cell, whole].map((judged) => judged?.comparison?.figures[FINAL_HACK.id]?.pairs ?? []);
  const pairs = own.flatMap(({ seed, reference, other }) => {
    const partner = all.find((pair) => pair.seed === seed);
    return partner ? [{ seed, reference: reference + (partner.other - partner.reference) / 2, other }] : [];
  });
  return pairs.length > 0 ? comparePairs(FINAL_HACK, pairs) : null;
}

export const capital = (text: string): string => text[0].toUpperCase() + text.slice(1);

// ---- sentences -----------------------------------------------------------------------------------------------------

/** A sentence, and the comparison that it tells. */
export interface Said {
  text: string;
  figure: Estimate;
}

/** `Erase lowers hack: −12 points (95% CI −14 to −10, n = 10), p = 0.002.` Null without a figure. */
export function says(judged: Judged, measure: Measure, subject: string): Said | null {
  const comparison = comparisonOf(judged, measure);
  if (!comparison) return null;
  const name = `${measure}, ${comparison.of ?? subject.replace(/,$/, '')}`;
  return { text: sentence(comparison, measure, subject), figure: estimateOf(name, comparison) };
}

/** As every series has its estimates: the difference, one a unit. */
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

function sentence(comparison: MetricComparison, measure: Measure, subject: string): string {
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
    if (moves(comparison, direction === 'less' ? -1 : 1))
      return `${subject} ${verb} ${measure}: ${effect}, ${bySeeds}.`;
    const includes0 = t !== null && t.interval.low <= 0 && t.interval.high >= 0;
    return `${subject} leaves open whether it ${verb} ${measure}: ${effect}, ${includes0 ? 'an interval that includes 0' : bySeeds}.`;
  }
  // Null by METHOD's rule, and a difference all the same: it is said with both.
  if (rule === 'seed sd' && isDifference(comparison))
    return `${subject} ${verb} ${measure}, by less than the reference’s seed sd: ${effect}: a difference, if null by that rule.`;
  const why =
    rule === 'seed sd'
      ? 'inside the reference’s seed sd'
      : rule === 'standard error'
        ? 'inside one standard error'
        : text;
  // Null by METHOD's rule, and yet the interval may exclude little.
  const excludes = t !== null && t.interval.low >= -MATTERS && t.interval.high <= MATTERS;
  return `${subject} shows no ${excludes ? '' : 'clear '}change of ${measure}: ${effect}, ${why}.`;
}

/** The interval excludes 0, after Holm too where there is a family. */
function isDifference({ t, adjusted }: MetricComparison): boolean {
  const excludes = t !== null && (t.interval.low > 0 || t.interval.high < 0);
  return excludes && (adjusted?.tP ?? 0) <= ALPHA;
}

export function saysBetween(
  cell: CellResult | undefined,
  reference: CellResult | undefined,
  measure: Measure,
  subject: string,
): Said | null {
  return says(between(cell, reference, measure), measure, subject);
}

/** `Vanilla hacks 56% ± 3 and solves 24% ± 2 (n = 10).` */
export function described(cell: CellResult | undefined, subject: string): string | null {
  if (!cell?.hack || !cell.solve) return null;
  const rate = ({ mean, sd }: { mean: number; sd: number | null }) =>
    percent(mean) + (sd === null ? '' : ` ± ${(100 * sd).toFixed(0)}`);
  return `${subject} hacks ${rate(cell.hack)} and solves ${rate(cell.solve)} (n = ${cell.statistics.n}).`;
}

/**
 * `truth` is whether the reference's finding holds here, `answer` what becomes of the hypothesis. `needed`: the cells without
 * which nothing can be said.
 */
export function settle(
  truth: Truth,
  sentences: readonly (Said | string | null | false)[],
  needed: readonly (CellResult | undefined)[],
  answer: Answer | null,
): StudyVerdict {
  const counts = needed.map((cell) => cell?.statistics.n ?? 0);
  if (counts.every((n) => n === 0)) return { answer: null, sentences: ['Not run.'], standing: 'not run', figures: [] };
  const said = sentences.filter((one) => one !== null && one !== false);
  if (said.length === 0)
    return {
      answer: null,
      sentences: ['Too little has been run to say anything.'],
      standing: 'undecided',
      figures: [],
    };
  const figures = new Map(said.flatMap((one) => (typeof one === 'string' ? [] : [[one.figure.name, one.figure]])));
  return {
    answer,
    sentences: said.map((one) => (typeof one === 'string' ? one : one.text)),
    figures: [...figures.values()],
    // What a standing rests on: the least of the lines that it needs.
    n: Math.min(...counts.filter((count) => count > 0)),
    standing: truth === null ? 'undecided' : truth ? 'replicates' : 'does not replicate',
  };
}
