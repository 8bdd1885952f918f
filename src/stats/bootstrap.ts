// The bootstrap: the distribution of a statistic over samples drawn with replacement from the sample itself (Efron and
// Tibshirani, "An Introduction to the Bootstrap", 1993, chapters 6 and 13). The random numbers are keyed, so the same
// sample always gets the same interval.
import { kept } from '../lib/kept.ts';
import { CounterRng, STREAMS } from '../rng/index.ts';
import { quantileOfSorted } from './moments.ts';

export interface BootstrapOptions {
  /** Number of resamples. With 10,000, an interval's ends are uncertain by about a fiftieth of its width. */
  resamples?: number;
  seed?: number;
}

export interface Interval {
  low: number;
  high: number;
}

/** The statistic of each resample, [resamples]. Throws RangeError on an empty sample. */
export function bootstrap(
  values: readonly number[],
  statistic: (sample: Float64Array) => number,
  { resamples = 10_000, seed = 0 }: BootstrapOptions = {},
): Float64Array {
  if (values.length === 0) throw new RangeError('bootstrap(values) needs at least one value, got none');
  const picked = draws(values.length, resamples, seed);
  const n = values.length;
  const sample = new Float64Array(n);
  // Plain loops for speed, since a user waits for tables with many intervals.
  const drawn = new Float64Array(resamples);
  for (let resample = 0; resample < resamples; resample++) {
    for (let i = 0; i < n; i++) sample[i] = values[picked[resample * n + i]];
    drawn[resample] = statistic(sample);
  }
  return drawn;
}

// A table needs hundreds of intervals over the same number of seeds, and the draws depend only on that number.
const known = new Map<string, Uint32Array>();
const KEPT = 8;

/** Indices of the values in each resample, [resamples, n]; they depend only on (seed, n). */
function draws(n: number, resamples: number, seed: number): Uint32Array {
  const key = `${n} ${resamples} ${seed}`;
  const draw = () => {
    const rng = CounterRng.of(seed, STREAMS.bootstrap, n);
    const picked = new Uint32Array(resamples * n);
    for (let i = 0; i < picked.length; i++) picked[i] = rng.int(n);
    return picked;
  };
  return kept(known, key, draw, KEPT);
}

/** Percentile interval of the given coverage; null for fewer than two values. */
export function bootstrapInterval(
  values: readonly number[],
  statistic: (sample: Float64Array) => number,
  { coverage = 0.95, ...options }: BootstrapOptions & { coverage?: number } = {},
): Interval | null {
  if (!(coverage > 0 && coverage < 1)) throw new RangeError(`coverage must lie between 0 and 1, got ${coverage}`);
  if (values.length < 2) return null;
  const drawn = bootstrap(values, statistic, options);
  const tail = (1 - coverage) / 2;
  return { low: quantileIn(drawn, tail), high: quantileIn(drawn, 1 - tail) };
}

/** Quantile with only the two needed order statistics put in place, since sorting ten thousand values takes longer than drawing
 *  them. */
function quantileIn(values: Float64Array, q: number): number {
  const low = Math.floor(q * (values.length - 1));
  settle(values, low, 0);
  settle(values, Math.min(low + 1, values.length - 1), low);
  return quantileOfSorted(values, q);
}

/** Hoare's selection: puts at index `place` the value that sorting would put there, with no greater value before it and no smaller after.
 *  Indices below `from` are already in place. No value may be NaN. */
function settle(values: Float64Array, place: number, from: number): void {
  let [low, high] = [from, values.length - 1];
  while (low < high) {
    const pivot = values[(low + high) >> 1];
    let [i, j] = [low, high];
    while (i <= j) {
      while (values[i] < pivot) i++;
      while (values[j] > pivot) j--;
      if (i > j) break;
      const own = values[i];
      values[i++] = values[j];
      values[j--] = own;
    }
    if (place <= j) high = j;
    else if (place >= i) low = i;
    else return;
  }
}
