// The exact sign-flip (permutation) test of paired differences: without an effect each difference might as well have had the
// other sign. Fisher, "The Design of Experiments" (1935), §21. It assumes symmetry and nothing else, but few pairs have few
// sign patterns: n pairs can give no p below 2/2ⁿ.
import { CounterRng, STREAMS } from '../rng/index.ts';

/** Pairs up to which every one of the 2ⁿ sign patterns is counted. */
export const EXACT_UP_TO = 20;

export interface SignFlip {
  n: number;
  /** Two-sided: the share of sign patterns whose |sum| is at least the observed one. */
  p: number;
  /** The smallest p that n pairs could give. */
  smallest: number;
  /** All patterns counted; otherwise `p` is from drawn ones, the observed one included. */
  exact: boolean;
}

/** 2/2ⁿ: all differences on one side, or all on the other. */
export function smallestSignFlipP(n: number): number {
  return n < 1 ? 1 : 2 ** (1 - n);
}

/** Throws RangeError without differences. Above EXACT_UP_TO pairs, `draws` patterns keyed by `seed`. */
export function signFlip(
  differences: readonly number[],
  { draws = 100_000, seed = 0 }: { draws?: number; seed?: number } = {},
): SignFlip {
  const n = differences.length;
  if (n === 0) throw new RangeError('signFlip(differences) needs at least one difference, got none');
  const total = differences.reduce((sum, x) => sum + x, 0);
  // Equal sums added in another order differ in their last bits, and a tie belongs to the extreme side.
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

/** A pattern and its mirror image have the same |sum|: the first sign stays, and 2ⁿ⁻¹ patterns are counted. */
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
