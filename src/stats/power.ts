// Power of the two-sided paired t test with n pairs, from the noncentral t distribution (as R's power.t.test with strict = TRUE, and
// G*Power).
import { kept } from '../lib/kept.ts';
import { bisect, noncentralTCdf, tQuantile } from './student-t.ts';

export interface PowerOptions {
  alpha?: number;
  power?: number;
}

/** Probability that n pairs whose true mean difference is `effect` standard deviations give p < alpha. */
export function pairedPower(effect: number, n: number, alpha = 0.05): number {
  if (!(n >= 2)) throw new RangeError(`power needs at least 2 pairs, got ${n}`);
  const critical = tQuantile(1 - alpha / 2, n - 1);
  const delta = effect * Math.sqrt(n);
  return 1 - noncentralTCdf(critical, n - 1, delta) + noncentralTCdf(-critical, n - 1, delta);
}

const found = new Map<string, number>();

/** Smallest detectable effect in standard deviations of the differences; cached, since every table needs it. */
function smallestStandardised(n: number, alpha: number, power: number): number {
  return kept(found, `${n} ${alpha} ${power}`, () => {
    let high = 1;
    while (pairedPower(high, n, alpha) < power) high *= 2;
    return bisect(0, high, (d) => pairedPower(d, n, alpha) < power);
  });
}

/** The smallest true mean difference that n pairs with this sd detect with the given power; null for fewer than two pairs. */
export function smallestEffect(
  spread: number | null,
  n: number,
  { alpha = 0.05, power = 0.8 }: PowerOptions = {},
): number | null {
  return spread === null || n < 2 ? null : spread * smallestStandardised(n, alpha, power);
}

/** The fewest pairs that detect a true difference `effect`; null if more than `most` are needed, or `effect` is 0. */
export function pairsFor(
  effect: number,
  spread: number,
  { alpha = 0.05, power = 0.8, most = 1000 }: PowerOptions & { most?: number } = {},
): number | null {
  const reached = (n: number) => spread * smallestStandardised(n, alpha, power) <= Math.abs(effect);
  if (effect === 0 || !reached(most)) return null;
  let [low, high] = [1, most];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (reached(middle)) high = middle;
    else low = middle;
  }
  return high;
}
