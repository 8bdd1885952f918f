// One-sided Jacobi SVD with single pairs of vectors (Hestenes): a sweep is a round-robin tournament of `jacobi_round` kernels, after
// which convergence is checked. Used for matrices of the embedded models' size; larger ones use blocks (svd-blocks.ts).
import { DeviceError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { type Device, type DeviceBuffer, type FloatArray, put, readFloats } from './device.ts';
import { ops } from './ops.ts';
import type { Orthogonalised, SvdOptions } from './svd-types.ts';

const MAX_SWEEPS = 60;

/** Sweeps until all pairs of rows are orthogonal to working precision: a = v start with v orthogonal. */
export async function turnPairs(
  device: Device,
  start: Float64Array,
  n: number,
  m: number,
  options: SvdOptions,
): Promise<Orthogonalised> {
  const double = device.precision === 'f64';
  // A pair is rotated if its cosine exceeds `tol`; a sweep without a cosine above `stop` is the last.
  const tol = double ? 1e-15 : 2e-7;
  const stop = double ? 1e-13 : 2e-6;
  const rounds = tournament(n);
  const perRound = Math.floor(n / 2);
  const pairList = Uint32Array.from(rounds.flat());
  const identity = new Float64Array(n * n);
  for (let i = 0; i < n; i++) identity[i * n + i] = 1;
  const taken: DeviceBuffer[] = [];
  const own = (buffer: DeviceBuffer) => {
    taken.push(buffer);
    return buffer;
  };
  try {
    const a = own(put(device, start, 'svd.a'));
    const v = own(put(device, identity, 'svd.v'));
    const pairs = own(put(device, pairList.length > 0 ? pairList : new Uint32Array(2), 'svd.pairs'));
    const off = own(device.alloc(Math.max(1, pairList.length / 2), 'f32', 'svd.off'));
    const norms = own(device.alloc(n, 'f32', 'svd.norms'));
    let sweep = 0;
    let previous = Infinity;
    while (n > 1) {
      await options.breathe?.();
      if (options.signal?.aborted) throw new StoppedError('svd stopped', 'Start it again; it takes a few seconds.');
      if (++sweep > MAX_SWEEPS)
        throw new DeviceError(
          `svd of ${n} vectors of length ${m} did not converge in ${MAX_SWEEPS} sweeps (cosine ${previous}).`,
          'Report the matrix; on another device it may converge.',
        );
      for (let round = 0; round < rounds.length; round++)
        ops.jacobiRound(device, { a, v, pairs, off, m, nv: n, count: perRound, pairOff: round * perRound, tol });
      ops.rowDot(device, { a, b: a, out: norms, r: n, cols: m });
      const cosines = await readFloats(device, off);
      const largest = largestCosine(cosines, pairList, await readFloats(device, norms), double ? 1e-26 : 1e-13);
      options.onProgress?.(sweep, largest);
      options.onShare?.(sweep / (sweep + 1));
      const atNoise = largest <= 10 * stop && largest > previous / 2;
      if (largest <= stop || atNoise) break;
      previous = largest;
    }
    const turned = { a: await readFloats(device, a), v: await readFloats(device, v), sweeps: sweep };
    // A GPU sums in single precision, so its result is polished. The CPU's result must keep its bits, since published runs depend on it.
    if (device.kind !== 'webgpu') return turned;
    return (await import('./svd-polish.ts')).polish(turned, start, n, m, options);
  } finally {
    for (const buffer of taken) buffer.free();
  }
}

/** Every pair of 0 … n-1 once, in rounds of floor(n/2) disjoint pairs (circle method; with odd n, one sits out each round). */
export function tournament(n: number): number[][] {
  const seats = n + (n % 2);
  return Array.from({ length: Math.max(0, seats - 1) }, (_, round) => {
    const pairs: number[] = [];
    for (let i = 0; i < seats / 2; i++) {
      const p = i === 0 ? seats - 1 : (round + i) % (seats - 1);
      const q = (round + seats - 1 - i) % (seats - 1);
      if (p < n && q < n) pairs.push(Math.min(p, q), Math.max(p, q));
    }
    return pairs;
  });
}

/** The largest cosine over pairs of which neither vector is numerically zero (squared norm at most `zero` times the
 *  largest). */
function largestCosine(cosines: FloatArray, pairs: Uint32Array, squaredNorms: FloatArray, zero: number): number {
  let top = 0;
  for (const norm of squaredNorms) top = Math.max(top, norm);
  let largest = 0;
  for (let i = 0; i < cosines.length; i++)
    if (squaredNorms[pairs[i * 2]] > zero * top && squaredNorms[pairs[i * 2 + 1]] > zero * top)
      largest = Math.max(largest, cosines[i]);
  return largest;
}
