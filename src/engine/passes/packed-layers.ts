// Runs a packed batch through the decoder's layers, forward and backward. Layers keep their activations while they fit the budget;
// otherwise they keep only their inputs and are recomputed in the backward pass. On the CPU, when activations are kept, rows that equal
// another, that the rollout has computed, or whose output is not needed are not computed.

import { StoppedError } from '@projected-grpo-lab/base/errors.ts';
import type { DeviceBuffer } from '../../kernels/device.ts';
import { ops } from '../../kernels/ops.ts';
import { deltaSizes, layersOf, layerType } from '../layer-types.ts';
import type { ModelConfig } from '../types.ts';
import type { ActivationCache } from './activation-cache.ts';
import { CachedRows, type Resumed, resume } from './cached-rows.ts';
import { type Ends, endsOf } from './ends.ts';
import {
  type AnyActivations,
  type GradientSink,
  type LayerActivations,
  type LayerContext,
  layerForward,
  layerLengths,
  layerMixer,
  layerTail,
  mixerWidth,
  type RowMeta,
  takeActivations,
  takeLayer,
} from './layer.ts';
import { layerBackward, someRowsBackward } from './layer-backward.ts';
import type { Packed } from './packing.ts';
import { DistinctRows, type DuplicateRows, duplicateRows, sharedRows } from './row-deduplication.ts';
import { type RunMeta, runsOf } from './runs.ts';

/** Bytes of activations kept over all layers before recomputation sets in: enough for 26 M parameters and 64 × (40 + 48) tokens. */
export const ACTIVATION_BUDGET = 2 ** 30;

/** Whether the activations of `rows` rows fit the budget (bytes) in every layer. */
export function keepsLayers(config: ModelConfig, rows: number, budget = ACTIVATION_BUDGET): boolean {
  const { hiddenSize: d, heads, kvHeads, headDim, ffn, layers } = config;
  const linear = layersOf(config, 'linear_attention').length;
  const width = 3 * d + 4 * heads * headDim + 3 * kvHeads * headDim + 3 * ffn + 4 * heads;
  const ofLinear = linear > 0 ? layerLengths(config, 'linear_attention', 1).reduce((sum, [, n]) => sum + n, 0) : 0;
  return rows * (width * (layers - linear) + ofLinear * linear) * 4 <= budget;
}

export class PackedLayers {
  /** Residual stream of the rows that predict a token, [targets, d], after `run`. */
  readonly hidden: DeviceBuffer;
  private readonly meta: RowMeta;
  private readonly acts: AnyActivations[] = [];
  private readonly keepAll: boolean;
  /** Rows that are computed only once, if that is faster and layers keep their activations. */
  private readonly equal: DuplicateRows | null;
  /** Activations that a rollout has kept. */
  private readonly activations: ActivationCache | null;
  private readonly resumed: Resumed | null;
  /** Rows whose last-layer output is needed; null unless on the CPU with kept activations. */
  private readonly ends: Ends | null;
  private readonly targetRows: DeviceBuffer;

  constructor(
    private readonly ctx: LayerContext,
    private readonly packed: Packed,
    private readonly room: number,
    { budget, activations }: { budget: number; activations: ActivationCache | null },
  ) {
    const { arena, config } = ctx;
    const { rows, targetRows } = packed;
    const pos = this.putRows('batch.pos', packed.pos);
    const ranges = this.putRows('batch.ranges', packed.ranges, 4);
    const qEnd = this.putRows('batch.qEnd', packed.qEnd);
    const runs = this.runs();
    this.meta = { rows, pos, ranges, qEnd, shift: 0, grow: 0, runs: runs ?? undefined };
    this.keepAll = keepsLayers(config, rows, budget);
    // Deduplication supports neither linear layers, whose state passes from row to row, nor output gates.
    const isApart = this.keepAll && !config.layerTypes;
    this.activations = (isApart && activations) || null;
    this.resumed = this.activations && resume(this.activations, packed, duplicateRows(packed));
    this.equal = this.resumed?.equal ?? (isApart ? sharedRows(ctx.device, packed) : null);
    this.ends = this.keepAll && ctx.device.kind === 'cpu' ? endsOf(packed) : null;
    this.targetRows = arena.put('batch.targetRows', targetRows);
    this.hidden = arena.take('batch.hidden', targetRows.length * config.hiddenSize);
  }

  /** Runs of the rows, and buffers for their states, which all linear layers reuse; null in models without linear layers. */
  private runs(): RunMeta | null {
    const { arena, config } = this.ctx;
    if (layersOf(config, 'linear_attention').length === 0) return null;
    const { table, calls, slots } = runsOf(this.packed);
    const { state, convState } = deltaSizes(config);
    const states = arena.take('delta.states', slots * state);
    const past = arena.take('delta.past', slots * convState);
    return { table: arena.put('delta.runs', table), calls, statesOf: () => ({ states, past }) };
  }

