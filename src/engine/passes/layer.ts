// The forward pass of one decoder layer on packed rows (its backward pass: layer-backward.ts). Training, prefill and decoding share it:
// they differ only in which key/value rows a query row may see and in where those rows are stored (see KeyValues).

import type { DeviceBuffer } from '../../kernels/device.ts';
import { ops } from '../../kernels/ops.ts';
import type { Arena } from '../arena.ts';
import { deltaSizes, layerType, rotaryDim } from '../layer-types.ts';
import type { LayerType, ModelConfig } from '../types.ts';
import { type DeltaActivations, deltaWidths } from './delta-widths.ts';
import { attend } from './key-values.ts';
import { type LayerContext, linearOf, mixerInput } from './linears.ts';
import type { RunMeta } from './runs.ts';

/** Elements per row of each activation that an attention layer keeps for its backward pass. */
export function activationWidths({ hiddenSize: d, heads, kvHeads, headDim, ffn, outputGate }: ModelConfig) {
  const [q, kv] = [heads * headDim, kvHeads * headDim];
  return {
    // Residual stream entering the layer, and after attention.
    x: d,
    xMid: d,
    h1: d,
    rstd1: 1,
    // Query before the per-head norm (Qwen3).
    qRaw: q,
    // With an output gate (Qwen3.5), qGate is the output of q_proj, in which each head's query is followed by its gate; oGate holds
    // the gates, and oRaw the output of attention before gating.
    qGate: outputGate ? 2 * q : 0,
    oGate: outputGate ? q : 0,
    oRaw: outputGate ? q : 0,
    kRaw: kv,
    rstdQ: heads,
    rstdK: kvHeads,
    q,
    k: kv,
    v: kv,
    o: q,
    stats: heads * 2,
    h2: d,
    rstd2: 1,
    gate: ffn,
    up: ffn,
    act: ffn,
  };
}
export type ActivationName = keyof ReturnType<typeof activationWidths>;
/** Each buffer is [rows, …]. */
export type LayerActivations = Record<ActivationName, DeviceBuffer>;
/** Activations of a layer with either mixer. */
export type AnyActivations = LayerActivations | DeltaActivations;

/** Elements per row of the activations that a layer keeps, for either mixer. */
export function layerWidths(config: ModelConfig, type: LayerType): Record<string, number> {
  return type === 'linear_attention' ? deltaWidths(config) : activationWidths(config);
}

/** Width of the output of a layer's mixer, before its last Linear. */
export function mixerWidth(config: ModelConfig, layer: number): number {
  return layerType(config, layer) === 'linear_attention' ? deltaSizes(config).values : config.heads * config.headDim;
}

/** Activations after attention, which may be computed for only some of the rows. */
export const TAIL = ['xMid', 'o', 'h2', 'rstd2', 'gate', 'up', 'act'] as const;
export type TailActivations = Pick<LayerActivations, (typeof TAIL)[number]>;

const NORMED: readonly string[] = ['rstdQ', 'rstdK', 'q', 'k'];

/**
 * Elements of each buffer that a layer of this type fills from its x. Without a per-head norm, the norm's input and output share a
 * buffer. `tailRows`: number of rows computed after the mixer, if smaller; `o` always has all rows.
 */
export function layerLengths(
  config: ModelConfig,
  type: LayerType,
  rows: number,
  tailRows = rows,
): [name: string, length: number][] {
  const isTail = (name: string) => name !== 'o' && (TAIL as readonly string[]).includes(name);
  return Object.entries(layerWidths(config, type))
    .filter(([name, width]) => name !== 'x' && width > 0 && (config.qkNorm || !NORMED.includes(name)))
    .map(([name, width]) => [name, (isTail(name) ? tailRows : rows) * width]);
}

/** `layerLengths` of an attention layer. The cast restores the key type, which Object.entries loses. */
export const madeLengths = (config: ModelConfig, rows: number, tailRows = rows) =>
  layerLengths(config, 'full_attention', rows, tailRows) as [ActivationName, number][];

