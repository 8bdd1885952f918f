// Converts orthogonal vectors to SVD factors: their lengths are the singular values, sorted in descending order; vectors of
// numerically zero ones are replaced so that the set is orthonormal. Runs on the host, in double precision.
import { StoppedError } from '@projected-grpo-lab/base/errors.ts';
import type { Orthogonalised, SvdOptions } from './svd-types.ts';

interface Triplet {
  sigma: number;
  /** Unit vectors of length m and n. */
  long: Float64Array;
  short: Float64Array;
}

/** Bounds of rounding noise. A vector whose length is below `weak` is orthogonalised again; one below `zero` counts as zero. */
interface Noise {
  /** Both bounds are relative to the largest singular value. */
  weak: number;
  zero: number;
  /** Number of times that a weak vector is orthogonalised. */
  passes: number;
}

/** Floating-point operations between two pauses: about 100 ms. */
const PAUSE_FLOPS = 1e8;

/** Sorts and normalises the vectors, and completes those of numerically zero singular values to orthonormal sets. */
export async function finish(
  { a, v }: Orthogonalised,
  n: number,
  m: number,
  noise: Noise,
  { signal, breathe }: SvdOptions,
): Promise<Triplet[]> {
  const triplets = Array.from({ length: n }, (_, i): Triplet => {
    const long = Float64Array.from(a.subarray(i * m, (i + 1) * m));
    const short = Float64Array.from(v.subarray(i * n, (i + 1) * n));
    const sigma = norm(long);
    scaleBy(short, 1 / norm(short));
    return { sigma, long, short };
  }).sort((x, y) => y.sigma - x.sigma);
  // Real weights have singular values between the two bounds, and dropping them would be visible in U Σ Vh.
  const weak = triplets[0].sigma * noise.weak;
  const zero = triplets[0].sigma * noise.zero;
  const done = new Basis(m);
  let since = 0;
  for (const triplet of triplets) {
    if (triplet.sigma <= weak && triplet.sigma > 0) {
      for (let pass = 0; pass < noise.passes; pass++) strip(triplet.long, done.vectors);
      triplet.sigma = norm(triplet.long);
      since += 4 * m * done.vectors.length * noise.passes;
    }
    if (triplet.sigma > zero) {
      scaleBy(triplet.long, 1 / triplet.sigma);
    } else {
      triplet.sigma = 0;
      triplet.long = done.complement();
      since += 8 * m * done.vectors.length;
    }
    done.vectors.push(triplet.long);
    if (since < PAUSE_FLOPS) continue;
    since = 0;
    await breathe?.();
    if (signal?.aborted) throw new StoppedError('svd stopped', 'Start it again: matrices that were done are kept.');
  }
  // Orthogonalising may have changed the order of two nearly equal values.
  return triplets.sort((x, y) => y.sigma - x.sigma);
}

/** Fewer than m orthonormal vectors of length m, with a method to extend them. */
class Basis {
  readonly vectors: Float64Array[] = [];
  /** Sum of squares of the first `counted` vectors, by coordinate. */
  private readonly covered: Float64Array;
  private counted = 0;

  constructor(private readonly m: number) {
    this.covered = new Float64Array(m);
  }

  /** A unit vector orthogonal to all others: the least covered coordinate axis, orthogonalised twice. */
  complement(): Float64Array {
    const { vectors, covered, m } = this;
    for (; this.counted < vectors.length; this.counted++) {
      const b = vectors[this.counted];
      for (let j = 0; j < m; j++) covered[j] += b[j] * b[j];
    }
    // The axis least covered by the basis keeps at least sqrt((m − |basis|)/m) of its length.
    let axis = 0;
    for (let j = 1; j < m; j++) if (covered[j] < covered[axis]) axis = j;
    const x = new Float64Array(m);
    x[axis] = 1;
    for (let pass = 0; pass < 2; pass++) {
      strip(x, vectors);
      scaleBy(x, 1 / norm(x));
    }
    return x;
  }
}

/** Subtracts from x its components along these orthonormal vectors. */
function strip(x: Float64Array, basis: readonly Float64Array[]): void {
  for (const b of basis) {
    let dot = 0;
    for (let j = 0; j < x.length; j++) dot += b[j] * x[j];
    for (let j = 0; j < x.length; j++) x[j] -= dot * b[j];
  }
}

function norm(x: Float64Array): number {
  let sum = 0;
  for (const value of x) sum += value * value;
  return Math.sqrt(sum);
}

function scaleBy(x: Float64Array, factor: number): void {
  for (let i = 0; i < x.length; i++) x[i] *= factor;
}
