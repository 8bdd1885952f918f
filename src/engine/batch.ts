// A scored batch: forward over packed rows → log-probabilities of every completion token → backward to whatever sink.
// The logits [targets, vocab] are made in chunks of bounded size and never kept (a Qwen vocabulary has 151,936 columns);
// layers keep their activations while they fit the budget, otherwise only their inputs, and are run again for the backward.

import { type DeviceBuffer, type FloatArray, readFloats } from '../kernels/device.ts';
import {
  fill,
  gatherRows,
  logprob,
  logprobGrad,
  matmul,
  rmsnorm,
  rmsnormDw,
  rmsnormDx,
  scatterRows,
} from '../kernels/ops.ts';
import { StoppedError } from '../lib/errors.ts';
import { type Ends, endsOf } from './ends.ts';
import { DistinctRows, type EqualRows, equalRows, sharedRows } from './equal-rows.ts';
import type { KeptRows } from './kept-rows.ts';
import {
  type GradientSink,
  type LayerActivations,
  type LayerContext,
  layerAttention,
  layerForward,
  layerTail,
  type RowMeta,
  takeActivations,
} from './layer.ts';
import { endedBackward, layerBackward } from './layer-backward.ts';
import type { Packed } from './packing.ts';
import { type Resumed, ResumedRows, resume } from './resumed-rows.ts';

/** Elements of logits made at a time (64 MB). */
export const LOGITS_BUDGET = 1 << 24;
/** Bytes of activations kept over all layers before recomputation sets in. */
export const ACTIVATION_BUDGET = 768 * 2 ** 20;

/** What may be held at a time: elements of logits, and bytes of activations kept from the forward for the backward. */
export interface Budgets {
  logits: number;
  activations: number;
}
export const BUDGETS: Budgets = { logits: LOGITS_BUDGET, activations: ACTIVATION_BUDGET };

/** Receives the head's own gradients in pretraining; knob training passes none. */
export interface HeadGradients {
  /** dE += dlogitsᵀ h. */
  lmHead: DeviceBuffer;
  finalNorm: DeviceBuffer;
}

/** A backward pass to whatever sink: returns dx [rows, d] of the embeddings. */
export type BackwardTo = (sink: GradientSink, head?: HeadGradients) => DeviceBuffer;

export interface PassSettings {
  /** Smaller ones cost time and change no byte of the result. */
  budgets?: Budgets;
  /** Rows that are made room for, where a larger batch follows. */
  room?: number;
  /** What a rollout has computed with the same weights. */
  kept?: KeptRows | null;
}

export class PackedForward {
  private readonly meta: RowMeta;
  private readonly acts: LayerActivations[] = [];
  private readonly keepAll: boolean;
  /** Where it pays, and layers keep their activations: rows that are computed once. */
  private readonly equal: EqualRows | null;
  /** Of them, those that a rollout has computed. */
  private readonly kept: KeptRows | null;
  private readonly resumed: Resumed | null;
  private readonly room: number;
  /** Where layers keep their activations, on the CPU: the rows that the last layer's output is asked of. */
  private readonly ends: Ends | null;
  private readonly targetRows: DeviceBuffer;
  readonly targetIds: DeviceBuffer;
  private readonly hidden: DeviceBuffer;
  private readonly normed: DeviceBuffer;
  private readonly rstd: DeviceBuffer;
  readonly stats: DeviceBuffer;
  /** Target rows whose logits are made at a time. */
  readonly chunkRows: number;
  /** The single chunk of logits, still there from the forward, if it all fitted in one. */
  private fresh = false;

