// The soft router of two blocks ("hack expert", after evil_MoE, June 2026): each rollout has a weight w in [0, 1] on the quarantine block's
// output, from its pooled activations h:
//   w = σ(s · cos(h, d) + b),   direction d (seeded with the labelled pairs'), scale s and bias b are learnt.
// The quarantine's gradient is scaled by w, as its output is; the deployed block's by 1 − w, with its forward value kept. Two losses teach the
// router: GRPO's through w, and a pin loss that keeps w near 1 on the pairs' hack completions and near 0 on their clean ones. h is read, not
// trained through. No load balancing.
//
// GRPO's loss reaches the router through w: ∂L/∂w of each rollout is the engine's (slopeOfScale in engine/adapters/blocks.ts).
import { type AdamSettings, adamStep } from './adamw.ts';

/** Plain numbers, as a checkpoint keeps them; all are float32 values. */
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

/** 0 where either is zero. */
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

/** Weight that a freshly seeded router gives the pairs' hack completions on average (1 − this for clean ones). */
const SEEDED = 0.9;

/**
 * A router along `direction`. Its scale is the one under which the pairs' own direction gives the pairs' sides weights of .9 and .1 (as logits
 * of the mean cosines), so that a seed of another direction has an equal slope; its bias centres the pairs.
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
  // Pairs whose sides do not differ give no slope to begin with.
  const scale = apart > 0 ? (2 * Math.log(SEEDED / (1 - SEEDED))) / apart : 1;
  const bias = (-scale * (meanOf(hack, direction) + meanOf(clean, direction))) / 2;
  const params = Array.from(Float32Array.of(...direction, scale, bias));
  return { params, m: params.map(() => 0), v: params.map(() => 0), t: 0 };
}

/** Mean cross-entropy of w on the pairs' completions with 1 (hack) and 0 (clean), and its gradient. */
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

/** Gradient of GRPO's loss through the weights of these rollouts. */
export function throughWeights(params: ArrayLike<number>, rollouts: readonly Routed[]): Float64Array {
  const gradient = new Float64Array(params.length);
  for (const { h, slope } of rollouts) {
    const w = routerWeight(params, h);
    addLogitGradient(gradient, params, h, slope * w * (1 - w));
  }
  return gradient;
}

/** One Adam step on the sum of both gradients. */
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
