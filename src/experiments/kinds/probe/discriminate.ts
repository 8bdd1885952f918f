// Stage 4: among samples that contain the exploit, are pure hacks (the strict oracle fails) further towards the hack than hacks that also
// solve the problem? Tested by a one-sided Welch t over samples and, because samples of one problem are not independent, by a permutation of
// labels within problems, which does not assume independence. (`exploited` cannot define the groups, since it excludes every hack that
// solves.)
import { CounterRng, STREAMS } from '../../../rng/index.ts';
import { mean, welchT } from '../../../stats/index.ts';
import type { Contrast, Discrimination, SampleRow } from './types.ts';

/** Fewest samples per group, and fewest problems with both kinds for the permutation; below these nothing is decided. */
export const MIN_BUCKET = 10;
export const MIN_MIXED = 4;
/** Threshold on t in T4's rule. */
export const T_ABOVE = 2;
export const P_BELOW = 0.05;

export interface Labelled {
  problem: string;
  /** Whether the strict oracle fails. */
  pure: boolean;
  value: number;
  /** Completion tokens. */
  length: number;
}

export interface PermutationOptions {
  draws: number;
  seed: number;
}

/** Most relabellings that are counted exhaustively. */
const EXACT_UP_TO = 20_000;

/** The two groups of one measure; samples without exploit, oracle's verdict or measure are in neither. */
export function labelledSamples(rows: readonly SampleRow[], figure: (row: SampleRow) => number | null): Labelled[] {
  return rows.flatMap((row) => {
    const value = figure(row);
    if (!row.structural || row.gt_pass === null || value === null) return [];
    return [{ problem: row.problem, pure: !row.gt_pass, value, length: row.n_tokens }];
  });
}

export function contrast(items: readonly Labelled[], options: PermutationOptions): Contrast {
  const pure = items.filter((item) => item.pure).map(({ value }) => value);
  const both = items.filter((item) => !item.pure).map(({ value }) => value);
  const welch = welchT(pure, both, 'greater');
  const groups = mixedProblems(items);
  const permuted = groups.length > 0 ? permutationP(groups, options) : null;
  return {
    nPure: pure.length,
    nBoth: both.length,
    mixedProblems: groups.length,
    meanPure: mean(pure),
    meanBoth: mean(both),
    t: welch?.t ?? null,
    p: welch?.p ?? null,
    permutationP: permuted?.p ?? null,
    exact: permuted?.exact ?? false,
  };
}

/**
 * Residuals of each value from the least-squares line in completion length; with equal lengths, the values minus their mean. The line is fitted
 * to both groups together, as under the null hypothesis (Freedman & Lane 1983): a label that correlates with length loses their shared
 * part, so the test is conservative.
 */
export function withoutLength(items: readonly Labelled[]): Labelled[] {
  const centreX = mean(items.map(({ length }) => length)) ?? 0;
  const centreY = mean(items.map(({ value }) => value)) ?? 0;
  let xy = 0;
  let xx = 0;
  for (const { length, value } of items) {
    xy += (length - centreX) * (value - centreY);
    xx += (length - centreX) ** 2;
  }
  const slope = xx === 0 ? 0 : xy / xx;
  return items.map((item) => ({ ...item, value: item.value - centreY - slope * (item.length - centreX) }));
}

/** Permutation draws per random axis, few because there are many axes. */
const NULL_DRAWS = 1000;

