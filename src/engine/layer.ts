// One decoder layer, forward and backward, on packed rows. The same forward serves training, prefill and decoding: they differ
// only in which key/value rows a query row may see, and in where those rows lie (see KeyValues).

import type { Device, DeviceBuffer } from '../kernels/device.ts';
import {
  attention,
  attentionDelta,
  attentionDkv,
  attentionDq,
  biasAdd,
  colSum,
  copy,
  matmul,
  rmsnorm,
  rmsnormDw,
  rmsnormDx,
  rope,
  swiglu,
  swigluGrad,
} from '../kernels/ops.ts';
import type { Arena } from './memory/arena.ts';
import type { ModelConfig } from './types.ts';
import { type LinearRole, linearShape, moduleName } from './weight-names.ts';
import type { DeviceWeights } from './weights/weights.ts';

/** What a layer leaves behind for its backward; all [rows, …]. */
export interface LayerActivations {
  /** Residual stream entering the layer, and after attention. */
  x: DeviceBuffer;
  xMid: DeviceBuffer;
  h1: DeviceBuffer;
  rstd1: DeviceBuffer;
  /** Before the per-head norm (Qwen3); the same buffers as q and k where there is none. */
  qRaw: DeviceBuffer;
  kRaw: DeviceBuffer;
  rstdQ: DeviceBuffer;
  rstdK: DeviceBuffer;
  q: DeviceBuffer;
  k: DeviceBuffer;
  v: DeviceBuffer;
  o: DeviceBuffer;
  stats: DeviceBuffer;
  h2: DeviceBuffer;
  rstd2: DeviceBuffer;
  gate: DeviceBuffer;
  up: DeviceBuffer;
  act: DeviceBuffer;
}

/** Row metadata on the device. */
export interface RowMeta {
  rows: number;
  pos: DeviceBuffer;
  ranges: DeviceBuffer;
  /** Only for a backward pass. */
  qEnd?: DeviceBuffer;
  /** Added to every pos and to the end of every range's second part (decoding step by step). */
  shift: number;
  /** decoding: shift of the attention range, counted apart because the first decoded row sees itself. */
  grow: number;
}

/** Where keys and values of this layer are read from, once this layer's own have been handed over. */
export type KeyValues = (layer: number, k: DeviceBuffer, v: DeviceBuffer) => { k: DeviceBuffer; v: DeviceBuffer };

export interface LayerContext {
  device: Device;
  config: ModelConfig;
  weights: DeviceWeights;
  arena: Arena;
}

/** Receives what each Linear's gradient is made of: dy [rows, dOut], x [rows, dIn]; with `bias`, dy's column sums too. */
export interface GradientSink {
  linear(name: string, dy: DeviceBuffer, x: DeviceBuffer, dOut: number, dIn: number): void;
  /** Gradient buffers of the small weights (norms, biases), or null where only knobs are trained. */
  small(name: string): DeviceBuffer | null;
  /** True if the gradient of the layer's own input is of no use (knobs only, first layer). */
  readonly stopsAtFirstLayer: boolean;
}

/** Elements per row of each. */
export function activationWidths(config: ModelConfig): Record<keyof LayerActivations, number> {
  const { hiddenSize: d, heads, kvHeads, headDim, ffn } = config;
  const [q, kv] = [heads * headDim, kvHeads * headDim];
  return {
    ...{ x: d, xMid: d, h1: d, rstd1: 1, qRaw: q, kRaw: kv, rstdQ: heads, rstdK: kvHeads },
    ...{ q, k: kv, v: kv, o: q, stats: heads * 2, h2: d, rstd2: 1, gate: ffn, up: ffn, act: ffn },
  };
}

/** Buffers of one layer's activations. `label` names them in the arena: apart by layer, or the same for all where nothing is kept. */
export function takeActivations(
  { arena, config }: LayerContext,
  label: string | ((name: keyof LayerActivations) => string),
  rows: number,
  x: DeviceBuffer,
): LayerActivations {
  const widths = activationWidths(config);
  const take = (name: keyof LayerActivations) =>
    arena.take(typeof label === 'string' ? `${label}.${name}` : label(name), rows * widths[name]);
  const qRaw = take('qRaw');
  const kRaw = take('kRaw');
  const normed = config.qkNorm
    ? { rstdQ: take('rstdQ'), rstdK: take('rstdK'), q: take('q'), k: take('k') }
    : { rstdQ: qRaw, rstdK: kRaw, q: qRaw, k: kRaw };
  return {
    ...{ x, xMid: take('xMid'), h1: take('h1'), rstd1: take('rstd1'), qRaw, kRaw, ...normed },
    ...{ v: take('v'), o: take('o'), stats: take('stats'), h2: take('h2'), rstd2: take('rstd2') },
    ...{ gate: take('gate'), up: take('up'), act: take('act') },
  };
}