  constructor(
    private readonly ctx: LayerContext,
    private readonly packed: Packed,
    { budgets = BUDGETS, room = packed.rows, kept = null }: PassSettings = {},
  ) {
    this.room = room;
    const { arena, config } = ctx;
    const { hiddenSize: d, heads, kvHeads, headDim, ffn } = config;
    const { rows, targetRows } = packed;
    const targets = targetRows.length;
    const pos = this.putRows('batch.pos', packed.pos);
    const ranges = this.putRows('batch.ranges', packed.ranges, 4);
    const qEnd = this.putRows('batch.qEnd', packed.qEnd);
    this.meta = { rows, pos, ranges, qEnd, shift: 0, grow: 0 };
    const width = 3 * d + 4 * heads * headDim + 3 * kvHeads * headDim + 3 * ffn + 4 * heads;
    this.keepAll = rows * width * config.layers * 4 <= budgets.activations;
    this.kept = this.keepAll ? kept : null;
    this.resumed = this.kept && resume(this.kept, packed, equalRows(packed));
    this.equal = this.resumed?.equal ?? (this.keepAll ? sharedRows(ctx.device, packed) : null);
    this.ends = this.keepAll && ctx.device.kind === 'cpu' ? endsOf(packed) : null;
    this.targetRows = arena.put('batch.targetRows', targetRows);
    this.targetIds = arena.put('batch.targetIds', packed.targetIds);
    this.hidden = arena.take('batch.hidden', targets * d);
    this.normed = arena.take('batch.normed', targets * d);
    this.rstd = arena.take('batch.rstd', targets);
    this.stats = arena.take('batch.stats', targets * 3);
    const elements = Math.min(budgets.logits, ctx.device.limits.maxBindingBytes / 4);
    this.chunkRows = Math.max(1, Math.min(targets, Math.floor(elements / config.vocab)));
  }

  private putRows(label: string, data: Uint32Array, width = 1): DeviceBuffer {
    this.ctx.arena.take(label, this.room * width, 'u32');
    return this.ctx.arena.put(label, data);
  }

  private runLayer(layer: number, x: DeviceBuffer, out: DeviceBuffer): LayerActivations {
    const acts = takeActivations(this.ctx, this.keepAll ? `layer${layer}` : 'layer', this.room, x);
    layerForward(this.ctx, layer, acts, this.meta, (_, k, v) => ({ k, v }), out);
    return acts;
  }

  /** Embeddings and the first `layers` layers, then the residual stream after them of the rows that predict a token, into `hidden`.
   *  For no backward, two buffers do. */
  private runLayers(layers: number, signal?: AbortSignal, isKept = true): void {
    const { equal, packed, hidden: dst } = this;
    const { arena, config, device } = this.ctx;
    if (this.ends && layers === config.layers) {
      if (equal) this.runDistinct(equal, layers, signal);
      else this.runRows(layers, signal, isKept);
      return;
    }
    const src = equal ? this.runDistinct(equal, layers, signal) : this.runRows(layers, signal, isKept);
    const targets = { dst, rows: packed.targetRows.length, dim: config.hiddenSize };
    const index = equal
      ? arena.put(
          'equal.targetRows',
          packed.targetRows.map((row) => equal.rowOf[row]),
        )
      : this.targetRows;
    gatherRows(device, { src, index, ...targets });
  }

  /** The residual stream of the rows that differ. */
  private runDistinct(equal: EqualRows, layers: number, signal?: AbortSignal): DeviceBuffer {
    const { ctx, packed, kept, resumed } = this;
    const isWhole = layers === ctx.config.layers;
    const begun = kept && resumed && isWhole ? new ResumedRows(ctx, packed, kept, resumed) : null;
    let rows = begun ? null : new DistinctRows(ctx, packed, equal);
    for (let layer = 0; layer < layers; layer++) {
      if (signal?.aborted) throw new StoppedError();
      const x = this.ctx.arena.take(`x${layer}`, this.room * this.ctx.config.hiddenSize);
      const ends = layer === this.ctx.config.layers - 1 ? this.ends : null;
      this.acts[layer] = takeActivations(this.ctx, `layer${layer}`, this.room, x, ends?.rows);
      if (begun && layer < layers - 1) {
        begun.layer(layer, this.acts[layer]);
        continue;
      }
      rows ??= begun!.rest();
      if (ends) rows.last(layer, this.acts[layer], { ends, o: this.endsO(), hidden: this.hidden });
      else rows.layer(layer, this.acts[layer]);
    }
    return rows!.x;
  }

