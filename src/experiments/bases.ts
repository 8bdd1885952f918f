// A run's bases on the device: its own, and one for each shadow quarantine.
import type { HackBasis } from '../algorithms/basis.ts';
import type { Shadow } from '../algorithms/optimizer.ts';
import { overlap, overlapNull } from '../algorithms/overlap.ts';
import { Projector } from '../algorithms/projection.ts';
import type { KnobLayout } from '../engine/types.ts';
import type { Device } from '../kernels/device.ts';
import type { ShadowSpec } from './spec.ts';

export interface RunBases {
  /** What the arm projects with; under `none` it only measures. */
  own: HackBasis;
  shadows: readonly { spec: ShadowSpec; basis: HackBasis }[];
}

export interface Overlaps {
  cin: number | null;
  cinStudent: number | null;
  cinTeacher: number | null;
  fired: number | null;
  shadowCin: Record<string, number | null>;
}

export class DeviceBases {
  readonly own: Projector;
  readonly shadows: readonly Shadow[];
  readonly null: number | null;

  constructor(device: Device, layout: KnobLayout, bases: RunBases) {
    this.own = new Projector(device, layout, bases.own);
    this.shadows = bases.shadows.map(({ spec, basis }) => ({
      id: spec.id,
      gate: spec.gate,
      projector: new Projector(device, layout, basis),
    }));
    this.null = overlapNull(bases.own);
  }

  /** ‖relu(V x)‖/‖x‖ in the run's own basis. */
  async overlapOf(x: Float32Array, projector = this.own) {
    return overlap(x, await projector.coefficients(x), projector.basis);
  }

  async overlaps(whole: Float32Array, student: Float32Array, teacher: Float32Array): Promise<Overlaps> {
    const { mean: cin, fired } = await this.overlapOf(whole);
    const shadowCin: Record<string, number | null> = {};
    for (const { id, projector } of this.shadows) shadowCin[id] = (await this.overlapOf(whole, projector)).mean;
    return {
      cin,
      fired,
      cinStudent: (await this.overlapOf(student)).mean,
      cinTeacher: (await this.overlapOf(teacher)).mean,
      shadowCin,
    };
  }

  free(): void {
    this.own.free();
    for (const { projector } of this.shadows) projector.free();
  }
}
