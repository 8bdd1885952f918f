// Two LoRA blocks in one module (after vGROUT, June 2026): A [2r, dIn] and B [dOut, 2r] with frozen initial copies A0 and B0, so that
//   W' = W + B A − B0 A0.
// The first r rows of A and columns of B are the *deployed* block, the others the *quarantine*. B A is the sum of the two blocks' products,
// without cross terms, so these are two adapters in one. A0 ~ N(0, 1/dIn), B0 ~ N(0, 1/2r), from one fixed seed.
//
// ΔA = A − A0 and ΔB = B − B0 are trained, and W' = W + B ΔA + ΔB A0, the same update in a form whose terms are all 0 at
// the start, so that the model equals the base bit for bit on every device. A block whose Δ is 0 adds nothing: it is
// *off*, and deployment resets the quarantine to 0. The gradients are a LoRA's at (A, B): ∂L/∂ΔA = Bᵀ dW,
// ∂L/∂ΔB = dW Aᵀ.
//
// The quarantine's output can be scaled by a factor w: W + B_d ΔA_d + ΔB_d A0_d + w (B_q ΔA_q + ΔB_q A0_q).
//
// The adapter does not decide which sequences use the quarantine or which gradient reaches which block: sequences with
// another mask run in another pass with other parameters folded in (experiments/methods/blocks-step.ts).
import { type Device, type DeviceBuffer, put } from '../../kernels/device.ts';
import { loraParts, quarantineMask } from '../adapter-layout.ts';
import type { AdapterLayout, BlockFold } from '../types.ts';
import type { DeviceWeights } from '../weights/weights.ts';
import { type AdaptLinear, checkAdapterParams } from './adapter.ts';
import { frozenBlocks } from './frozen-blocks.ts';
import { inF32, LoraAdapter } from './lora.ts';

interface Frozen {
  a0: DeviceBuffer;
  /** ΔA and ΔB, with the quarantine's part scaled. */
  da: DeviceBuffer;
  db: DeviceBuffer;
  /** B of the update. It differs from the B of the gradient if that is taken at A0 and B0 (BlockFold.atStart). */
  b: DeviceBuffer;
}

export class BlocksAdapter extends LoraAdapter {
  override readonly initialAdapterParams: Float32Array;
  private readonly frozen = new Map<string, Frozen>();
  private readonly factors: Float32Array;
  private readonly mask: Uint8Array;

  /** `layout` comes from adapterLayout with the adapter `blocks`. */
  constructor(device: Device, weights: DeviceWeights, layout: AdapterLayout, adapt: AdaptLinear) {
    const factors = frozenBlocks(layout);
    super(device, weights, layout, adapt, factors);
    this.factors = factors;
    this.mask = quarantineMask(layout);
    this.initialAdapterParams = new Float32Array(layout.total);
    try {
      for (const module of layout.modules) {
        const { a, b } = loraParts(module);
        const trained = this.modules.get(module.name)!;
        const size = b[1] - b[0];
        this.frozen.set(module.name, {
          a0: this.own(put(device, factors.slice(...a), `${module.name} A0`)),
          da: this.own(device.alloc(a[1] - a[0], 'f32', `${module.name} ΔA`)),
          db: this.own(device.alloc(size, 'f32', `${module.name} ΔB`)),
          b: trained.linear.readsTerms
            ? this.own(device.alloc(size, 'f32', `${module.name} B of the update`))
            : trained.b,
        });
      }
    } catch (error) {
      this.free();
      throw error;
    }
  }

  override fold(adapterParams: Float32Array, { quarantine = 1, atStart = false }: Partial<BlockFold> = {}): void {
    checkAdapterParams(adapterParams, this.layout);
    const { device, factors } = this;
    // Scaling ΔA and ΔB scales the update, since B ΔA + ΔB A0 is linear in them (B and A0 are not scaled).
    const scaled = quarantine === 1 ? adapterParams : adapterParams.map((x, i) => (this.mask[i] ? quarantine * x : x));
    for (const [name, adapted] of this.modules) {
      const { linear, a, b } = adapted;
      const { rank: r, a: inA, b: inB } = loraParts(linear.module);
      const { a0, da, db, b: up } = this.frozen.get(name)!;
      const [dA, dB] = [adapterParams.slice(...inA), adapterParams.slice(...inB)];
      const isZero = dA.every((x) => x === 0) && dB.every((x) => x === 0);
      if (isZero && !adapted.changed) continue;
      adapted.changed = !isZero;
      device.upload(da, scaled.slice(...inA));
      device.upload(db, scaled.slice(...inB));
      const put = (into: DeviceBuffer, delta: Float32Array, from: number) =>
        device.upload(
          into,
          delta.map((x, i) => x + factors[from + i]),
        );
      put(a, dA, inA[0]);
      put(b, dB, inB[0]);
      if (up !== b) put(up, dB, inB[0]);
      const terms = [
        { r, up: inF32(up), down: inF32(da) },
        { r, up: inF32(db), down: inF32(a0) },
      ];
      linear.update(isZero ? [] : terms);
      if (isZero || !atStart) continue;
      device.upload(a, factors.slice(...inA));
      device.upload(b, factors.slice(...inB));
    }
  }
}

/**
 * ∂L/∂w of a forward pass whose quarantine is scaled by w. With W' = … + w ΔW and ΔW = B ΔA + ΔB A0 of the quarantine it is
 * ⟨∂L/∂W', ΔW⟩, summed over the modules. Since ⟨∂L/∂W', B ΔA⟩ = ⟨Bᵀ ∂L/∂W', ΔA⟩ and ⟨∂L/∂W', ΔB A0⟩ = ⟨∂L/∂W' A0ᵀ, ΔB⟩, it follows from
 * parameter gradients: `trained`, of which A's part is used, and `start`, of which B's part is used, from a second backward pass over the
 * same forward pass at A0 and B0 (BlockFold.atStart).
 */
export function slopeOfScale(
  layout: AdapterLayout,
  params: Float32Array,
  trained: Float32Array,
  start: Float32Array,
): number {
  const mask = quarantineMask(layout);
  let slope = 0;
  for (const module of layout.modules) {
    const { a, b } = loraParts(module);
    for (let i = a[0]; i < a[1]; i++) if (mask[i]) slope += trained[i] * params[i];
    for (let i = b[0]; i < b[1]; i++) if (mask[i]) slope += start[i] * params[i];
  }
  return slope;
}