type Linear = (role: LinearRole, a: DeviceBuffer, c: DeviceBuffer, beta?: number) => void;

/** c (+)= a Wᵀ (+ bias) of one of a layer's Linears, for `rows` rows. */
function linearOf({ device, config, weights }: LayerContext, layer: number, rows: number): Linear {
  return (role, a, c, beta = 0) => {
    const [n, k] = linearShape(config, role);
    const name = moduleName(layer, role);
    matmul(device, { a, b: weights.linear(`${name}.weight`), c, m: rows, n, k, tb: 1, beta });
    if (config.qkvBias && (role === 'q_proj' || role === 'k_proj' || role === 'v_proj')) {
      biasAdd(device, { x: c, bias: weights.get(`${name}.bias`), rows, cols: n });
    }
  };
}

/** The heads of q or k, normed where the model does so, and turned. */
function turned(ctx: LayerContext, layer: number, acts: LayerActivations, meta: RowMeta, of: 'q' | 'k'): void {
  const { device: dev, config, weights } = ctx;
  const { headDim, rmsEps: eps } = config;
  const { rows, pos, shift } = meta;
  const isQ = of === 'q';
  const heads = isQ ? config.heads : config.kvHeads;
  const [x, y, rstd] = isQ ? [acts.qRaw, acts.q, acts.rstdQ] : [acts.kRaw, acts.k, acts.rstdK];
  if (config.qkNorm) {
    const w = weights.get(`model.layers.${layer}.self_attn.${of}_norm.weight`);
    rmsnorm(dev, { x, w, y, rstd, rows: rows * heads, dim: headDim, eps });
  }
  rope(dev, { x: y, heads, cos: weights.cos, sin: weights.sin, pos, rows, headDim, shift });
}

/** What a layer leaves for others to look at, and no more: k and v of `acts`, from its x [rows, d]. */
export function layerKeys(ctx: LayerContext, layer: number, acts: LayerActivations, meta: RowMeta): void {
  const { device: dev, config, weights } = ctx;
  const { x, h1, rstd1 } = acts;
  const { rows } = meta;
  const w = weights.get(`model.layers.${layer}.input_layernorm.weight`);
  rmsnorm(dev, { x, w, y: h1, rstd: rstd1, rows, dim: config.hiddenSize, eps: config.rmsEps });
  const linear = linearOf(ctx, layer, rows);
  linear('k_proj', h1, acts.kRaw);
  linear('v_proj', h1, acts.v);
  turned(ctx, layer, acts, meta, 'k');
}

/** x [rows, d] → out [rows, d]; fills `acts`. */
export function layerForward(
  ctx: LayerContext,
  layer: number,
  acts: LayerActivations,
  meta: RowMeta,
  keyValues: KeyValues,
  out: DeviceBuffer,
): void {
  const { device: dev, config, weights } = ctx;
  const { hiddenSize: d, heads, kvHeads, headDim, ffn, rmsEps: eps } = config;
  const { rows } = meta;
  const linear = linearOf(ctx, layer, rows);

  layerKeys(ctx, layer, acts, meta);
  linear('q_proj', acts.h1, acts.qRaw);
  turned(ctx, layer, acts, meta, 'q');
  const { k, v } = keyValues(layer, acts.k, acts.v);
  const { q, o, stats } = acts;
  attention(dev, { q, k, v, ranges: meta.ranges, o, stats, rows, heads, kvHeads, headDim, grow: meta.grow });
  copy(dev, { src: acts.x, dst: acts.xMid, n: rows * d });
  linear('o_proj', acts.o, acts.xMid, 1);

  const w = weights.get(`model.layers.${layer}.post_attention_layernorm.weight`);
  rmsnorm(dev, { x: acts.xMid, w, y: acts.h2, rstd: acts.rstd2, rows, dim: d, eps });
  linear('gate_proj', acts.h2, acts.gate);
  linear('up_proj', acts.h2, acts.up);
  swiglu(dev, { gate: acts.gate, up: acts.up, out: acts.act, n: rows * ffn });
  copy(dev, { src: acts.xMid, dst: out, n: rows * d });
  linear('down_proj', acts.act, out, 1);
}

