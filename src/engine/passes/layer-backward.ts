// The backward pass of one decoder layer: from the gradient of its output to that of its input, passing every Linear's (dy, x) to a
// sink. After attention, rows are independent, so that part can run for only the rows whose output the loss depends on (ends.ts).
import type { DeviceBuffer } from '../../kernels/device.ts';
import { ops } from '../../kernels/ops.ts';
import { layerType, rotaryDim } from '../layer-types.ts';
import {
  type AnyActivations,
  type GradientSink,
  type LayerActivations,
  mixerWidth,
  type RowMeta,
  type SomeRows,
  type TailActivations,
} from './layer.ts';
import type { LayerContext } from './linears.ts';
import { steps } from './steps.ts';

/** dx [rows, d] is the gradient of the layer's output on entry, and of its input on return. */
export function layerBackward(
  ctx: LayerContext,
  layer: number,
  acts: AnyActivations,
  meta: RowMeta,
  dx: DeviceBuffer,
  sink: GradientSink,
): void {
  const dO = ctx.arena.take('grad.o', meta.rows * mixerWidth(ctx.config, layer));
  tailBackward(ctx, layer, acts, { room: meta.rows, dx, dO }, sink);
  mixerBackward(ctx, layer, acts, meta, dO, dx, sink);
}

/**
 * layerBackward for a loss that depends only on the output of `some` rows. dSome [some, d] is the gradient of that output on entry;
 * dx [rows, d] is that of the layer's input on return. `index` [some] holds the row numbers in the batch.
 */
export function someRowsBackward(
  ctx: LayerContext,
  layer: number,
  acts: AnyActivations,
  { some, index, tail, dSome }: { some: SomeRows; index: DeviceBuffer; tail: TailActivations; dSome: DeviceBuffer },
  meta: RowMeta,
  dx: DeviceBuffer,
  sink: GradientSink,
): void {
  const { device, arena, config } = ctx;
  const { rows } = meta;
  const width = mixerWidth(config, layer);
  // This reuses the buffer of dq, which is written later.
  const ofSome = arena.take('grad.q', rows * width);
  tailBackward(ctx, layer, tail, { room: rows, dx: dSome, dO: ofSome, some }, sink);
  const dO = arena.take('grad.o', rows * width);
  for (const [src, dst, dim] of [[ofSome, dO, width] as const, [dSome, dx, config.hiddenSize] as const]) {
    ops.fill(device, { x: dst, n: rows * dim, value: 0 });
    ops.scatterRows(device, { src, index, dst, rows: some.rows, dim });
  }
  mixerBackward(ctx, layer, acts, meta, dO, dx, sink);
}

/** Backward through attention or a linear layer's mixer; dO [rows, mixerWidth] is overwritten. */
function mixerBackward(
  ctx: LayerContext,
  layer: number,
  acts: AnyActivations,
  meta: RowMeta,
  dO: DeviceBuffer,
  dx: DeviceBuffer,
  sink: GradientSink,
): void {
  if ('mixed' in acts) ctx.delta!.backward(ctx, layer, acts, { rows: meta.rows, runs: meta.runs!, dO, dx }, sink);
  else attentionBackward(ctx, layer, acts, meta, dO, dx, sink);
}

/** Backward through the MLP and the mixer's output projection: dx [rows, d] is the gradient of the layer's output on entry, and that of
 *  the residual stream after the mixer on return; writes dO. */
function tailBackward(
  ctx: LayerContext,
  layer: number,
  { xMid, o, h2, rstd2, gate, up, act }: TailActivations,
  { room, dx, dO, some }: { room: number; dx: DeviceBuffer; dO: DeviceBuffer; some?: SomeRows },
  sink: GradientSink,
): void {
  const { hiddenSize: d, ffn } = ctx.config;
  const rows = some?.rows ?? room;
  const { take, toSink, through, normBackward } = steps(ctx, layer, room, sink);
  const dAct = take('act', ffn);
  const dGate = take('gate', ffn);
  const dUp = take('up', ffn);
  const dh = take('h', d);
  toSink('down_proj', dx, act, some);
  through('down_proj', dx, dAct, rows);
  ops.swigluGrad(ctx.device, { gate, up, dOut: dAct, dGate, dUp, n: rows * ffn });
  toSink('gate_proj', dGate, h2, some);
  toSink('up_proj', dUp, h2, some);
  through('gate_proj', dGate, dh, rows);
  through('up_proj', dUp, dh, rows, 1);
  normBackward('post_attention_layernorm', { x: xMid, rstd: rstd2, dy: dh, dx }, { rows, dim: d, beta: 1 });
  const last = layerType(ctx.config, layer) === 'linear_attention' ? 'out_proj' : 'o_proj';
  toSink(last, dx, o, some);
  through(last, dx, dO, rows);
}

