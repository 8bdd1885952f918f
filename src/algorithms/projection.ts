// The projection (METHOD "Projection"): per module c = V g, removed = overshoot · c_use V, kept = g − removed, computed by the
// `project` kernel on the device. A Projector keeps one basis on the device; parameter vectors are uploaded for each call.
import type { AdapterLayout } from '../engine/types.ts';
import { type Device, type DeviceBuffer, put, readFloats } from '../kernels/device.ts';
import { ops } from '../kernels/ops.ts';
import type { HackBasis } from './basis.ts';
import { norm } from './vectors.ts';

export type Gate = 'one_sided' | 'no_gate' | 'reverse';
/** Gate numbers of the kernel. */
const GATES: Record<Gate, number> = { one_sided: 0, no_gate: 1, reverse: 2 };

export interface Projected {
  /** g − removed, a parameter vector. Modules without a basis are kept (by SpanProjector: removed). */
  kept: Float32Array;
  removed: Float32Array;
  /** c = V g of every axis, before the gate; those of module m start at modules[m].cOffset. */
  coef: Float32Array;
}

export class Projector {
  readonly basis: HackBasis;
  readonly #device: Device;
  readonly #buffers: Record<'g' | 'v' | 'table' | 'kept' | 'removed' | 'coef', DeviceBuffer>;

  constructor(device: Device, layout: Pick<AdapterLayout, 'total'>, basis: HackBasis) {
    this.#device = device;
    this.basis = basis;
    const table = Uint32Array.from(
      basis.modules.flatMap(({ offset, r, vOffset, k, cOffset }) => [offset, r, vOffset, k, cOffset]),
    );
    const adapterParam = (label: string) => device.alloc(layout.total, 'f32', label);
    this.#buffers = {
      g: adapterParam('projection.g'),
      kept: adapterParam('projection.kept'),
      removed: adapterParam('projection.removed'),
      // A basis may have no row above the noise floor, but a device buffer must not be empty.
      v: put(device, basis.V.length ? basis.V : new Float32Array(1), 'projection.V'),
      coef: device.alloc(Math.max(1, basis.axes), 'f32', 'projection.c'),
      table: put(device, table, 'projection.table'),
    };
  }

  async project(g: Float32Array, gate: Gate, overshoot = 1): Promise<Projected> {
    this.#device.upload(this.#buffers.g, g);
    ops.project(this.#device, { ...this.#buffers, modules: this.basis.modules.length, gate: GATES[gate], overshoot });
    const [kept, removed, coef] = await Promise.all(
      [this.#buffers.kept, this.#buffers.removed, this.#buffers.coef].map((buffer) => readFloats(this.#device, buffer)),
    );
    return {
      kept: Float32Array.from(kept),
      removed: Float32Array.from(removed),
      coef: Float32Array.from(coef).subarray(0, this.basis.axes),
    };
  }

  /** Returns only V g. */
  async coefficients(g: Float32Array): Promise<Float32Array> {
    return (await this.project(g, 'no_gate')).coef;
  }

  free(): void {
    for (const buffer of Object.values(this.#buffers)) buffer.free();
  }
}

/** Keeps the component in the basis's span, with either sign, and removes the rest; gate and overshoot have no effect. A module without
 *  axes is removed. */
export class SpanProjector extends Projector {
  override async project(g: Float32Array): Promise<Projected> {
    const { kept, removed, coef } = await super.project(g, 'no_gate');
    return { kept: removed, removed: kept, coef };
  }
}

/** Removes a block of the adapter parameters; gate and overshoot have no effect. */
export class BlockProjector extends Projector {
  readonly #mask: Uint8Array;

  constructor(device: Device, layout: AdapterLayout, basis: HackBasis, mask: Uint8Array) {
    super(device, layout, basis);
    this.#mask = mask;
  }

  override async project(g: Float32Array): Promise<Projected> {
    const part = (inBlock: number) => g.map((x, i) => (this.#mask[i] === inBlock ? x : 0));
    return { kept: part(0), removed: part(1), coef: new Float32Array(this.basis.axes) };
  }
}

/** Rescales every module's `kept` to the norm of its g (not for route or update, whose parts must add up). */
export function preserveMagnitude(g: Float32Array, kept: Float32Array, basis: HackBasis): Float32Array {
  const out = kept.slice();
  for (const { offset, r, k } of basis.modules) {
    const left = norm(kept, offset, offset + r);
    if (k === 0 || left === 0) continue;
    const scale = norm(g, offset, offset + r) / left;
    for (let j = offset; j < offset + r; j++) out[j] = scale * kept[j];
  }
  return out;
}
