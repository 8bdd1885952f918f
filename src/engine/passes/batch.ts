// Scores a batch: forward over packed rows → log-probabilities of every completion token → backward to a gradient sink.
// Logits [targets, vocab] are computed in chunks of bounded size and never kept (a Qwen vocabulary has 151,936 columns).
// Layers keep their activations while they fit the budget; otherwise they keep only their inputs and are recomputed in the backward pass.

import { type DeviceBuffer, type FloatArray, readFloats } from '../../kernels/device.ts';
import { ops } from '../../kernels/ops.ts';
import type { ActivationCache } from './activation-cache.ts';
import type { GradientSink, LayerContext } from './layer.ts';
import { ACTIVATION_BUDGET, PackedLayers } from './packed-layers.ts';
import type { Packed } from './packing.ts';

/** Most elements of logits computed at a time (64 MB). */
export const LOGITS_BUDGET = 1 << 24;

/** Memory limits: elements of logits held at a time, and bytes of activations kept for the backward pass. */
export interface Budgets {
  logits: number;
  activations: number;
}
export const BUDGETS: Budgets = { logits: LOGITS_BUDGET, activations: ACTIVATION_BUDGET };

/** Receives the gradients of the head and the final norm when all weights are trained; adapter training passes none. */
export interface HeadGradients {
  /** dE += dlogitsᵀ h. */
  lmHead: DeviceBuffer;
  finalNorm: DeviceBuffer;
}

/** Runs a backward pass into the sink; returns dx [rows, d] of the embeddings. */
export type BackwardTo = (sink: GradientSink, head?: HeadGradients) => DeviceBuffer;

interface PassSettings {
  /** Smaller budgets cost time and leave the result identical. */
  budgets?: Budgets;
  /** Rows to make room for, if a larger batch follows. */
  room?: number;
  /** Activations that a rollout computed with the same weights. */
  activations?: ActivationCache | null;
}

export class PackedForward {
  private readonly layers: PackedLayers;
  readonly targetIds: DeviceBuffer;
  private readonly normed: DeviceBuffer;
  private readonly rstd: DeviceBuffer;
  readonly stats: DeviceBuffer;
  /** Target rows whose logits are computed at a time. */
  readonly chunkRows: number;
  /** Whether all logits fitted in one chunk and are still there from the forward pass. */
  private fresh = false;

  constructor(
    private readonly ctx: LayerContext,
    private readonly packed: Packed,
    { budgets = BUDGETS, room = packed.rows, activations = null }: PassSettings = {},
  ) {
    const { arena, config } = ctx;
    const targets = packed.targetRows.length;
    this.layers = new PackedLayers(ctx, packed, room, { budget: budgets.activations, activations });
    this.targetIds = arena.put('batch.targetIds', packed.targetIds);
    this.normed = arena.take('batch.normed', targets * config.hiddenSize);
    this.rstd = arena.take('batch.rstd', targets);
    this.stats = arena.take('batch.stats', targets * 3);
    const elements = Math.min(budgets.logits, ctx.device.limits.maxBindingBytes / 4);
    this.chunkRows = Math.max(1, Math.min(targets, Math.floor(elements / config.vocab)));
  }

  /** Residual stream after `layer` (0-based) at the rows that predict a token, [targets, d]. */
  async residual(layer: number, signal?: AbortSignal): Promise<FloatArray> {
    const { device, config } = this.ctx;
    this.layers.run(layer + 1, signal);
    return readFloats(device, this.layers.hidden, 0, this.packed.targetRows.length * config.hiddenSize);
  }

  /** Computes the head's input at the rows that predict a token, into `normed` [targets, d]. A backward pass needs isKept = true. */
  headRows(normed: DeviceBuffer, signal?: AbortSignal, isKept = false): void {
    const { device, config, weights } = this.ctx;
    const { rstd } = this;
    const x = this.layers.hidden;
    const size = { rows: this.packed.targetRows.length, dim: config.hiddenSize };
    this.layers.run(config.layers, signal, isKept);
    ops.rmsnorm(device, { x, w: weights.get('model.norm.weight'), y: normed, rstd, eps: config.rmsEps, ...size });
  }

  /** Resolves to stats [targets, 3]: log-probability, log-sum-exp, entropy. `each` is called once for every chunk of logits; if it returns a
   *  promise, that is awaited before the chunk is overwritten. */
  async forward(
    signal?: AbortSignal,
    each?: (logits: DeviceBuffer, from: number, count: number) => void | Promise<void>,
  ): Promise<Float32Array> {
    const { device, config } = this.ctx;
    const { stats, targetIds } = this;
    const targets = this.packed.targetRows.length;
    this.headRows(this.normed, signal, true);
    for (let from = 0; from < targets; from += this.chunkRows) {
      const count = Math.min(this.chunkRows, targets - from);
      const logits = this.logits(from, count);
      ops.logprob(device, { logits, targets: targetIds, stats, rows: count, vocab: config.vocab, rowOff: from });
      const reading = each?.(logits, from, count);
      if (reading) await reading;
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

  /** coef [targets] = ∂L/∂logprob; entropyCoef [targets] = ∂L/∂entropy, if L depends on entropies. Feeds every Linear's (dy, x) to the
   *  sink; returns dx [rows, d] of the embeddings. */
  backward(coef: Float32Array, sink: GradientSink, head?: HeadGradients, entropyCoef?: Float32Array): DeviceBuffer {
    const { device, config, arena } = this.ctx;
    const { vocab } = config;
    const known = { targets: this.targetIds, stats: this.stats, coef: arena.put('batch.coef', coef) };
    const slope = entropyCoef && arena.put('batch.entropyCoef', entropyCoef);
    const toSlopes = (logits: DeviceBuffer, rowOff: number, rows: number) => {
      const of = { logits, ...known, rows, vocab, rowOff };
      if (slope) ops.logprobEntropyGrad(device, { ...of, slope });
      else ops.logprobGrad(device, of);
    };
    return this.backwardLogits(toSlopes, sink, head);
  }

  /** `backward` for any loss: `slope` turns the logits of target rows [from, from + count) into ∂L/∂logits in place.
   *  `isFresh`: the logits are still those of the forward pass, which fitted in one chunk. */
  backwardLogits(
    slope: (logits: DeviceBuffer, from: number, count: number, isFresh: boolean) => void,
    sink: GradientSink,
    head?: HeadGradients,
  ): DeviceBuffer {
    const { device, config, weights, arena } = this.ctx;
    const { hiddenSize: d, vocab } = config;
    const targets = this.packed.targetRows.length;
    const { normed, rstd } = this;
    const { hidden } = this.layers;
    const dNormed = arena.take('grad.normed', targets * d);
    for (let from = 0; from < targets; from += this.chunkRows) {
      const count = Math.min(this.chunkRows, targets - from);
      const logits = this.fresh ? arena.take('batch.logits', this.chunkRows * vocab) : this.logits(from, count);
      slope(logits, from, count, this.fresh);
      weights.head.backward(arena, logits, count, dNormed, from * d);
      if (head) {
        ops.matmul(device, {
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
    if (head)
      ops.rmsnormDw(device, { x: hidden, rstd, dy: dNormed, dw: head.finalNorm, rows: targets, dim: d, beta: 1 });
    ops.rmsnormDx(device, { x: hidden, w, rstd, dy: dNormed, dx: dHidden, rows: targets, dim: d });
    const dx = this.layers.backward(dHidden, sink);
    return dx;
  }
}
