// One decoder layer of a decoding step, with the arithmetic of layer.ts bit for bit in fewer kernel calls: for devices on which a call
// costs more than the few rows it computes. Nothing is kept for a backward pass, so the residual stream is updated in place.
import type { DeviceBuffer } from '../../kernels/device.ts';
import { ops } from '../../kernels/ops.ts';
import { rotaryDim } from '../layer-types.ts';
import type { ModelConfig } from '../types.ts';
import { type LinearRole, linearShape, moduleName } from '../weight-names.ts';
import { attend, cacheHeads } from './key-values.ts';
import {
  type AnyActivations,
  type KeyValues,
  type LayerContext,
  layerMixer,
  type RowMeta,
  takeLayer,
} from './layer.ts';
import { mixerInput } from './linears.ts';

/** The cache into which a decoding step writes its keys and values. */
export interface StepCache {
  /** [rows, 2] Each row's position and cache row; the step's shift is added to both. */
  places: DeviceBuffer;
  of(layer: number): { k: DeviceBuffer; v: DeviceBuffer };
}

/** Elements per row of q, k and v of an attention layer together. */
export const qkvWidth = ({ heads, kvHeads, headDim }: ModelConfig) => (heads + 2 * kvHeads) * headDim;

/** x [rows, d] → the layer's output, in place. `keyValues` serves layers that take the ordinary path: linear, gated, or with biases. */
export function decodeLayer(
  ctx: LayerContext,
  layer: number,
  x: DeviceBuffer,
  meta: RowMeta,
  { cache, keyValues }: { cache: StepCache; keyValues: KeyValues },
): void {
  const { config, weights, device, arena } = ctx;
  const { rows } = meta;
  const acts = takeLayer(ctx, layer, 'roll', rows, x);
  const isLinear = 'mixed' in acts;
  if (isLinear || config.outputGate || config.qkvBias) layerMixer(ctx, layer, acts, meta, keyValues);
  else decodeAttention(ctx, layer, acts, meta, cache);
  const added = (role: LinearRole, a: DeviceBuffer) => {
    const [n, k] = linearShape(config, role);
    weights.products([weightOf(layer, role)], { a, c: x, m: rows, k, n: [n], beta: 1 }, arena);
  };
  added(isLinear ? 'out_proj' : 'o_proj', acts.o);

  const { hiddenSize: k, ffn: n, rmsEps: eps } = config;
  const { h2, rstd2, act } = acts;
  const w = weights.get(`model.layers.${layer}.post_attention_layernorm.weight`);
  const names = [weightOf(layer, 'gate_proj'), weightOf(layer, 'up_proj')] as const;
  if (!weights.gated(...names, { x, w, out: act, m: rows, n, k, eps })) {
    ops.rmsnorm(device, { x, w, y: h2, rstd: rstd2, rows, dim: k, eps });
    const both = arena.take('roll.gateUp', 2 * rows * n);
    weights.products(names, { a: h2, c: both, m: rows, k, n: [n, n] }, arena);
    ops.swiglu(device, { gate: both, up: both, upOff: rows * n, out: act, n: rows * n });
  }
  added('down_proj', act);
}

const weightOf = (layer: number, role: LinearRole) => `${moduleName(layer, role)}.weight`;

/** x [rows, d] → o of `acts`: input norm, q, k and v, storing k and v in the cache, attention. */
function decodeAttention(
  ctx: LayerContext,
  layer: number,
  acts: Exclude<AnyActivations, { mixed: DeviceBuffer }>,
  { rows, ranges, shift, grow }: RowMeta,
  cache: StepCache,
): void {
  const { device, config, weights, arena } = ctx;
  const { hiddenSize, heads, kvHeads, headDim, qkNorm, rmsEps: eps } = config;
  mixerInput(ctx, layer, acts, rows);
  const qkv = arena.take('roll.qkv', rows * qkvWidth(config));
  const roles = ['q_proj', 'k_proj', 'v_proj'] as const;
  const n = roles.map((role) => linearShape(config, role)[0]);
  const names = roles.map((role) => weightOf(layer, role));
  weights.products(names, { a: acts.h1, c: qkv, m: rows, k: hiddenSize, n }, arena);

  const { cos, sin } = weights;
  const normOf = (of: 'q' | 'k') => weights.get(`model.layers.${layer}.self_attn.${of}_norm.weight`);
  const [qNorm, kNorm] = qkNorm ? [normOf('q'), normOf('k')] : [cos, cos];
  const { k, v } = cache.of(layer);
  const shape = { rows, heads, kvHeads, headDim, turned: rotaryDim(config), normed: qkNorm ? 1 : 0, eps };
  cacheHeads(device, { qkv, qNorm, kNorm, cos, sin, places: cache.places, k, v, shift, ...shape });
  const { o, stats } = acts;
  attend(device, { q: qkv, k, v, ranges, o, stats, rows, heads, kvHeads, headDim, grow });
}
