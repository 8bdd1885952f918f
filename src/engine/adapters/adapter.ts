// An adapter, as the engine sees it: a parameter vector that is put into the Linears once per optimizer step, and its
// gradient, made from the two sides that every Linear's backward hands over: adapters/svd.ts (METHOD "Adapter
// (AntiPaSTO)"), adapters/lora.ts. adapters/full.ts trains every weight, so that its gradient comes from more than the
// Linears.
// Folding it into a copy of W keeps forward, backward and rollouts at the bare model's cost, whatever the adapter; a model whose copy does
// not fit adds the update beside W (beside.ts).

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
  /** The untrained adapter parameters, [layout.total]: with them every W' is W, bit for bit. */
  readonly initialAdapterParams: Float32Array;
  /** Makes every Linear W + ΔW. Throws ShapeError where the length is another. */
  fold(adapterParams: Float32Array, blocks?: BlockFold): void;
  free(): void;
}

/** An adapter with parameters on Linears alone: what their backward hands over is enough for its gradient. */
export interface LinearAdapter extends Adapter {
  /** Writes ∂L/∂adapter parameter of one Linear, at its place in each segment's parameter vector. */
  gradient(name: string, of: LinearGradient): void;
}

/** An adapter with parameters on more than Linears: its gradient needs a whole backward pass. */
export interface WholeAdapter extends Adapter {
  /** One vector a segment, of which one at most has rows. Throws ShapeError where more have. */
  gradients(arena: Arena, packed: Packed, backward: BackwardTo): Promise<Float32Array[]>;
}

/** Parts of the gradient of one Linear, for all segments of a batch. */
export interface LinearGradient {
  /** [rows, dOut] */
  dy: DeviceBuffer;
  /** [rows, dIn] */
  x: DeviceBuffer;
  rows: number;
  /**
   * Rows of the whole batch. They decide how the gradient is made and how much scratch it takes, so that neither depends on how many of
   * them have a gradient.
   */
  all: number;
  /** Row range of each segment; empty ones are left alone. */
  segments: readonly { from: number; to: number }[];
  /** [segments, layout.total] */
  out: DeviceBuffer;
  arena: Arena;
}

/** A Linear whose weight has been replaced by a buffer to fold into. */
export interface WrappedLinear {
  module: AdapterModule;
  /** The frozen W [dOut, dIn]; the adapter's to free. */
  base: StoredMatrix;
  /** W', what forward and backward read; freed with the weights. */
  folded: DeviceBuffer;
}

/** Puts W' (at first a copy of W) in the place of W. */
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

/** A Linear whose update is a sum of products, in either form. */
export interface AdaptedLinear {
  readonly module: AdapterModule;
  /** Whether products read the terms for as long as they are set, rather than `update` once. */
  readonly readsTerms: boolean;
  /** Makes the Linear W + Σ up down; without terms it is W, bit for bit. */
  update(terms: readonly LowRankTerm[]): void;
  free(): void;
}

/** Puts a Linear under an adapter. */
export type AdaptLinear = (device: Device, weights: DeviceWeights, module: AdapterModule) => AdaptedLinear;

/** Throws ShapeError for a parameter vector of another model or another adapter. */
export function checkAdapterParams(adapterParams: Float32Array, layout: AdapterLayout): void {
  if (adapterParams.length === layout.total) return;
  throw new ShapeError(
    `δS has ${adapterParams.length} elements, this model has ${layout.total} adapter parameters`,
    'Use a checkpoint of the same model and adapter.',
  );
}

/** A module by name; throws ShapeError if there is none. */
export function wrappedBy<T>(modules: ReadonlyMap<string, T>, name: string): T {
  const found = modules.get(name);
  if (!found) throw new ShapeError(`no adapter on ${name}`, 'Name a Linear as Hugging Face does.');
  return found;
}

/** Collects the adapter's gradient, one parameter vector per row range, end to end in `out` [segments, R]. */
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
