// One decoder layer, backward: from the gradient of its output to that of its input, handing every Linear's (dy, x) to a sink. What
// follows attention is each row's own and can be gone back through for some rows alone: those whose output is looked at (batch.ts).
import type { DeviceBuffer } from '../../kernels/device.ts';
import { ops } from '../../kernels/ops.ts';
import { type LinearRole, linearShape, moduleName } from '../weight-names.ts';
import type { GradientSink, LayerActivations, LayerContext, RowMeta, SomeRows, TailActivations } from './layer.ts';

/** The steps that a layer's backward is made of, for `rows` rows. `room`: rows that scratch is taken for, the same for all layers. */
function steps({ device, config, weights, arena }: LayerContext, layer: number, room: number, sink: GradientSink) {
  const norm = (name: string) => `model.layers.${layer}.${name}.weight`;
  return {
    take: (name: string, width: number) => arena.take(`grad.${name}`, room * width),
    toSink(role: LinearRole, dy: DeviceBuffer, x: DeviceBuffer, of?: SomeRows) {
      const [dOut, dIn] = linearShape(config, role);
      const name = moduleName(layer, role);
      sink.linear(name, dy, x, dOut, dIn, of);
      const bias = sink.small(`${name}.bias`);
      if (bias) ops.colSum(device, { x: dy, out: bias, rows: of?.rows ?? room, cols: dOut, beta: 1 });
    },
    /** dIn (+)= dy W */
    through(role: LinearRole, dy: DeviceBuffer, c: DeviceBuffer, rows: number, beta = 0) {
      const [dOut, dIn] = linearShape(config, role);
      const b = weights.linear(`${moduleName(layer, role)}.weight`);
      ops.matmul(device, { a: dy, b, c, m: rows, n: dIn, k: dOut, beta });
    },
    normBackward(
      name: string,
      { x, rstd, dy, dx }: Record<'x' | 'rstd' | 'dy' | 'dx', DeviceBuffer>,
      size: { rows: number; dim: number; beta: number },
    ) {
      const dw = sink.small(norm(name));
      if (dw) ops.rmsnormDw(device, { x, rstd, dy, dw, ...size, beta: 1 });
      ops.rmsnormDx(device, { x, w: weights.get(norm(name)), rstd, dy, dx, ...size });
    },
  };
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
  const { heads, headDim } = ctx.config;
  const dO = ctx.arena.take('grad.o', meta.rows * heads * headDim);
  tailBackward(ctx, layer, acts, { room: meta.rows, dx, dO }, sink);
  attentionBackward(ctx, layer, acts, meta, dO, dx, sink);
}

/** As layerBackward, where the output of `some` rows alone is looked at: dSome [some, d] is its gradient on entry, dx [rows, d] the
 *  input's on return. `index`: which of the batch's rows they are. */
export function endedBackward(
  ctx: LayerContext,
  layer: number,
  acts: LayerActivations,
  { some, index, tail, dSome }: { some: SomeRows; index: DeviceBuffer; tail: TailActivations; dSome: DeviceBuffer },
  meta: RowMeta,
  dx: DeviceBuffer,
  sink: GradientSink,
): void {
  const { device, arena, config } = ctx;
  const { rows } = meta;
  const qDim = config.heads * config.headDim;
  // This reuses the room of dq, which is written later.
  const ofSome = arena.take('grad.q', rows * qDim);
  tailBackward(ctx, layer, tail, { room: rows, dx: dSome, dO: ofSome, some }, sink);
  const dO = arena.take('grad.o', rows * qDim);
  for (const [src, dst, dim] of [[ofSome, dO, qDim] as const, [dSome, dx, config.hiddenSize] as const]) {
    ops.fill(device, { x: dst, n: rows * dim, value: 0 });
    ops.scatterRows(device, { src, index, dst, rows: some.rows, dim });
  }
  attentionBackward(ctx, layer, acts, meta, dO, dx, sink);
}

/** Through MLP and o_proj: dx [rows, d] of the output becomes that of the residual stream after attention; writes dO. */
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
  toSink('o_proj', dx, o, some);
  through('o_proj', dx, dO, rows);
}

/** Through attention: dO [rows, heads · headDim] and dx [rows, d] of the residual stream behind it; dx of the layer's input on return. */
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
  ops.attentionDelta(dev, { dO, o: acts.o, stats, rows, heads, headDim });
  ops.attentionDq(dev, { q, k, v, ranges: meta.ranges, stats, dO, dq, rows, heads, kvHeads, headDim });
  ops.attentionDkv(dev, { q, k, v, stats, dO, qEnd: meta.qEnd!, dk, dv, rows, heads, kvHeads, headDim });
  const angles = { cos: weights.cos, sin: weights.sin, pos, rows, headDim, inverse: 1 };
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
  toSink('q_proj', dqRaw, acts.h1);
  toSink('k_proj', dkRaw, acts.h1);
  toSink('v_proj', dv, acts.h1);
  if (layer === 0 && sink.stopsAtFirstLayer) return;
  through('q_proj', dqRaw, dh, rows);
  through('k_proj', dkRaw, dh, rows, 1);
  through('v_proj', dv, dh, rows, 1);
  normBackward('input_layernorm', { x: acts.x, rstd: acts.rstd1, dy: dh, dx }, { rows, dim: d, beta: 1 });
}
