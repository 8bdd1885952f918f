// The engine's interface to adapters: a parameter vector that is applied to the Linears once per optimizer step, and its
// gradient, computed from every Linear's dy and x (adapters/svd.ts, METHOD "Adapter (AntiPaSTO)"; adapters/lora.ts).
// adapters/full.ts trains every weight, so its gradient needs more than the Linears.
// Folding an adapter into a copy of W keeps forward, backward and rollouts at the base model's cost; if the copy does not fit in memory,
// the update is computed separately and added to W x (beside.ts).

import { ShapeError } from '@projected-grpo-lab/base/errors.ts';
import type { Device, DeviceBuffer } from '../../kernels/device.ts';
import { ops } from '../../kernels/ops.ts';
import type { Arena } from '../arena.ts';
import type { BackwardTo } from '../passes/batch.ts';
import type { GradientSink, SomeRows } from '../passes/layer.ts';
import type { Packed } from '../passes/packing.ts';
import type { AdapterLayout, AdapterModule, BlockFold } from '../types.ts';
import { type StoredMatrix, unpackInto } from '../weights/packed.ts';
import type { DeviceWeights, LowRankTerm } from '../weights/weights.ts';

interface Adapter {
  readonly layout: AdapterLayout;
  /** The untrained adapter parameters, [layout.total]. Every W' equals W, bit for bit, unless a LoRA was given its initial A and B. */
  readonly initialAdapterParams: Float32Array;
  /** Makes every Linear W + ΔW. Throws ShapeError for a vector of another length. */
  fold(adapterParams: Float32Array, blocks?: BlockFold): void;
  free(): void;
}

/** An adapter with parameters only on Linears; dy and x of each suffice for its gradient. */
export interface LinearAdapter extends Adapter {
  /** Writes one Linear's part of the gradient into each segment's parameter vector. */
  gradient(name: string, of: LinearGradient): void;
}

/** An adapter with parameters on more than Linears: its gradient needs a whole backward pass. */
export interface WholeAdapter extends Adapter {
  /** One gradient vector per segment. Throws ShapeError if more than one segment has rows. */
  gradients(arena: Arena, packed: Packed, backward: BackwardTo): Promise<Float32Array[]>;
}

/** What an adapter needs for the gradient of one Linear, for all segments of a batch. */
export interface LinearGradient {
  /** [rows, dOut] */
  dy: DeviceBuffer;
  /** [rows, dIn] */
  x: DeviceBuffer;
  rows: number;
  /**
   * Rows of the whole batch. The choice of method and the size of scratch depend on it, rather than on the number of rows that have a
   * gradient.
   */
  all: number;
  /** Row range of each segment; empty ones are skipped. */
  segments: readonly { from: number; to: number }[];
  /** [segments, layout.total] */
  out: DeviceBuffer;
  arena: Arena;
}

/** A Linear whose weight has been replaced by W', into which the adapter is folded. */
export interface WrappedLinear {
  module: AdapterModule;
  /** The frozen W [dOut, dIn]; the adapter frees it. */
  base: StoredMatrix;
  /** W', which forward and backward read; freed with the weights. */
  folded: DeviceBuffer;
}

/** Replaces W by W', which starts as a copy of W. */
export function wrapLinear(device: Device, weights: DeviceWeights, module: AdapterModule): WrappedLinear {
  const { name, dOut, dIn } = module;
  const folded = device.alloc(dOut * dIn, 'f32', `${name} folded`);
  const base = weights.swap(`${name}.weight`, folded);
  const linear = { module, base, folded };
  restore(device, linear);
  return linear;
}

/** W' = W. */
export function restore(device: Device, { base, folded }: WrappedLinear): void {
  if (base.storage === 'f32') ops.copy(device, { src: base.data, dst: folded, n: base.length });
  else unpackInto(device, base, folded, base.length);
}

/** A Linear whose update is a sum of products, folded or unfolded. */
export interface AdaptedLinear {
  readonly module: AdapterModule;
  /** Whether every product reads the terms (unfolded), rather than only `update` (folded). */
  readonly readsTerms: boolean;
  /** Makes the Linear W + Σ up down; without terms it is W, bit for bit. */
  update(terms: readonly LowRankTerm[]): void;
  free(): void;
}

/** Gives a Linear an adapter. */
export type AdaptLinear = (device: Device, weights: DeviceWeights, module: AdapterModule) => AdaptedLinear;

/** Throws ShapeError for a parameter vector of another model or another adapter. */
export function checkAdapterParams(adapterParams: Float32Array, layout: AdapterLayout): void {
  if (adapterParams.length === layout.total) return;
  throw new ShapeError(
    `δS has ${adapterParams.length} elements, this model has ${layout.total} adapter parameters`,
    'Use a checkpoint of the same model and adapter.',
  );
}

/** Returns a module by name; throws ShapeError if there is none. */
export function wrappedBy<T>(modules: ReadonlyMap<string, T>, name: string): T {
  const found = modules.get(name);
  if (!found) throw new ShapeError(`no adapter on ${name}`, 'Name a Linear as Hugging Face does.');
  return found;
}

/** Collects the adapter's gradient in `out` [segments, layout.total]. */
export class AdapterGradients implements GradientSink {
  readonly stopsAtFirstLayer = true;

  constructor(
    device: Device,
    private readonly adapter: LinearAdapter,
    private readonly into: Omit<LinearGradient, 'dy' | 'x' | 'all'>,
  ) {
    ops.fill(device, { x: into.out, n: into.segments.length * adapter.layout.total, value: 0 });
  }

  small(): null {
    return null;
  }

  linear(name: string, dy: DeviceBuffer, x: DeviceBuffer, _dOut: number, _dIn: number, of?: SomeRows): void {
    this.adapter.gradient(name, { ...this.into, ...of, all: this.into.rows, dy, x });
  }
}
