// AdamW (Loshchilov & Hutter 2019) on host parameter vectors. It returns the step Δ instead of applying it, because under
// project_target = "update" the step is what is split. A parameter vector has a few thousand elements: the host is fast enough,
// and gives the same bytes whatever device ran the backward pass.
import { sumSquares } from './vectors.ts';

export interface AdamSettings {
  beta1: number;
  beta2: number;
  adamEps: number;
}

/** First and second moments, and how many steps they have seen. */
export interface Moments {
  m: Float32Array;
  v: Float32Array;
  t: number;
}

export function zeroMoments(length: number): Moments {
  return { m: new Float32Array(length), v: new Float32Array(length), t: 0 };
}

/** Feeds `gScale · g` to the moments (changed in place) and returns Δ = lr · m̂ / (√v̂ + ε): what is to be subtracted. */
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

/** Divisor √v̂ + ε of each element in the last step. Call it after one step at least. */
export function divisorOf(
  { v, t }: Moments,
  { beta2, adamEps }: Pick<AdamSettings, 'beta2' | 'adamEps'>,
): Float32Array {
  const bias2 = 1 / (1 - beta2 ** t);
  return v.map((x) => Math.sqrt(x * bias2) + adamEps);
}

/** Length of several vectors laid end to end. */
export function jointNorm(vectors: readonly Float32Array[]): number {
  let squares = 0;
  for (const vector of vectors) squares += sumSquares(vector);
  return Math.sqrt(squares);
}

/** Factor that brings a gradient of length `norm` down to at most `limit`. */
export function clipScale(norm: number, limit: number): number {
  return norm > limit ? limit / norm : 1;
}
