// The bootstrap: what a statistic would have been on samples drawn, with replacement, from the sample itself. Efron and
// Tibshirani, "An Introduction to the Bootstrap" (1993), chapters 6 and 13. A leaf; its draws are counted, never timed, so
// the same sample always gets the same interval.
import { CounterRng, STREAMS } from '../rng/index.ts';
import { quantile } from './moments.ts';

export interface BootstrapOptions {
  /** Resamples drawn. 10,000 leave an interval's end uncertain by about a fiftieth of its width. */
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
  const rng = CounterRng.of(seed, STREAMS.bootstrap, values.length);
  const sample = new Float64Array(values.length);
  return Float64Array.from({ length: resamples }, () => {
    for (let i = 0; i < sample.length; i++) sample[i] = values[rng.int(values.length)];
    return statistic(sample);
  });
}

/** Percentile interval of the given coverage; null below two values, which have no spread to draw from. */
export function bootstrapInterval(
  values: readonly number[],
  statistic: (sample: Float64Array) => number,
  { coverage = 0.95, ...options }: BootstrapOptions & { coverage?: number } = {},
): Interval | null {
  if (!(coverage > 0 && coverage < 1)) throw new RangeError(`coverage must lie between 0 and 1, got ${coverage}`);
  if (values.length < 2) return null;
  const drawn = bootstrap(values, statistic, options);
  const tail = (1 - coverage) / 2;
  return { low: quantile(drawn, tail) as number, high: quantile(drawn, 1 - tail) as number };
}
