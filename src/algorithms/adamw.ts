// AdamW (Loshchilov & Hutter 2019) on host parameter vectors. It returns the step Δ instead of applying it, because under
// project_target = "update" the step is projected. It runs on the host, so
// the result does not depend on the device of the backward pass.
import { sumSquares } from './vectors.ts';

export interface AdamSettings {
  beta1: number;
  beta2: number;
  adamEps: number;
}

/** First and second moments, and the number of steps. */
export interface Moments {
  m: Float32Array;
  v: Float32Array;
  t: number;
}

export function zeroMoments(length: number): Moments {
  return { m: new Float32Array(length), v: new Float32Array(length), t: 0 };
}

/** Updates the moments in place with `gScale · g` and returns Δ = lr · m̂ / (√v̂ + ε), to be subtracted from the parameters. */
export function adamStep(
  moments: Moments,
  g: Float32Array,
  gScale: number,
  lr: number,
  adam: AdamSettings,
): Float32Array {
  const { m, v } = moments;
  const { beta1, beta2, adamEps } = adam;
  moments.t++;
  const bias1 = 1 / (1 - beta1 ** moments.t);
  const bias2 = 1 / (1 - beta2 ** moments.t);
  const step = new Float32Array(g.length);
  for (let i = 0; i < g.length; i++) {
    const grad = gScale * g[i];
    m[i] = beta1 * m[i] + (1 - beta1) * grad;
    v[i] = beta2 * v[i] + (1 - beta2) * grad * grad;
    step[i] = (lr * m[i] * bias1) / (Math.sqrt(v[i] * bias2) + adamEps);
  }
  return step;
}

/** Divisor √v̂ + ε of each element in the last step; needs at least one step. */
export function divisorOf(
  { v, t }: Moments,
  { beta2, adamEps }: Pick<AdamSettings, 'beta2' | 'adamEps'>,
): Float32Array {
  const bias2 = 1 / (1 - beta2 ** t);
  return v.map((x) => Math.sqrt(x * bias2) + adamEps);
}

/** Norm of several vectors concatenated. */
export function jointNorm(vectors: readonly Float32Array[]): number {
  let squares = 0;
  for (const vector of vectors) squares += sumSquares(vector);
  return Math.sqrt(squares);
}

/** Factor that clips a gradient of norm `norm` to `limit`. */
export function clipScale(norm: number, limit: number): number {
  return norm > limit ? limit / norm : 1;
}
