// Means, standard deviations and quantiles for tables. The mean of an empty sample and the sd of a single value are null,
// never 0.

export function sum(values: ArrayLike<number>): number {
  let total = 0;
  for (let i = 0; i < values.length; i++) total += values[i];
  return total;
}

export function mean(values: ArrayLike<number>): number | null {
  return values.length === 0 ? null : sum(values) / values.length;
}

/** Sample standard deviation (n − 1); null for fewer than two values. */
export function sd(values: ArrayLike<number>): number | null {
  if (values.length < 2) return null;
  const centre = sum(values) / values.length;
  let squares = 0;
  for (let i = 0; i < values.length; i++) squares += (values[i] - centre) ** 2;
  return Math.sqrt(squares / (values.length - 1));
}

/** Standard error of the mean, sd/√n; null for fewer than two values. */
export function sem(values: ArrayLike<number>): number | null {
  const spread = sd(values);
  return spread === null ? null : spread / Math.sqrt(values.length);
}

/** Quantile by linear interpolation between order statistics (numpy's default, Hyndman & Fan type 7); null for an empty sample. */
export function quantile(values: ArrayLike<number>, q: number): number | null {
  if (!(q >= 0 && q <= 1)) throw new RangeError(`quantile(q) needs 0 ≤ q ≤ 1, got ${q}`);
  if (values.length === 0) return null;
  return quantileOfSorted(Float64Array.from(values).sort(), q);
}

/** Quantile of at least one value in ascending order. */
export function quantileOfSorted(sorted: ArrayLike<number>, q: number): number {
  const place = q * (sorted.length - 1);
  const low = Math.floor(place);
  const high = Math.min(low + 1, sorted.length - 1);
  return sorted[low] + (place - low) * (sorted[high] - sorted[low]);
}

/** Mean of the non-null values; null if there are none. */
export function meanOfKnown(values: readonly (number | null)[]): number | null {
  return mean(values.filter((value) => value !== null));
}

/** Welford's running mean and variance: one pass, no cancellation. */
export class Welford {
  #n = 0;
  #mean = 0;
  #squares = 0;

  add(value: number): void {
    this.#n++;
    const delta = value - this.#mean;
    this.#mean += delta / this.#n;
    this.#squares += delta * (value - this.#mean);
  }
  get n(): number {
    return this.#n;
  }
  get mean(): number | null {
    return this.#n === 0 ? null : this.#mean;
  }
  /** Sample standard deviation. */
  get sd(): number | null {
    return this.#n < 2 ? null : Math.sqrt(this.#squares / (this.#n - 1));
  }
}