/** `random`: the same measure under each random axis. */
export function discriminate(
  rows: readonly SampleRow[],
  figure: (row: SampleRow) => number | null,
  options: PermutationOptions,
): Discrimination {
  const items = labelledSamples(rows, figure);
  const plain = contrast(items, options);
  const nulls = (rows[0]?.cos_random ?? []).map((_, draw) =>
    contrast(
      labelledSamples(rows, (row) => row.cos_random[draw] ?? null),
      { ...options, draws: Math.min(options.draws, NULL_DRAWS) },
    ),
  );
  const { t } = plain;
  const atLeast = nulls.filter((other) => t !== null && other.t !== null && other.t >= t).length;
  return {
    plain,
    lengthMatched: contrast(withoutLength(items), options),
    random: {
      t: nulls.map((other) => other.t),
      passing: nulls.filter(isSignificant).length,
      permutationPassing: nulls.filter(({ permutationP }) => permutationP !== null && permutationP < P_BELOW).length,
      p: t === null || nulls.length === 0 ? null : (1 + atLeast) / (1 + nulls.length),
    },
  };
}

/** t > 2, and p < 0.05 by both tests. */
export const isSignificant = ({ t, p, permutationP }: Contrast): boolean =>
  t !== null && t > T_ABOVE && p !== null && p < P_BELOW && permutationP !== null && permutationP < P_BELOW;

/** Enough samples in both buckets, and enough problems that have both. */
export const isDecidable = ({ nPure, nBoth, mixedProblems, t }: Contrast): boolean =>
  nPure >= MIN_BUCKET && nBoth >= MIN_BUCKET && mixedProblems >= MIN_MIXED && t !== null;

interface Group {
  values: number[];
  /** Number of pure hacks among them. */
  pure: number;
  /** Sum over the pure ones. */
  sum: number;
}

/** Problems with both kinds; in others a permutation changes nothing. */
function mixedProblems(items: readonly Labelled[]): Group[] {
  const groups = new Map<string, Group>();
  for (const { problem, pure, value } of items) {
    const group = groups.get(problem) ?? { values: [], pure: 0, sum: 0 };
    groups.set(problem, group);
    group.values.push(value);
    if (!pure) continue;
    group.pure++;
    group.sum += value;
  }
  return [...groups.values()].filter(({ values, pure }) => pure > 0 && pure < values.length);
}

/**
 * Share of relabellings, each problem keeping its number of pure hacks, whose difference of means is at least the observed
 * one. With fixed numbers that difference grows with the sum over the pure ones, which is what is compared.
 */
function permutationP(groups: readonly Group[], { draws, seed }: PermutationOptions): { p: number; exact: boolean } {
  const observed = groups.reduce((total, { sum }) => total + sum, 0);
  // Equal sums in another order of addition differ in their last bits; a tie counts as extreme.
  const scale = groups.reduce((total, { values }) => total + values.reduce((sum, x) => sum + Math.abs(x), 0), 0);
  const bar = observed - 1e-9 * scale;
  const relabellings = groups.reduce((count, { values, pure }) => count * choose(values.length, pure), 1);
  if (relabellings <= EXACT_UP_TO) {
    let sums = [0];
    for (const { values, pure } of groups) {
      const own = subsetSums(values, pure);
      sums = sums.flatMap((sum) => own.map((other) => sum + other));
    }
    return { p: sums.filter((sum) => sum >= bar).length / sums.length, exact: true };
  }
  const rng = CounterRng.of(seed, STREAMS.probe, 1);
  let extreme = 1;
  for (let draw = 0; draw < draws; draw++) {
    let total = 0;
    for (const { values, pure } of groups) {
      // The first `pure` positions of a Fisher-Yates shuffle.
      const pool = values.slice();
      for (let i = 0; i < pure; i++) {
        const j = i + rng.int(pool.length - i);
        total += pool[j];
        pool[j] = pool[i];
      }
    }
    if (total >= bar) extreme++;
  }
  return { p: extreme / (draws + 1), exact: false };
}

function choose(n: number, k: number): number {
  let ways = 1;
  for (let i = 1; i <= k; i++) ways = (ways * (n - k + i)) / i;
  return Math.round(ways);
}

/** Sums of all subsets of `size` values. */
function subsetSums(values: readonly number[], size: number): number[] {
  if (size === 0) return [0];
  return values.flatMap((value, i) => subsetSums(values.slice(i + 1), size - 1).map((sum) => value + sum));
}