  /** What o_proj reads at the ends, [ends, heads · headDim]. */
  private endsO(): DeviceBuffer {
    const { heads, headDim } = this.ctx.config;
    return this.ctx.arena.take('ends.o', this.ends!.rows * heads * headDim);
  }

  /** The last layer, whose output is asked of the ends alone: into `hidden`. */
  private runEnds(layer: number, x: DeviceBuffer, { rows }: Ends): void {
    const { ctx, targetRows: index } = this;
    const { hiddenSize: d, heads, headDim } = ctx.config;
    const acts = takeActivations(ctx, `layer${layer}`, this.room, x, rows);
    this.acts[layer] = acts;
    layerAttention(ctx, layer, acts, this.meta, (_, k, v) => ({ k, v }));
    const o = this.endsO();
    gatherRows(ctx.device, { src: x, index, dst: acts.xMid, rows, dim: d });
    gatherRows(ctx.device, { src: acts.o, index, dst: o, rows, dim: heads * headDim });
    layerTail(ctx, layer, { ...acts, o }, rows, this.hidden);
  }

  /** The residual stream [rows, d]. */
  private runRows(layers: number, signal: AbortSignal | undefined, isKept: boolean): DeviceBuffer {
    const { config, weights, arena } = this.ctx;
    const length = this.room * config.hiddenSize;
    const ids = this.putRows('batch.ids', this.packed.ids);
    let x = arena.take('x0', length);
    weights.embedding.gather(ids, x, this.packed.rows);
    for (let layer = 0; layer < layers; layer++) {
      if (signal?.aborted) throw new StoppedError();
      if (this.ends && layer === config.layers - 1) {
        this.runEnds(layer, x, this.ends);
        break;
      }
      const out = arena.take(`x${isKept ? layer + 1 : (layer + 1) % 2}`, length);
      this.acts[layer] = this.runLayer(layer, x, out);
      x = out;
    }
    return x;
  }

  /** Residual stream after `layer` (0-based) at the rows that predict a token, [targets, d]. */
  async residual(layer: number, signal?: AbortSignal): Promise<FloatArray> {
    const { device, config } = this.ctx;
    this.runLayers(layer + 1, signal);
    return readFloats(device, this.hidden, 0, this.packed.targetRows.length * config.hiddenSize);
  }

  /** What the head reads at the rows that predict a token, into `normed` [targets, d]. For a backward it must be kept. */
  headRows(normed: DeviceBuffer, signal?: AbortSignal, isKept = false): void {
    const { device, config, weights } = this.ctx;
    const { hidden: x, rstd } = this;
    const size = { rows: this.packed.targetRows.length, dim: config.hiddenSize };
    this.runLayers(config.layers, signal, isKept);
    rmsnorm(device, { x, w: weights.get('model.norm.weight'), y: normed, rstd, eps: config.rmsEps, ...size });
  }

  /** Resolves to stats [targets, 3]: log-probability, log-sum-exp, entropy. `each` sees every chunk of logits once. */
  async forward(
    signal?: AbortSignal,
    each?: (logits: DeviceBuffer, from: number, count: number) => void,
  ): Promise<Float32Array> {
    const { device, config } = this.ctx;
    const { stats, targetIds } = this;
    const targets = this.packed.targetRows.length;
    this.headRows(this.normed, signal, true);
    for (let from = 0; from < targets; from += this.chunkRows) {
      const count = Math.min(this.chunkRows, targets - from);
      const logits = this.logits(from, count);
      logprob(device, { logits, targets: targetIds, stats, rows: count, vocab: config.vocab, rowOff: from });
      each?.(logits, from, count);
    }
    this.fresh = this.chunkRows >= targets;
    return (await readFloats(device, stats, 0, targets * 3)) as Float32Array;
  }