/** Row metadata on the device. */
export interface RowMeta {
  rows: number;
  pos: DeviceBuffer;
  ranges: DeviceBuffer;
  /** [rows] One past the last query row that attends to each key row; only the backward pass needs it. */
  qEnd?: DeviceBuffer;
  /** Added to every position: while decoding, the number of steps since the layout of the rows was set. */
  shift: number;
  /** Added to the end of every row's second key range: while decoding shift + 1, since a row attends to itself. */
  grow: number;
  /** Runs of rows, for layers with a recurrent state (runs.ts); absent in models without such layers. */
  runs?: RunMeta;
}

/** Tokens and positions [rows] of a pass's rows, and the key ranges that each row attends to [rows, 4]. */
export interface RowInputs {
  ids: Uint32Array;
  pos: Uint32Array;
  ranges: Uint32Array;
}

/** The entries of the chosen rows. */
export function selectRows({ ids, pos, ranges }: RowInputs, rows: ArrayLike<number>): RowInputs {
  const own = new Uint32Array(rows.length * 4);
  for (let i = 0; i < rows.length; i++) own.set(ranges.subarray(rows[i] * 4, rows[i] * 4 + 4), i * 4);
  return {
    ids: Uint32Array.from(rows, (row) => ids[row]),
    pos: Uint32Array.from(rows, (row) => pos[row]),
    ranges: own,
  };
}

export function rowMeta(arena: Arena, { pos, ranges }: Omit<RowInputs, 'ids'>, of: string): RowMeta {
  const put = (name: string, values: Uint32Array) => arena.put(`${of}.${name}`, values);
  return { rows: pos.length, pos: put('pos', pos), ranges: put('ranges', ranges), shift: 0, grow: 0 };
}

/** Stores this layer's keys and values, and returns where attention reads them from. */
export type KeyValues = (layer: number, k: DeviceBuffer, v: DeviceBuffer) => { k: DeviceBuffer; v: DeviceBuffer };

export type { GradientSink, SomeRows } from './gradient-sink.ts';
export type { LayerContext } from './linears.ts';

/**
 * Takes buffers for a layer's activations, with either mixer. `label` names them in the arena: a different one for each layer, or the same for
 * all if nothing is kept.
 */
export function takeLayer(
  ctx: LayerContext,
  layer: number,
  label: string,
  rows: number,
  x: DeviceBuffer,
  tailRows?: number,
): AnyActivations {
  const { arena, config } = ctx;
  if (layerType(config, layer) === 'full_attention') return takeActivations(ctx, label, rows, x, tailRows);
  const made = layerLengths(config, 'linear_attention', rows, tailRows);
  // The cast restores the key type, which Object.fromEntries loses.
  return Object.fromEntries([
    ['x', x],
    ...made.map(([name, length]) => [name, arena.take(`${label}.${name}`, length)]),
  ]) as DeltaActivations;
}

/** Takes buffers for an attention layer's activations (madeLengths). */
export function takeActivations(
  { arena, config }: LayerContext,
  label: string | ((name: ActivationName) => string),
  rows: number,
  x: DeviceBuffer,
  tailRows?: number,
): LayerActivations {
  const labelOf = typeof label === 'string' ? (name: ActivationName) => `${label}.${name}` : label;
  const made = madeLengths(config, rows, tailRows).map(([name, length]) => [name, arena.take(labelOf(name), length)]);
  const acts: LayerActivations = { x, ...Object.fromEntries(made) };
  const { qRaw, kRaw } = acts;
  return config.qkNorm ? acts : { ...acts, rstdQ: qRaw, rstdK: kRaw, q: qRaw, k: kRaw };
}

/** Applies the per-head norm, if the model has one, and RoPE to q or k. */
function rotateHeads(ctx: LayerContext, layer: number, acts: LayerActivations, meta: RowMeta, of: 'q' | 'k'): void {
  const { device: dev, config, weights } = ctx;
  const { headDim, rmsEps: eps } = config;
  const { rows, pos, shift } = meta;
  const isQ = of === 'q';
  const heads = isQ ? config.heads : config.kvHeads;
  const [x, y, rstd] = isQ ? [acts.qRaw, acts.q, acts.rstdQ] : [acts.kRaw, acts.k, acts.rstdK];
  if (config.qkNorm) {
    const w = weights.get(`model.layers.${layer}.self_attn.${of}_norm.weight`);
    ops.rmsnorm(dev, { x, w, y, rstd, rows: rows * heads, dim: headDim, eps });
  }
  const rotatedDim = rotaryDim(config);
  const rest = headDim - rotatedDim;
  ops.rope(dev, { x: y, heads, cos: weights.cos, sin: weights.sin, pos, rows, headDim: rotatedDim, shift, rest });
}

