// Differences of two paired samples (by seed), with spread and interval. What both members of a pair share, such as a lucky
// seed, cancels.
import { kept } from '../lib/kept.ts';
import { type BootstrapOptions, bootstrapInterval, type Interval } from './bootstrap.ts';
import { mean, sd, sum } from './moments.ts';

export interface PairedDifference {
  n: number;
  /** after − before, pair by pair. */
  differences: number[];
  mean: number;
  /** Standard deviation of the differences; null at n = 1. */
  sd: number | null;
  /** 95% percentile bootstrap interval over the pairs; null at n = 1. */
  interval: Interval | null;
}

/** Throws RangeError unless both have the same length, at least 1. */
export function pairedDifference(
  before: readonly number[],
  after: readonly number[],
  options: BootstrapOptions = {},
): PairedDifference {
  if (before.length !== after.length || before.length === 0)
    throw new RangeError(`pairs need as many values before as after, got ${before.length} and ${after.length}`);
  const differences = after.map((value, i) => value - before[i]);
  return {
    n: differences.length,
    differences,
    mean: mean(differences) as number,
    sd: sd(differences),
    interval: intervalOf(differences, options),
  };
}

const meanOf = (sample: Float64Array): number => sum(sample) / sample.length;

// The same rows are used in tables, figures and sentences, and each interval takes ten thousand resamples.
const known = new Map<string, Interval | null>();
const KEPT = 4096;

function intervalOf(differences: readonly number[], options: BootstrapOptions): Interval | null {
  const key = `${options.resamples} ${options.seed} ${differences.join(' ')}`;
  const interval = kept(known, key, () => bootstrapInterval(differences, meanOf, options), KEPT);
  return interval && { ...interval };
}