  /** Logits of target rows [from, from + count), in a shared buffer. */
  logits(from: number, count: number): DeviceBuffer {
    const { config, weights, arena } = this.ctx;
    const logits = arena.take('batch.logits', this.chunkRows * config.vocab);
    weights.head.logits(arena, this.normed, count, logits, from * config.hiddenSize);
    return logits;
  }

  /** coef [targets] = ∂L/∂logprob. Feeds every Linear's (dy, x) to the sink; returns dx [rows, d] of the embeddings. */
  backward(coef: Float32Array, sink: GradientSink, head?: HeadGradients): DeviceBuffer {
    const { device, config, arena } = this.ctx;
    const { stats, targetIds: targets } = this;
    const coefBuffer = arena.put('batch.coef', coef);
    const slope = (logits: DeviceBuffer, from: number, rows: number) =>
      logprobGrad(device, { logits, targets, stats, coef: coefBuffer, rows, vocab: config.vocab, rowOff: from });
    return this.backwardLogits(slope, sink, head);
  }

  /** As `backward`, for any loss: `slope` turns the logits of target rows [from, from + count) into ∂L/∂logits, in place;
   *  `isFresh` where they are still the forward's only chunk. */
  backwardLogits(
    slope: (logits: DeviceBuffer, from: number, count: number, isFresh: boolean) => void,
    sink: GradientSink,
    head?: HeadGradients,
  ): DeviceBuffer {
    const { device, config, weights, arena } = this.ctx;
    const { rows, targetRows } = this.packed;
    const { hiddenSize: d, vocab, layers } = config;
    const targets = targetRows.length;
    const { hidden, normed, rstd } = this;
    const dNormed = arena.take('grad.normed', targets * d);
    for (let from = 0; from < targets; from += this.chunkRows) {
      const count = Math.min(this.chunkRows, targets - from);
      const logits = this.fresh ? arena.take('batch.logits', this.chunkRows * vocab) : this.logits(from, count);
      slope(logits, from, count, this.fresh);
      weights.head.backward(arena, logits, count, dNormed, from * d);
      if (head) {
        matmul(device, {
          a: logits,
          b: normed,
          c: head.lmHead,
          m: vocab,
          n: d,
          k: count,
          ta: 1,
          bOff: from * d,
          beta: 1,
        });
      }
    }
    this.fresh = false;
    const dHidden = arena.take('grad.hidden', targets * d);
    const w = weights.get('model.norm.weight');
    if (head) rmsnormDw(device, { x: hidden, rstd, dy: dNormed, dw: head.finalNorm, rows: targets, dim: d, beta: 1 });
    rmsnormDx(device, { x: hidden, w, rstd, dy: dNormed, dx: dHidden, rows: targets, dim: d });
    const dx = arena.take('grad.x', rows * d);
    let layer = layers - 1;
    if (this.ends) {
      const acts = this.acts[layer];
      const ended = { some: this.ends, index: this.targetRows, tail: { ...acts, o: this.endsO() }, dSome: dHidden };
      endedBackward(this.ctx, layer--, acts, ended, this.meta, dx, sink);
    } else {
      fill(device, { x: dx, n: rows * d, value: 0 });
      scatterRows(device, { src: dHidden, index: this.targetRows, dst: dx, rows: targets, dim: d });
    }
    for (; layer >= 0; layer--) {
      let acts = this.acts[layer];
      if (!this.keepAll && layer < layers - 1) {
        acts = this.runLayer(layer, arena.take(`x${layer}`, rows * d), arena.take('grad.unused', rows * d));
      }
      layerBackward(this.ctx, layer, acts, this.meta, dx, sink);
    }
    return dx;
  }
}
