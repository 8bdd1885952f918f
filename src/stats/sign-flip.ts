// The sign-flip (permutation) test of paired differences, exact up to EXACT_UP_TO pairs: without an effect, the sign of each
// difference is arbitrary (Fisher, "The Design of Experiments", 1935, §21). It assumes only symmetry, but with few pairs there are
// few sign patterns: n pairs cannot give p below 2/2ⁿ.
import { CounterRng, STREAMS } from '../rng/index.ts';

/** Most pairs for which all 2ⁿ sign patterns are enumerated. */
export const EXACT_UP_TO = 20;

export interface SignFlip {
  n: number;
  /** Two-sided: the share of sign patterns whose |sum| is at least the observed one. */
  p: number;
  /** The smallest p that n pairs can give. */
  smallest: number;
  /** True if all patterns were enumerated; otherwise `p` is from random patterns, plus the observed one. */
  exact: boolean;
}

/** 2/2ⁿ, for differences that all have the same sign. */
export function smallestSignFlipP(n: number): number {
  return n < 1 ? 1 : 2 ** (1 - n);
}

/** Above EXACT_UP_TO pairs, uses `draws` random patterns with key `seed`. Throws RangeError without differences. */
export function signFlip(
  differences: readonly number[],
  { draws = 100_000, seed = 0 }: { draws?: number; seed?: number } = {},
): SignFlip {
  const n = differences.length;
  if (n === 0) throw new RangeError('signFlip(differences) needs at least one difference, got none');
  const total = differences.reduce((sum, x) => sum + x, 0);
  // Sums that are equal on paper can differ in their last bits, and ties must count as extreme.
  const observed = Math.abs(total) - 1e-9 * differences.reduce((sum, x) => sum + Math.abs(x), 0);
  const smallest = smallestSignFlipP(n);
  if (n <= EXACT_UP_TO) return { n, p: enumerate(differences, observed), smallest, exact: true };
  const rng = CounterRng.of(seed, STREAMS.signFlip, n);
  let extreme = 1;
  for (let draw = 0; draw < draws; draw++) {
    let sum = 0;
    for (const x of differences) sum += rng.uint32() & 1 ? -x : x;
    if (Math.abs(sum) >= observed) extreme++;
  }
  return { n, p: extreme / (draws + 1), smallest, exact: false };
}

/** A pattern and its negative have the same |sum|, so the first sign is fixed and 2ⁿ⁻¹ patterns are enumerated. */
function enumerate(differences: readonly number[], observed: number): number {
  const patterns = 2 ** (differences.length - 1);
  let extreme = 0;
  for (let pattern = 0; pattern < patterns; pattern++) {
    let sum = differences[0];
    for (let i = 1; i < differences.length; i++) sum += (pattern >> (i - 1)) & 1 ? -differences[i] : differences[i];
    if (Math.abs(sum) >= observed) extreme++;
  }
  return extreme / patterns;
}
