// LoRA (Hu et al. 2021, arXiv:2106.09685), for comparison: y = W x + B A x with trained A [rank, dIn] and B [dOut, rank]. A module's
// parameters are A, then B, flattened, so that optimizer, projection, bases and quarantines treat them like any other vector. At the
// start B = 0 and A is Gaussian with variance 1/dIn. METHOD: "Adapter".
//
// Gradients, with dW = Σ_t dy_t x_tᵀ: ∂L/∂A = Bᵀ dW = Σ_t (Bᵀ dy_t) x_tᵀ and ∂L/∂B = dW Aᵀ = Σ_t dy_t (A x_t)ᵀ. At the
// start B = 0, so ∂L/∂A = 0 exactly: a basis extracted from the untrained model has components only in B.

import { type Device, type DeviceBuffer, put } from '../../kernels/device.ts';
import { ops } from '../../kernels/ops.ts';
import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import { isCheaperByRows, loraParts } from '../adapter-layout.ts';
import type { AdapterLayout } from '../types.ts';
import { freeMatrix, type StoredMatrix } from '../weights/packed.ts';
import type { DeviceWeights } from '../weights/weights.ts';
import {
  type AdaptedLinear,
  type AdaptLinear,
  checkAdapterParams,
  type LinearAdapter,
  type LinearGradient,
  restore,
  wrapLinear,
  wrappedBy,
} from './adapter.ts';

/** One seed for all runs, so that compared conditions start from the same A. */
const SEED = 0;

interface LoraLinear {
  linear: AdaptedLinear;
  a: DeviceBuffer;
  b: DeviceBuffer;
  /** Whether the Linear differs from W. */
  changed: boolean;
}

/** A ~ N(0, 1/dIn), B = 0; [layout.total]. */
export function initialLora(layout: AdapterLayout): Float32Array {
  const adapterParams = new Float32Array(layout.total);
  layout.modules.forEach((module, m) => {
    const rng = new CounterRng(keyFor(SEED, STREAMS.lora, m));
    const [from, to] = loraParts(module).a;
    const sd = 1 / Math.sqrt(module.dIn);
    for (let i = from; i < to; i++) adapterParams[i] = sd * rng.normal();
  });
  return adapterParams;
}

/** The folded form: W' = W + ΔW replaces W. Terms must be in f32 and unscaled. */
export const foldedLinear: AdaptLinear = (device, weights, module) => {
  const linear = wrapLinear(device, weights, module);
  const { dOut: m, dIn: n } = module;
  return {
    module,
    readsTerms: false,
    update(terms) {
      restore(device, linear);
      for (const { up, down, r: k } of terms)
        ops.matmul(device, { a: up.data, b: down.data, c: linear.folded, m, n, k, beta: 1 });
    },
    free: () => freeMatrix(linear.base),
  };
};

/** Wraps a trained factor, which is always in f32. */
export const inF32 = (data: DeviceBuffer): StoredMatrix => ({ storage: 'f32', length: data.length, data });

export class LoraAdapter implements LinearAdapter {
  readonly initialAdapterParams: Float32Array;
  protected readonly modules = new Map<string, LoraLinear>();
  /** Buffers that `free` releases, also if the constructor fails halfway. */
  private readonly owned: DeviceBuffer[] = [];
  private readonly linears: AdaptedLinear[] = [];

  /** `layout` comes from adapterLayout with the adapter `lora`; `adapt` chooses the form; `factors` are the initial A and B. */
  constructor(
    protected readonly device: Device,
    weights: DeviceWeights,
    readonly layout: AdapterLayout,
    adapt: AdaptLinear,
    factors = initialLora(layout),
  ) {
    this.initialAdapterParams = factors;
    const own = (buffer: DeviceBuffer) => this.own(buffer);
    try {
      for (const module of layout.modules) {
        const { a, b } = loraParts(module);
        const linear = adapt(device, weights, module);
        this.linears.push(linear);
        this.modules.set(module.name, {
          linear,
          a: own(put(device, factors.slice(...a), `${module.name} A`)),
          b: own(put(device, factors.slice(...b), `${module.name} B`)),
          changed: false,
        });
      }
    } catch (error) {
      this.free();
      throw error;
    }
  }

  /** Registers a buffer for `free`. */
  protected own(buffer: DeviceBuffer): DeviceBuffer {
    this.owned.push(buffer);
    return buffer;
  }

  /** If B is zero, the Linear is exactly W, whatever A is. */
  fold(adapterParams: Float32Array): void {
    checkAdapterParams(adapterParams, this.layout);
    const { device } = this;
    for (const adapted of this.modules.values()) {
      const { linear, a, b } = adapted;
      const { rank: r, ...parts } = loraParts(linear.module);
      const B = adapterParams.slice(...parts.b);
      device.upload(a, adapterParams.slice(...parts.a));
      device.upload(b, B);
      const zero = B.every((x) => x === 0);
      if (zero && !adapted.changed) continue;
      adapted.changed = !zero;
      linear.update(zero ? [] : [{ r, up: inF32(b), down: inF32(a) }]);
    }
  }

  gradient(name: string, { dy, x, rows, all, segments, out, arena }: LinearGradient): void {
    const { device } = this;
    const { linear, a, b } = wrappedBy(this.modules, name);
    const { module } = linear;
    const { dOut, dIn } = module;
    const { rank, ...parts } = loraParts(module);
    const { total } = this.layout;
    const busy = segments.filter(({ from, to }) => to > from).length;
    if (isCheaperByRows(module, all, busy)) {
      // Scratch is allocated for the largest rank at once, since growing it later would add the arena's slack.
      const most = Math.max(...this.layout.modules.map((other) => other.rank ?? 0));
      const p = arena.take('sink.p', all * most);
      const q = arena.take('sink.q', all * most);
      ops.matmul(device, { a: dy, b, c: p, m: rows, n: rank, k: dOut });
      ops.matmul(device, { a: x, b: a, c: q, m: rows, n: rank, k: dIn, tb: 1 });
      segments.forEach(({ from, to }, s) => {
        if (to <= from) return;
        const [cA, cB] = [s * total + parts.a[0], s * total + parts.b[0]];
        const k = to - from;
        ops.matmul(device, {
          a: p,
          b: x,
          c: out,
          m: rank,
          n: dIn,
          k,
          ta: 1,
          aOff: from * rank,
          bOff: from * dIn,
          cOff: cA,
        });
        ops.matmul(device, {
          a: dy,
          b: q,
          c: out,
          m: dOut,
          n: rank,
          k,
          ta: 1,
          aOff: from * dOut,
          bOff: from * rank,
          cOff: cB,
        });
      });
      return;
    }
    const most = Math.max(...this.layout.modules.map((other) => other.dOut * other.dIn));
    const dW = arena.take('sink.dW', most);
    segments.forEach(({ from, to }, s) => {
      if (to <= from) return;
      const [cA, cB] = [s * total + parts.a[0], s * total + parts.b[0]];
      const k = to - from;
      ops.matmul(device, { a: dy, b: x, c: dW, m: dOut, n: dIn, k, ta: 1, aOff: from * dOut, bOff: from * dIn });
      ops.matmul(device, { a: b, b: dW, c: out, m: rank, n: dIn, k: dOut, ta: 1, cOff: cA });
      ops.matmul(device, { a: dW, b: a, c: out, m: dOut, n: rank, k: dIn, tb: 1, cOff: cB });
    });
  }

  free(): void {
    for (const buffer of this.owned) buffer.free();
    for (const linear of this.linears) linear.free();
  }
}
