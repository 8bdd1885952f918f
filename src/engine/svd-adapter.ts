// The AntiPaSTO adapter: every Linear's W = U Σ Vh gets a knob δS [r], y = W x + U (δS ⊙ (Vh x)), folded as
// W' = W + U diag(δS_total) Vh; the gradient comes from ∂L/∂δS = Σ_t (Uᵀ dy_t) ⊙ (Vh x_t) = diag(Uᵀ (Σ_t dy_t x_tᵀ) Vhᵀ),
// whichever side is cheaper. METHOD: "Adapter (AntiPaSTO)".

import { type Device, type DeviceBuffer, put } from '../kernels/device.ts';
import { copy, knobGrad, matmul, rowDot, scaleRows } from '../kernels/ops.ts';
import { ShapeError } from '../lib/errors.ts';
import { type Adapter, checkKnobs, type LinearGradient, type WrappedLinear, wrapLinear, wrappedBy } from './adapter.ts';
import type { KnobLayout } from './types.ts';
import type { DeviceWeights } from './weights.ts';

/** Singular vectors of one Linear on the host: U [dOut, r], S [r], Vh [r, dIn]. */
export interface Factors {
  U: Float32Array | Float64Array;
  S: Float32Array | Float64Array;
  Vh: Float32Array | Float64Array;
}

interface FactoredLinear extends WrappedLinear {
  u: DeviceBuffer;
  vh: DeviceBuffer;
}

export class SvdAdapter implements Adapter {
  readonly initialKnobs: Float32Array;
  private readonly modules = new Map<string, FactoredLinear>();
  private readonly knobs: DeviceBuffer;
  private readonly scaled: DeviceBuffer;
  private folded = false;
  /** Everything that `free` gives back, so that a device which runs out halfway gets it back too. */
  private readonly owned: DeviceBuffer[] = [];

  constructor(
    private readonly device: Device,
    weights: DeviceWeights,
    readonly layout: KnobLayout,
    readonly factors: ReadonlyMap<string, Factors>,
  ) {
    this.initialKnobs = new Float32Array(layout.total);
    for (const { name, dOut, dIn, r } of layout.modules) {
      const found = factors.get(name);
      if (found && found.U.length === dOut * r && found.Vh.length === r * dIn) continue;
      throw new ShapeError(
        `singular vectors of ${name}: ${found ? `${found.U.length} and ${found.Vh.length}` : 'no'} elements, ${dOut * r} and ${r * dIn} expected`,
        'Compute the SVD from these weights.',
      );
    }
    const own = (buffer: DeviceBuffer) => {
      this.owned.push(buffer);
      return buffer;
    };
    try {
      this.knobs = own(device.alloc(layout.total, 'f32', 'knobs'));
      this.scaled = own(device.alloc(Math.max(...layout.modules.map((m) => m.r * m.dIn)), 'f32', 'diag(δS) Vh'));
      for (const module of layout.modules) {
        const { name } = module;
        const { U, Vh } = factors.get(name)!;
        const wrapped = wrapLinear(device, weights, module);
        own(wrapped.base);
        this.modules.set(name, {
          ...wrapped,
          u: own(put(device, U, `${name} U`)),
          vh: own(put(device, Vh, `${name} Vh`)),
        });
      }
    } catch (error) {
      this.free();
      throw error;
    }
  }

  /** All zeros leaves a byte copy of W: the base model, bit for bit. */
  fold(deltaSTotal: Float32Array): void {
    checkKnobs(deltaSTotal, this.layout);
    const zero = deltaSTotal.every((x) => x === 0);
    if (zero && !this.folded) return;
    this.folded = !zero;
    const device = this.device;
    if (!zero) device.upload(this.knobs, deltaSTotal);
    for (const { module, base, folded, u, vh } of this.modules.values()) {
      const { r, dOut, dIn, offset } = module;
      copy(device, { src: base, dst: folded, n: dOut * dIn });
      if (zero) continue;
      scaleRows(device, { src: vh, s: this.knobs, dst: this.scaled, rows: r, cols: dIn, sOff: offset });
      matmul(device, { a: u, b: this.scaled, c: folded, m: dOut, n: dIn, k: r, beta: 1 });
    }
  }

  gradient(name: string, { dy, x, rows, segments, out, arena }: LinearGradient): void {
    const { device } = this;
    const { module, u, vh } = wrappedBy(this.modules, name);
    const { r, offset, dOut, dIn } = module;
    const { total } = this.layout;
    const busy = segments.filter(({ from, to }) => to > from).length;
    // FLOPs/2 of both sides. A GPU is short of parallel work in dyᵀx (few outputs, long sums), so it always takes the first.
    const byRows = rows * r * (dOut + dIn);
    const byWeight = rows * dOut * dIn + busy * r * dOut * dIn;
    if (device.kind === 'webgpu' || byRows <= byWeight) {
      const p = arena.take('sink.p', rows * r);
      const q = arena.take('sink.q', rows * r);
      matmul(device, { a: dy, b: u, c: p, m: rows, n: r, k: dOut });
      matmul(device, { a: x, b: vh, c: q, m: rows, n: r, k: dIn, tb: 1 });
      segments.forEach(({ from, to }, s) => {
        if (to > from) knobGrad(device, { p, q, out, rows: to - from, r, rowOff: from, outOff: s * total + offset });
      });
      return;
    }
    const dW = arena.take('sink.dW', dOut * dIn);
    const rotated = arena.take('sink.UtdW', r * dIn);
    segments.forEach(({ from, to }, s) => {
      if (to <= from) return;
      const k = to - from;
      matmul(device, { a: dy, b: x, c: dW, m: dOut, n: dIn, k, ta: 1, aOff: from * dOut, bOff: from * dIn });
      matmul(device, { a: u, b: dW, c: rotated, m: r, n: dIn, k: dOut, ta: 1 });
      rowDot(device, { a: rotated, b: vh, out, r, cols: dIn, outOff: s * total + offset });
    });
  }

  free(): void {
    for (const buffer of this.owned) buffer.free();
  }
}