  private putRows(label: string, data: Uint32Array, width = 1): DeviceBuffer {
    this.ctx.arena.take(label, this.room * width, 'u32');
    return this.ctx.arena.put(label, data);
  }

  private runLayer(layer: number, x: DeviceBuffer, out: DeviceBuffer): AnyActivations {
    const isLinear = layerType(this.ctx.config, layer) === 'linear_attention';
    const label = this.keepAll ? `layer${layer}` : isLinear ? 'linear' : 'layer';
    const acts = takeLayer(this.ctx, layer, label, this.room, x);
    layerForward(this.ctx, layer, acts, this.meta, (_, k, v) => ({ k, v }), out);
    return acts;
  }

  /** Runs the embedding and the first `layers` layers, and stores the residual stream of the rows that predict a token in `hidden`.
   *  Without a backward pass (isKept = false) two buffers alternate. */
  run(layers: number, signal?: AbortSignal, isKept = true): void {
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
    ops.gatherRows(device, { src, index, ...targets });
  }

  /** Returns the residual stream of the distinct rows. */
  private runDistinct(equal: DuplicateRows, layers: number, signal?: AbortSignal): DeviceBuffer {
    const { ctx, packed, activations, resumed } = this;
    const isWhole = layers === ctx.config.layers;
    const begun = activations && resumed && isWhole ? new CachedRows(ctx, packed, activations, resumed) : null;
    let rows = begun ? null : new DistinctRows(ctx, packed, equal);
    for (let layer = 0; layer < layers; layer++) {
      if (signal?.aborted) throw new StoppedError();
      const x = this.ctx.arena.take(`x${layer}`, this.room * this.ctx.config.hiddenSize);
      const ends = layer === this.ctx.config.layers - 1 ? this.ends : null;
      const acts: LayerActivations = takeActivations(this.ctx, `layer${layer}`, this.room, x, ends?.rows);
      this.acts[layer] = acts;
      if (begun && layer < layers - 1) {
        begun.layer(layer, acts);
        continue;
      }
      rows ??= begun!.rest();
      if (ends) rows.last(layer, acts, { ends, o: this.endsO(), hidden: this.hidden });
      else rows.layer(layer, acts);
    }
    return rows!.x;
  }

  /** Buffer for the last layer's mixer output at the rows that predict a token, [ends, mixerWidth]. */
  private endsO(): DeviceBuffer {
    const { config, arena } = this.ctx;
    return arena.take('ends.o', this.ends!.rows * mixerWidth(config, config.layers - 1));
  }

  /** Runs the last layer; everything after its mixer is computed only for the rows that predict a token, into `hidden`. */
  private runEnds(layer: number, x: DeviceBuffer, { rows }: Ends): void {
    const { ctx, targetRows: index } = this;
    const { hiddenSize: d } = ctx.config;
    const acts = takeLayer(ctx, layer, `layer${layer}`, this.room, x, rows);
    this.acts[layer] = acts;
    layerMixer(ctx, layer, acts, this.meta, (_, k, v) => ({ k, v }));
    const o = this.endsO();
    ops.gatherRows(ctx.device, { src: x, index, dst: acts.xMid, rows, dim: d });
    ops.gatherRows(ctx.device, { src: acts.o, index, dst: o, rows, dim: mixerWidth(ctx.config, layer) });
    layerTail(ctx, layer, { ...acts, o }, rows, this.hidden);
  }

  /** Returns the residual stream of all rows, [rows, d]. */
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

  /** dHidden [targets, d] is the gradient of `hidden`. Feeds every Linear's (dy, x) to the sink; returns dx [rows, d] of the embeddings. */
  backward(dHidden: DeviceBuffer, sink: GradientSink): DeviceBuffer {
    const { device, config, arena } = this.ctx;
    const { rows, targetRows } = this.packed;
    const { hiddenSize: d, layers } = config;
    const dx = arena.take('grad.x', rows * d);
    let layer = layers - 1;
    if (this.ends) {
      const acts = this.acts[layer];
      const ended = { some: this.ends, index: this.targetRows, tail: { ...acts, o: this.endsO() }, dSome: dHidden };
      someRowsBackward(this.ctx, layer--, acts, ended, this.meta, dx, sink);
    } else {
      ops.fill(device, { x: dx, n: rows * d, value: 0 });
      ops.scatterRows(device, { src: dHidden, index: this.targetRows, dst: dx, rows: targetRows.length, dim: d });
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
