// The soft router of two blocks ("hack expert", after evil_MoE, June 2026): each rollout's quarantine output is weighted by w in [0, 1],
// computed from its pooled activations h:
//   w = σ(s · cos(h, d) + b),   with learned direction d (initialised from labelled pairs), scale s and bias b.
// The quarantine's gradient is scaled by w, like its output; the deployed block's by 1 − w, with its forward value unchanged. The router has
// two losses: GRPO's through w, and a pin loss that keeps w near 1 on the pairs' hack completions and near 0 on their clean ones. No gradient
// flows through h, and there is no load balancing.
//
// The engine computes ∂L/∂w of GRPO's loss for each rollout (slopeOfScale in engine/adapters/blocks.ts).
import { type AdamSettings, adamStep } from './adamw.ts';

/** Float32 values in plain arrays, as in a checkpoint. */
export interface RouterState {
  /** Direction [hiddenSize], then scale and bias. */
  params: number[];
  m: number[];
  v: number[];
  t: number;
}

const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));

const dot = (a: ArrayLike<number>, b: ArrayLike<number>, n: number): number => {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
};

/** Cosine of the angle; 0 if either vector is zero. */
function cosine(h: ArrayLike<number>, direction: ArrayLike<number>): number {
  const n = h.length;
  const lengths = Math.sqrt(dot(h, h, n) * dot(direction, direction, n));
  return lengths === 0 ? 0 : dot(h, direction, n) / lengths;
}

/** w of activations h. */
export function routerWeight(params: ArrayLike<number>, h: ArrayLike<number>): number {
  const n = h.length;
  return sigmoid(params[n] * cosine(h, params) + params[n + 1]);
}

/** Adds `slope` · ∂(s cos(h, d) + b)/∂params to `into`. */
function addLogitGradient(into: Float64Array, params: ArrayLike<number>, h: ArrayLike<number>, slope: number): void {
  const n = h.length;
  const [hh, dd] = [Math.sqrt(dot(h, h, n)), Math.sqrt(dot(params, params, n))];
  const cos = cosine(h, params);
  if (hh > 0 && dd > 0)
    for (let i = 0; i < n; i++) into[i] += (slope * params[n] * (h[i] / hh - (cos * params[i]) / dd)) / dd;
  into[n] += slope * cos;
  into[n + 1] += slope;
}

/** Initial weight of the pairs' hack completions at their mean cosine (1 − this for clean ones). */
const SEEDED = 0.9;

/**
 * An initial router along `direction`. Its scale is chosen such that the pairs' own direction gives hack and clean weights of .9 and .1 at the
 * mean cosines, so that a router with another direction has the same slope; its bias centres the pairs.
 */
export function seededRouter(
  direction: Float32Array,
  own: Float32Array,
  hack: readonly Float32Array[],
  clean: readonly Float32Array[],
): RouterState {
  const meanOf = (rows: readonly Float32Array[], along: Float32Array) =>
    rows.reduce((sum, h) => sum + cosine(h, along), 0) / rows.length;
  const apart = meanOf(hack, own) - meanOf(clean, own);
  // If hack and clean do not differ, the scale is 1.
  const scale = apart > 0 ? (2 * Math.log(SEEDED / (1 - SEEDED))) / apart : 1;
  const bias = (-scale * (meanOf(hack, direction) + meanOf(clean, direction))) / 2;
  const params = Array.from(Float32Array.of(...direction, scale, bias));
  return { params, m: params.map(() => 0), v: params.map(() => 0), t: 0 };
}

/** Mean cross-entropy of w on the pairs' completions with targets 1 (hack) and 0 (clean), and its gradient. */
export function pinLoss(
  params: ArrayLike<number>,
  hack: readonly Float32Array[],
  clean: readonly Float32Array[],
): { loss: number; gradient: Float64Array } {
  const gradient = new Float64Array(params.length);
  const n = hack.length + clean.length;
  let loss = 0;
  for (const [rows, wanted] of [[hack, 1] as const, [clean, 0] as const])
    for (const h of rows) {
      const logit = params[h.length] * cosine(h, params) + params[h.length + 1];
      // −log σ(±logit), without overflow.
      const signed = wanted === 1 ? -logit : logit;
      loss += (Math.max(signed, 0) + Math.log1p(Math.exp(-Math.abs(signed)))) / n;
      addLogitGradient(gradient, params, h, (sigmoid(logit) - wanted) / n);
    }
  return { loss, gradient };
}

/** A rollout's activations, and ∂L/∂w of GRPO's loss. */
interface Routed {
  h: Float32Array;
  slope: number;
}

/** Gradient of GRPO's loss with respect to the router's parameters, through the weights of these rollouts. */
export function throughWeights(params: ArrayLike<number>, rollouts: readonly Routed[]): Float64Array {
  const gradient = new Float64Array(params.length);
  for (const { h, slope } of rollouts) {
    const w = routerWeight(params, h);
    addLogitGradient(gradient, params, h, slope * w * (1 - w));
  }
  return gradient;
}

/** One Adam step of the router. */
export function routerStep(
  { params, m, v, t }: RouterState,
  gradient: ArrayLike<number>,
  lr: number,
  adam: AdamSettings,
): RouterState {
  const moments = { m: Float32Array.from(m), v: Float32Array.from(v), t };
  const step = adamStep(moments, Float32Array.from(gradient), 1, lr, adam);
  return {
    params: params.map((x, i) => Math.fround(x - step[i])),
    m: Array.from(moments.m),
    v: Array.from(moments.v),
    t: moments.t,
  };
}
