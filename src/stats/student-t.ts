// Student's t distribution, central and noncentral, and the normal distribution, for paired tests, intervals and power.
import { kept } from '../lib/kept.ts';
import { incompleteBeta, lnGamma } from './beta.ts';

/** P(T ≤ t) with `df` degrees of freedom, df > 0 and not necessarily whole. */
export function tCdf(t: number, df: number): number {
  const tail = tTwoSided(t, df) / 2;
  return t > 0 ? 1 - tail : tail;
}

/** P(|T| ≥ |t|). Throws RangeError unless df > 0. */
export function tTwoSided(t: number, df: number): number {
  if (!(df > 0)) throw new RangeError(`the t distribution needs df > 0, got ${df}`);
  return incompleteBeta(df / (df + t * t), df / 2, 0.5);
}

/** The t with P(T ≤ t) = p, 0 < p < 1, by bisection. */
export function tQuantile(p: number, df: number): number {
  if (!(p > 0 && p < 1)) throw new RangeError(`tQuantile(p) needs 0 < p < 1, got ${p}`);
  if (p < 0.5) return -tQuantile(1 - p, df);
  const tail = 2 * (1 - p);
  let high = 1;
  while (tTwoSided(high, df) > tail) high *= 2;
  return bisect(0, high, (t) => tTwoSided(t, df) > tail);
}

/** The point in [low, high] up to which `below` holds, almost to the last bit. */
export function bisect(low: number, high: number, below: (x: number) => boolean): number {
  let [a, b] = [low, high];
  for (let i = 0; i < 200 && b - a > 1e-15 * Math.abs(b); i++) {
    const middle = (a + b) / 2;
    if (below(middle)) a = middle;
    else b = middle;
  }
  return (a + b) / 2;
}

/** From here on e^{−z²} is 0 in double precision. */
const BEYOND = 27.3;

/** Φ(x), the standard normal distribution function; about 15 digits. */
export function normalCdf(x: number): number {
  const z = Math.abs(x) / Math.SQRT2;
  const tail = z < 2.5 ? 0.5 - erfSeries(z) / 2 : z > BEYOND ? 0 : erfcFraction(z) / 2;
  return x > 0 ? 1 - tail : tail;
}

function erfSeries(z: number): number {
  let term = z;
  let total = z;
  for (let n = 1; Math.abs(term) > 1e-18; n++) {
    term *= (2 * z * z) / (2 * n + 1);
    total += term;
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-z * z) * total;
}

/** erfc(z) = e^{−z²}/√π · 1/(z + ½/(z + 1/(z + 3/2/(z + …)))), evaluated from the innermost term. */
function erfcFraction(z: number): number {
  let value = z;
  for (let n = 60; n >= 1; n--) value = z + n / 2 / value;
  return Math.exp(-z * z) / Math.sqrt(Math.PI) / value;
}

/**
 * P(T′ ≤ t) for the noncentral t with noncentrality `delta`: T′ = (Z + δ)/s with s² = χ²_df/df, so the integral of
 * Φ(t·s − δ) over the density of s. Simpson's rule, about 10 digits for the df ≥ 1 and |δ| ≤ 40 that power needs.
 */
export function noncentralTCdf(t: number, df: number, delta: number): number {
  const { low, h, weighted } = kept(known, df, () => integrationWeights(df), KEPT);
  let total = 0;
  for (let i = 0; i < weighted.length; i++) total += weighted[i] * normalCdf(t * (low + i * h) - delta);
  return (total * h) / 3;
}

// Cached, since a search for the smallest effect integrates about a hundred times over the same density.
const known = new Map<number, ReturnType<typeof integrationWeights>>();
const KEPT = 64;

/** Integration points of s (from `low` in steps of `h`), and its density there times Simpson's weight. */
function integrationWeights(df: number): { low: number; h: number; weighted: Float64Array } {
  const lnScale = Math.LN2 + (df / 2) * Math.log(df / 2) - lnGamma(df / 2);
  const density = (s: number) =>
    s === 0 ? (df === 1 ? Math.exp(lnScale) : 0) : Math.exp(lnScale + (df - 1) * Math.log(s) - (df * s * s) / 2);
  // s has mean about 1 and sd about 1/√(2 df); seventeen sds around 1 cover all relevant mass.
  const [low, high] = [Math.max(0, 1 - 12 / Math.sqrt(df)), 1 + 12 / Math.sqrt(df)];
  // With few degrees of freedom, Φ(t·s − δ) changes quickly relative to the width of s.
  const steps = df < 5 ? 4000 : 1000;
  const h = (high - low) / steps;
  const weighted = Float64Array.from(
    { length: steps + 1 },
    (_, i) => (i === 0 || i === steps ? 1 : i % 2 ? 4 : 2) * density(low + i * h),
  );
  return { low, h, weighted };
}
