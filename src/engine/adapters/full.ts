// The adapter `full` trains every weight, including embedding and norms. Its parameters are δW with W' = W + δW, so that zeros give the
// base bit for bit, norms and checkpoints are relative to it, and weight decay pulls towards it. METHOD: "Adapter".
//
// Separate gradients per segment are not supported, since each segment would need a buffer of all weights (48 of them for a basis of
// pairs). A batch with more than one non-empty segment is refused.

import { ShapeError } from '@projected-grpo-lab/base/errors.ts';
import { type Device, readFloats } from '../../kernels/device.ts';
import { weightOf } from '../adapter-layout.ts';
import type { Arena } from '../arena.ts';
import type { BackwardTo } from '../passes/batch.ts';
import type { Packed } from '../passes/packing.ts';
import { WeightGradients } from '../passes/weight-gradients.ts';
import type { AdapterLayout, ModelConfig } from '../types.ts';
import type { DeviceWeights } from '../weights/weights.ts';
import { checkAdapterParams, type WholeAdapter } from './adapter.ts';

export class FullAdapter implements WholeAdapter {
  readonly initialAdapterParams: Float32Array;
  /** Whether W' differs from W. */
  private changed = false;

  private constructor(
    private readonly device: Device,
    private readonly weights: DeviceWeights,
    readonly layout: AdapterLayout,
    /** W of every module, in the layout of the adapter parameters; on the host, since only folding reads it. */
    private readonly base: Float32Array,
    private readonly collected: WeightGradients,
  ) {
    this.initialAdapterParams = new Float32Array(layout.total);
  }

  /** Throws ShapeError if weights are packed or vocabulary tables are split, since there is no f32 buffer to write W' to. */
  static async load(
    device: Device,
    config: ModelConfig,
    weights: DeviceWeights,
    layout: AdapterLayout,
  ): Promise<FullAdapter> {
    const isSplit = weights.embedding.whole === null || weights.head.whole === null;
    if (weights.storage !== 'f32' || isSplit)
      throw new ShapeError(
        `all weights cannot be trained where they are stored as ${isSplit && weights.storage === 'f32' ? 'parts of a table' : weights.storage}`,
        'Use weights in f32 that fit the device’s buffers, or the adapter svd or lora.',
      );
    const base = new Float32Array(layout.total);
    for (const module of layout.modules)
      base.set(await readFloats(device, weights.get(weightOf(module)), 0, module.r), module.offset);
    return new FullAdapter(device, weights, layout, base, new WeightGradients(device, config));
  }

  fold(adapterParams: Float32Array): void {
    checkAdapterParams(adapterParams, this.layout);
    const isZero = adapterParams.every((x) => x === 0);
    if (isZero && !this.changed) return;
    this.changed = !isZero;
    for (const module of this.layout.modules) {
      const { offset, r } = module;
      const sum = this.base.slice(offset, offset + r);
      for (let i = 0; i < r; i++) if (adapterParams[offset + i] !== 0) sum[i] += adapterParams[offset + i];
      this.device.upload(this.weights.get(weightOf(module)), sum);
    }
  }

  async gradients(arena: Arena, packed: Packed, backward: BackwardTo): Promise<Float32Array[]> {
    const { layout, device, collected } = this;
    const busy = packed.segments.filter(({ from, to }) => to > from).length;
    if (busy > 1)
      throw new ShapeError(
        `gradients of ${busy} segments apart are not defined where all weights are trained`,
        'Use the adapter svd or lora for bases, probes, quarantines and teacher rows.',
      );
    const all = packed.segments.map(() => new Float32Array(layout.total));
    if (busy === 0) return all;
    collected.collect(arena, packed, backward);
    const own = all[packed.segments.findIndex(({ from, to }) => to > from)];
    for (const module of layout.modules)
      own.set(await readFloats(device, collected.of(weightOf(module)), 0, module.r), module.offset);
    return all;
  }

  free(): void {
    this.collected.free();
  }
}
