// The mixer of a linear layer (Qwen3.5): a short convolution, and the gated delta rule on a state of fixed size. Its norms reuse the
// kernels of RMSNorm and SwiGLU: x / ‖x‖ is RMSNorm with weights 1/√keyDim, and w · norm(o) · silu(z) is RMSNorm, then SwiGLU.
import { ops } from '../../kernels/ops.ts';
import { type DeltaSizes, deltaSizes } from '../layer-types.ts';
import type { DeltaActivations } from './delta-widths.ts';
import { type LayerContext, linearOf, mixerInput } from './linears.ts';
import type { RunMeta } from './runs.ts';

/** Added to a head's Σ x² before the head is scaled to length 1. */
const UNIT_EPS = 1e-6;

/** Sizes of the delta rule as its kernels take them. */
export const ruleShape = ({ keyHeads, valueHeads: heads, keyDim, valueDim }: DeltaSizes) => ({
  keyHeads,
  heads,
  keyDim,
  valueDim,
});

/** First channel and number of channels of the convolution's two parts. */
export const convParts = ({ keys, values }: DeltaSizes) => ({
  qkRaw: { first: 0, cols: 2 * keys },
  values: { first: 2 * keys, cols: values },
});

/** Convolves a call's runs, and stores their last rows for the runs that follow them. */
export function convolve(
  { device, config, weights }: LayerContext,
  layer: number,
  runs: RunMeta,
  call: RunMeta['calls'][number],
  acts: Pick<DeltaActivations, 'mixed' | 'qkRaw' | 'values'>,
  rows: number,
): void {
  const sizes = deltaSizes(config);
  const { channels: width, convWidth: taps } = sizes;
  const { past } = runs.statesOf(layer);
  const w = weights.get(`model.layers.${layer}.linear_attn.conv1d.weight`);
  for (const [name, part] of Object.entries(convParts(sizes))) {
    const out = acts[name as keyof ReturnType<typeof convParts>];
    ops.convSilu(device, { m: acts.mixed, w, runs: runs.table, past, out, rows, width, taps, ...part, ...call });
  }
}

/** x [rows, d] → o of `acts`, and the activations before it. */
export function layerDelta(
  ctx: LayerContext,
  layer: number,
  acts: DeltaActivations,
  { rows, runs }: { rows: number; runs: RunMeta },
): void {
  const { device, config, weights } = ctx;
  const sizes = deltaSizes(config);
  const { keyHeads, valueHeads, keyDim, valueDim, values } = sizes;
  const weight = (name: string) => weights.get(`model.layers.${layer}.linear_attn.${name}`);
  const { qkRaw, rstdQk, qk, gates, read, rstdO, normed, z, a, b } = acts;
  mixerInput(ctx, layer, acts, rows);
  const linear = linearOf(ctx, layer, rows);
  linear('in_proj_qkv', acts.h1, acts.mixed);
  linear('in_proj_z', acts.h1, z);
  linear('in_proj_b', acts.h1, b);
  linear('in_proj_a', acts.h1, a);
  for (const call of runs.calls) convolve(ctx, layer, runs, call, acts, rows);
  const unit = { w: weights.unitKeys, y: qk, rstd: rstdQk, dim: keyDim, eps: UNIT_EPS / keyDim };
  ops.rmsnorm(device, { x: qkRaw, ...unit, rows: rows * 2 * keyHeads });
  ops.deltaGates(device, { a, b, aLog: weight('A_log'), dtBias: weight('dt_bias'), gates, rows, heads: valueHeads });
  const { states } = runs.statesOf(layer);
  const rule = { qk, v: acts.values, gates, runs: runs.table, states, o: read, rows, ...ruleShape(sizes) };
  for (const call of runs.calls) ops.deltaRule(device, { ...rule, ...call });
  const norm = { w: weight('norm.weight'), y: normed, rstd: rstdO, dim: valueDim, eps: config.rmsEps };
  ops.rmsnorm(device, { x: read, ...norm, rows: rows * valueHeads });
  ops.swiglu(device, { gate: z, up: normed, out: acts.o, n: rows * values });
}