/**
 * Backward through attention: takes dO [rows, heads · headDim] and dx [rows, d], the gradient of the residual stream after attention;
 * on return dx is the gradient of the layer's input.
 */
function attentionBackward(
  ctx: LayerContext,
  layer: number,
  acts: LayerActivations,
  meta: RowMeta,
  dO: DeviceBuffer,
  dx: DeviceBuffer,
  sink: GradientSink,
): void {
  const { device: dev, config, weights } = ctx;
  const { hiddenSize: d, heads, kvHeads, headDim } = config;
  const { rows, pos } = meta;
  const { take, toSink, through, normBackward } = steps(ctx, layer, rows, sink);
  const dq = take('q', heads * headDim);
  const dk = take('k', kvHeads * headDim);
  const dv = take('v', kvHeads * headDim);
  const dh = take('h', d);
  const { q, k, v, stats } = acts;
  let o = acts.o;
  let dGate: DeviceBuffer | null = null;
  if (config.outputGate) {
    const [dOut, gates] = [take('oRaw', heads * headDim), take('oGate', heads * headDim)];
    ops.copy(dev, { src: dO, dst: dOut, n: rows * heads * headDim });
    const gated = { x: acts.oRaw, gate: acts.oGate, dOut, n: rows * heads * headDim };
    ops.sigmoidGateGrad(dev, { ...gated, dX: dO, dGate: gates });
    o = acts.oRaw;
    dGate = gates;
  }
  ops.attentionDelta(dev, { dO, o, stats, rows, heads, headDim });
  ops.attentionDq(dev, { q, k, v, ranges: meta.ranges, stats, dO, dq, rows, heads, kvHeads, headDim });
  ops.attentionDkv(dev, { q, k, v, stats, dO, qEnd: meta.qEnd!, dk, dv, rows, heads, kvHeads, headDim });
  const rotatedDim = rotaryDim(config);
  const angles = {
    cos: weights.cos,
    sin: weights.sin,
    pos,
    rows,
    headDim: rotatedDim,
    inverse: 1,
    rest: headDim - rotatedDim,
  };
  ops.rope(dev, { x: dq, heads, ...angles });
  ops.rope(dev, { x: dk, heads: kvHeads, ...angles });
  let dqRaw = dq;
  let dkRaw = dk;
  if (config.qkNorm) {
    dqRaw = take('qRaw', heads * headDim);
    dkRaw = take('kRaw', kvHeads * headDim);
    const of = (count: number) => ({ rows: rows * count, dim: headDim, beta: 0 });
    normBackward('self_attn.q_norm', { x: acts.qRaw, rstd: acts.rstdQ, dy: dq, dx: dqRaw }, of(heads));
    normBackward('self_attn.k_norm', { x: acts.kRaw, rstd: acts.rstdK, dy: dk, dx: dkRaw }, of(kvHeads));
  }
  if (dGate) {
    const halves = { rows: rows * heads, cols: headDim, srcStride: headDim, dstStride: 2 * headDim };
    const both = take('qGate', 2 * heads * headDim);
    ops.moveCols(dev, { ...halves, src: dqRaw, dst: both });
    ops.moveCols(dev, { ...halves, src: dGate, dst: both, dstOff: headDim });
    dqRaw = both;
  }
  toSink('q_proj', dqRaw, acts.h1);
  toSink('k_proj', dkRaw, acts.h1);
  toSink('v_proj', dv, acts.h1);
  if (layer === 0 && sink.stopsAtFirstLayer) return;
  through('q_proj', dqRaw, dh, rows);
  through('k_proj', dkRaw, dh, rows, 1);
  through('v_proj', dv, dh, rows, 1);
  normBackward('input_layernorm', { x: acts.x, rstd: acts.rstd1, dy: dh, dx }, { rows, dim: d, beta: 1 });
}
