// Paired comparisons, seed by seed (METHOD "What is reported"): Δ with its paired t and bootstrap intervals, the exact sign-flip p beside
// the smallest possible at this n, and the smallest effect detectable at this n. The rules are enforced here: incomplete runs are left out,
// unequal seeds are cut to the common ones, several simultaneous differences are reported as a confound.

import { type Cell, cellOf } from '../../../src/experiments/analysis/compare.ts';
import {
  confoundNote,
  type Difference,
  differencesBetween,
  differencesWithin,
  differenceText,
  provenanceNotes,
} from '../../../src/experiments/analysis/differences.ts';
import { type ArmSet, RUN_METRICS, type RunMetric, usableRuns } from '../../../src/experiments/analysis/statistics.ts';
import { seedList } from '../../../src/experiments/analysis/words.ts';
import type { RunRecord } from '../../../src/experiments/records/events.ts';
import {
  holm,
  type Interval,
  type PairedT,
  pairedDifference,
  pairedT,
  type SignFlip,
  signFlip,
  smallestEffect,
} from '../../../src/stats/index.ts';

/** One figure, other − reference, over the seeds that both have. */
export interface MetricComparison {
  figure: Pick<RunMetric, 'id' | 'label' | 'measure'>;
  n: number;
  pairs: { seed: number; reference: number; other: number }[];
  reference: Cell;
  other: Cell;
  /** Mean and sd of other − reference over the pairs; no sd at n = 1. */
  delta: Cell;
  /** Standard error of Δ; null at n = 1. */
  sem: number | null;
  /** Paired t test with the 95% interval; null at n = 1. */
  t: PairedT | null;
  /** 95% percentile bootstrap over the pairs; null at n = 1. */
  bootstrap: Interval | null;
  signFlip: SignFlip;
  /** The true |Δ| that n pairs would detect with a power of 0.8 at α = .05; null at n = 1. */
  smallestEffect: number | null;
  /**
   * Set by `holmWithin`, after Holm over `tests` of one question: sign-flip p, the least possible p, and the paired t's p, which decides if
   * n is too small for a sign-flip p ≤ .05.
   */
  adjusted: { p: number; tests: number; smallest: number; tP: number } | null;
}

export interface ArmComparison {
  reference: Pick<ArmSet, 'id' | 'label' | 'model'>;
  other: Pick<ArmSet, 'id' | 'label' | 'model'>;
  n: number;
  seeds: number[];
  differences: Difference[];
  /** Comparisons by figure id; null if one side lacks the figure in a seed. */
  figures: Record<string, MetricComparison | null>;
  notes: string[];
}

/** other − reference, figure by figure. Never throws: with no common complete seed n = 0 and every figure is null. */
export function compareSets(
  reference: ArmSet,
  other: ArmSet,
  figures: readonly RunMetric[] = RUN_METRICS,
): ArmComparison {
  const [a, b] = [usableRuns(reference), usableRuns(other)];
  const notes = [...new Set([...a.notes, ...b.notes])];
  const common = a.runs.filter(({ spec }) => b.runs.some((run) => run.spec.seed === spec.seed));
  const seeds = common.map(({ spec }) => spec.seed);
  const cutNote = seedsCut([reference.label, a.runs], [other.label, b.runs], seeds);
  if (cutNote) notes.push(cutNote);
  const before = { ...reference, runs: common };
  const after = { ...other, runs: b.runs.filter(({ spec }) => seeds.includes(spec.seed)) };
  const differences = differencesBetween(before, after);
  const confound = confoundNote(differences);
  if (confound) notes.push(confound);
  for (const set of [before, after]) {
    const ownDifferences = differencesWithin(set);
    if (ownDifferences.length)
      notes.push(`The runs of ${set.label} differ among themselves: ${ownDifferences.map(differenceText).join('; ')}.`);
  }
  notes.push(...provenanceNotes([...before.runs, ...after.runs]));
  if (seeds.length === 1) notes.push('One seed: no spread, so the difference is suggestive, not a result.');
  return {
    reference: { id: reference.id, label: reference.label, model: reference.model },
    other: { id: other.id, label: other.label, model: other.model },
    n: seeds.length,
    seeds,
    differences,
    figures: Object.fromEntries(figures.map((figure) => [figure.id, compareMetric(figure, before, after)])),
    notes: [...new Set(notes)],
  };
}

function compareMetric(figure: RunMetric, reference: ArmSet, other: ArmSet): MetricComparison | null {
  const pairs = reference.runs.map((run, i) => ({
    seed: run.spec.seed,
    reference: figure.value(run, reference.model),
    other: figure.value(other.runs[i], other.model),
  }));
  // Dropping a seed without a value would silently change the sample, so there is no comparison.
  if (pairs.length === 0 || pairs.some((pair) => pair.reference === null || pair.other === null)) return null;
  return comparePairs(figure, pairs as MetricComparison['pairs']);
}

/** Compares plain numbers. Throws RangeError without pairs. */
export function comparePairs(
  { id, label, measure }: MetricComparison['figure'],
  pairs: MetricComparison['pairs'],
): MetricComparison {
  const before = pairs.map(({ reference }) => reference);
  const after = pairs.map(({ other }) => other);
  const paired = pairedDifference(before, after);
  const t = pairedT(paired.differences);
  return {
    figure: { id, label, measure },
    n: paired.n,
    pairs,
    reference: cellOf(before) as Cell,
    other: cellOf(after) as Cell,
    delta: { mean: paired.mean, sd: t?.sd ?? null },
    sem: t?.sem ?? null,
    t,
    bootstrap: paired.interval,
    signFlip: signFlip(paired.differences),
    smallestEffect: smallestEffect(t?.sd ?? null, paired.n),
    adjusted: null,
  };
}

function seedsCut(
  [labelA, a]: readonly [string, readonly RunRecord[]],
  [labelB, b]: readonly [string, readonly RunRecord[]],
  common: readonly number[],
): string | null {
  if (a.length === common.length && b.length === common.length) return null;
  const list = (runs: readonly RunRecord[]) => seedList(runs.map(({ spec }) => spec.seed)) || 'none';
  return `${labelA} has the seeds ${list(a)}, ${labelB} ${list(b)}: cut to those that both have (${seedList(common) || 'none'}).`;
}

/** Equal differences have no t: p is 0 if they differ from 0. */
const tOf = ({ t, delta }: MetricComparison): number => t?.p ?? (t && delta.mean !== 0 ? 0 : 1);

/** The comparisons of one question, with each figure's p adjusted by Holm over all of them. */
export function holmWithin(comparisons: readonly ArmComparison[], figureId: string): ArmComparison[] {
  const own = comparisons.map(({ figures }) => figures[figureId] ?? null);
  const adjusted = holm(own.map((comparison) => comparison?.signFlip.p ?? null));
  // The p if every test were as significant as its n allows.
  const least = holm(own.map((comparison) => comparison?.signFlip.smallest ?? null));
  const byT = holm(own.map((comparison) => comparison && tOf(comparison)));
  const tests = own.filter((comparison) => comparison !== null).length;
  return comparisons.map((comparison, i) => {
    const figure = own[i];
    const [p, smallest, tP] = [adjusted[i], least[i], byT[i]];
    if (!figure || p === null || smallest === null || tP === null) return comparison;
    const changed: MetricComparison = { ...figure, adjusted: { p, tests, smallest, tP } };
    return { ...comparison, figures: { ...comparison.figures, [figureId]: changed } };
  });
}
