// Two LoRA blocks in one module (after vGROUT, June 2026): A [2r, dIn] and B [dOut, 2r], frozen copies A0 and B0 subtracted, so that
//   W' = W + B A − B0 A0.
// Rows of A and columns of B up to r are the *deployed* block, those from r the *quarantine*: B A is the sum of both blocks' products and
// nothing mixes, so these are two adapters in one. A0 ~ N(0, 1/dIn), B0 ~ N(0, 1/2r), from one fixed seed.
//
// What is trained is ΔA = A − A0 and ΔB = B − B0, and W' is folded as W + B ΔA + ΔB A0: the same product, of which every term is 0 at
// the start, so that the model is the base bit for bit on every device. A block whose Δ is 0 adds nothing: that is the block *off*, and
// deployment is the quarantine reset to its start. The gradients are a LoRA's at (A, B): ∂L/∂ΔA = Bᵀ dW, ∂L/∂ΔB = dW Aᵀ.
//
// Which sequences see the quarantine, and whose gradient reaches which block, is no matter of the adapter: sequences under another mask
// are another pass with other parameters folded in (experiments/objectives/blocks.ts).
import { type Device, type DeviceBuffer, put } from '../../kernels/device.ts';
import { ops } from '../../kernels/ops.ts';
import { loraParts } from '../adapter-layout.ts';
import type { AdapterLayout } from '../types.ts';
import type { DeviceWeights } from '../weights/weights.ts';
import { checkAdapterParams, restore } from './adapter.ts';
import { frozenBlocks } from './frozen-blocks.ts';
import { LoraAdapter } from './lora.ts';

interface Frozen {
  a0: DeviceBuffer;
  /** Scratch for ΔA and ΔB. */
  da: DeviceBuffer;
  db: DeviceBuffer;
}

export class BlocksAdapter extends LoraAdapter {
  override readonly initialAdapterParams: Float32Array;
  private readonly frozen = new Map<string, Frozen>();
  private readonly factors: Float32Array;

  /** `layout` from adapterLayout with adapter blocks. */
  constructor(device: Device, weights: DeviceWeights, layout: AdapterLayout) {
    const factors = frozenBlocks(layout);
    super(device, weights, layout, factors);
    this.factors = factors;
    this.initialAdapterParams = new Float32Array(layout.total);
    try {
      for (const module of layout.modules) {
        const { a, b } = loraParts(module);
        this.frozen.set(module.name, {
          a0: this.own(put(device, factors.slice(...a), `${module.name} A0`)),
          da: this.own(device.alloc(a[1] - a[0], 'f32', `${module.name} ΔA`)),
          db: this.own(device.alloc(b[1] - b[0], 'f32', `${module.name} ΔB`)),
        });
      }
    } catch (error) {
      this.free();
      throw error;
    }
  }

  override fold(adapterParams: Float32Array): void {
    checkAdapterParams(adapterParams, this.layout);
    const { device, factors } = this;
    for (const [name, linear] of this.modules) {
      const { module, folded, a, b } = linear;
      const { dOut: m, dIn: n } = module;
      const { rank: k, a: inA, b: inB } = loraParts(module);
      const { a0, da, db } = this.frozen.get(name)!;
      const [dA, dB] = [adapterParams.slice(...inA), adapterParams.slice(...inB)];
      const isZero = dA.every((x) => x === 0) && dB.every((x) => x === 0);
      if (isZero && !linear.changed) continue;
      linear.changed = !isZero;
      device.upload(da, dA);
      device.upload(db, dB);
      device.upload(
        a,
        dA.map((x, i) => x + factors[inA[0] + i]),
      );
      device.upload(
        b,
        dB.map((x, i) => x + factors[inB[0] + i]),
      );
      restore(device, linear);
      if (isZero) continue;
      ops.matmul(device, { a: b, b: da, c: folded, m, n, k, beta: 1 });
      ops.matmul(device, { a: db, b: a0, c: folded, m, n, k, beta: 1 });
    }
  }
}