/** dx [rows, d]: the gradient of the layer's output on entry, of its input on return. */
export function layerBackward(
  ctx: LayerContext,
  layer: number,
  acts: LayerActivations,
  meta: RowMeta,
  dx: DeviceBuffer,
  sink: GradientSink,
): void {
  const { device: dev, config, weights, arena } = ctx;
  const { hiddenSize: d, heads, kvHeads, headDim, ffn } = config;
  const { rows, pos } = meta;
  const qDim = heads * headDim;
  const kvDim = kvHeads * headDim;
  const take = (name: string, width: number) => arena.take(`grad.${name}`, rows * width);
  const norm = (name: string) => `model.layers.${layer}.${name}.weight`;
  const toSink = (role: LinearRole, dy: DeviceBuffer, x: DeviceBuffer) => {
    const [dOut, dIn] = linearShape(config, role);
    const name = moduleName(layer, role);
    sink.linear(name, dy, x, dOut, dIn);
    const bias = sink.small(`${name}.bias`);
    if (bias) colSum(dev, { x: dy, out: bias, rows, cols: dOut, beta: 1 });
  };
  /** dIn (+)= dy W */
  const through = (role: LinearRole, dy: DeviceBuffer, c: DeviceBuffer, beta = 0) => {
    const [dOut, dIn] = linearShape(config, role);
    const b = weights.linear(`${moduleName(layer, role)}.weight`);
    matmul(dev, { a: dy, b, c, m: rows, n: dIn, k: dOut, beta });
  };
  const normBackward = (
    name: string,
    x: DeviceBuffer,
    rstd: DeviceBuffer,
    dy: DeviceBuffer,
    into: DeviceBuffer,
    count: number,
    dim: number,
    beta: number,
  ) => {
    const dw = sink.small(norm(name));
    if (dw) rmsnormDw(dev, { x, rstd, dy, dw, rows: count, dim, beta: 1 });
    rmsnormDx(dev, { x, w: weights.get(norm(name)), rstd, dy, dx: into, rows: count, dim, beta });
  };

  const dAct = take('act', ffn);
  const dGate = take('gate', ffn);
  const dUp = take('up', ffn);
  const dh = take('h', d);
  toSink('down_proj', dx, acts.act);
  through('down_proj', dx, dAct);
  swigluGrad(dev, { gate: acts.gate, up: acts.up, dOut: dAct, dGate, dUp, n: rows * ffn });
  toSink('gate_proj', dGate, acts.h2);
  toSink('up_proj', dUp, acts.h2);
  through('gate_proj', dGate, dh);
  through('up_proj', dUp, dh, 1);
  normBackward('post_attention_layernorm', acts.xMid, acts.rstd2, dh, dx, rows, d, 1);

  const dO = take('o', qDim);
  const dq = take('q', qDim);
  const dk = take('k', kvDim);
  const dv = take('v', kvDim);
  toSink('o_proj', dx, acts.o);
  through('o_proj', dx, dO);
  const { q, k, v, stats } = acts;
  attentionDelta(dev, { dO, o: acts.o, stats, rows, heads, headDim });
  attentionDq(dev, { q, k, v, ranges: meta.ranges, stats, dO, dq, rows, heads, kvHeads, headDim });
  attentionDkv(dev, { q, k, v, stats, dO, qEnd: meta.qEnd!, dk, dv, rows, heads, kvHeads, headDim });
  const angles = { cos: weights.cos, sin: weights.sin, pos, rows, headDim, inverse: 1 };
  rope(dev, { x: dq, heads, ...angles });
  rope(dev, { x: dk, heads: kvHeads, ...angles });
  let dqRaw = dq;
  let dkRaw = dk;
  if (config.qkNorm) {
    dqRaw = take('qRaw', qDim);
    dkRaw = take('kRaw', kvDim);
    normBackward('self_attn.q_norm', acts.qRaw, acts.rstdQ, dq, dqRaw, rows * heads, headDim, 0);
    normBackward('self_attn.k_norm', acts.kRaw, acts.rstdK, dk, dkRaw, rows * kvHeads, headDim, 0);
  }
  toSink('q_proj', dqRaw, acts.h1);
  toSink('k_proj', dkRaw, acts.h1);
  toSink('v_proj', dv, acts.h1);
  if (layer === 0 && sink.stopsAtFirstLayer) return;
  through('q_proj', dqRaw, dh);
  through('k_proj', dkRaw, dh, 1);
  through('v_proj', dv, dh, 1);
  normBackward('input_layernorm', acts.x, acts.rstd1, dh, dx, rows, d, 1);
}