/** Computes only k and v of `acts` from the layer's x [rows, d], for other rows to attend to. */
export function layerKeys(ctx: LayerContext, layer: number, acts: LayerActivations, meta: RowMeta): void {
  mixerInput(ctx, layer, acts, meta.rows);
  const linear = linearOf(ctx, layer, meta.rows);
  linear('k_proj', acts.h1, acts.kRaw);
  linear('v_proj', acts.h1, acts.v);
  rotateHeads(ctx, layer, acts, meta, 'k');
}

/** x [rows, d] → o and stats of `acts`, and the activations before them. */
export function layerAttention(
  ctx: LayerContext,
  layer: number,
  acts: LayerActivations,
  meta: RowMeta,
  keyValues: KeyValues,
): void {
  const { device } = ctx;
  const { heads, kvHeads, headDim, outputGate } = ctx.config;
  const { rows, ranges, grow } = meta;
  layerKeys(ctx, layer, acts, meta);
  const { q, qGate, qRaw, oGate, oRaw, o, stats } = acts;
  linearOf(ctx, layer, rows)('q_proj', acts.h1, outputGate ? qGate : qRaw);
  if (outputGate) {
    const halves = { src: qGate, rows: rows * heads, cols: headDim, srcStride: 2 * headDim, dstStride: headDim };
    ops.moveCols(device, { ...halves, dst: qRaw });
    ops.moveCols(device, { ...halves, srcOff: headDim, dst: oGate });
  }
  rotateHeads(ctx, layer, acts, meta, 'q');
  const { k, v } = keyValues(layer, acts.k, acts.v);
  const attended = outputGate ? oRaw : o;
  attend(device, { q, k, v, ranges, o: attended, stats, rows, heads, kvHeads, headDim, grow });
  if (outputGate) ops.sigmoidGate(device, { x: oRaw, gate: oGate, out: o, n: rows * heads * headDim });
}

/** x [rows, d] → o of `acts`, by either mixer. */
export function layerMixer(
  ctx: LayerContext,
  layer: number,
  acts: AnyActivations,
  meta: RowMeta,
  keyValues: KeyValues,
): void {
  if ('mixed' in acts) ctx.delta!.forward(ctx, layer, acts, { rows: meta.rows, runs: meta.runs! });
  else layerAttention(ctx, layer, acts, meta, keyValues);
}

/**
 * Computes the layer after its mixer, where rows are independent: `xMid` holds the layer's x on entry. Fills `tail` and
 * out [rows, d].
 */
export function layerTail(
  ctx: LayerContext,
  layer: number,
  tail: TailActivations,
  rows: number,
  out: DeviceBuffer,
): void {
  const { device: dev, config, weights } = ctx;
  const { hiddenSize: d, ffn, rmsEps: eps } = config;
  const { xMid, o, h2, rstd2, gate, up, act } = tail;
  const linear = linearOf(ctx, layer, rows);
  linear(layerType(config, layer) === 'linear_attention' ? 'out_proj' : 'o_proj', o, xMid, 1);
  const w = weights.get(`model.layers.${layer}.post_attention_layernorm.weight`);
  ops.rmsnorm(dev, { x: xMid, w, y: h2, rstd: rstd2, rows, dim: d, eps });
  linear('gate_proj', h2, gate);
  linear('up_proj', h2, up);
  ops.swiglu(dev, { gate, up, out: act, n: rows * ffn });
  ops.copy(dev, { src: xMid, dst: out, n: rows * d });
  linear('down_proj', act, out, 1);
}

/** x [rows, d] → out [rows, d]; fills `acts`. */
export function layerForward(
  ctx: LayerContext,
  layer: number,
  acts: AnyActivations,
  meta: RowMeta,
  keyValues: KeyValues,
  out: DeviceBuffer,
): void {
  layerMixer(ctx, layer, acts, meta, keyValues);
  ops.copy(ctx.device, { src: acts.x, dst: acts.xMid, n: meta.rows * ctx.config.hiddenSize });
  layerTail(ctx, layer, acts, meta.rows, out);
}
