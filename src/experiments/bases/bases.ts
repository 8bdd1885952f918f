// A run's bases on the device: its own, and one per control quarantine. Where the spec refreshes them, each is re-extracted during the run
// on the model that its own quarantine deploys (METHOD "Refresh").

import { setOwn } from '@projected-grpo-lab/base/own.ts';
import { divisorOf } from '../../algorithms/adamw.ts';
import type { HackBasis } from '../../algorithms/basis.ts';
import { type Control, deployed, type OptimizerState } from '../../algorithms/optimizer.ts';
import { overlap, overlapNull } from '../../algorithms/overlap.ts';
import { BlockProjector, Projector, SpanProjector } from '../../algorithms/projection.ts';
import type { AdapterLayout } from '../../engine/types.ts';
import type { Device } from '../../kernels/device.ts';
import type { ControlSpec } from '../config/controls.ts';
import type { RunSpec } from '../config/run-spec.ts';
import { isAdamSpan } from '../methods/trusted-basis.ts';
import type { Refreshed, RefreshedBases } from '../records/checkpoint.ts';
import { recipeOf, refreshIsDue } from './recipe.ts';

export interface RunBases {
  /** Basis that the arm projects with; under `none` it only measures. */
  own: HackBasis;
  shadows: readonly { spec: ControlSpec; basis: HackBasis }[];
  /** Set for an adapter of two blocks, whose quarantine is a block and not a direction: marks that block's adapter parameters. */
  quarantine?: Uint8Array;
  /** Set if the own basis spans what is kept, not what is removed (trusted problems' gradients). */
  keepsSpan?: true;
  /** Re-extracts the basis of a control (null: the run's own) on the model with these adapter parameters, after `step` steps. `divisor`: that of
   *  AdamW at this step, if the run's own span is taken in its metric. */
  extract?: (
    control: ControlSpec | null,
    adapterParams: Float32Array,
    step: number,
    divisor?: Float32Array,
  ) => Promise<HackBasis>;
}

interface Overlaps {
  cin: number | null;
  cinStudent: number | null;
  cinTeacher: number | null;
  fired: number | null;
  shadowCin: Record<string, number | null>;
}

export class DeviceBases {
  readonly #device: Device;
  readonly #layout: AdapterLayout;
  readonly #bases: RunBases;
  #own: Projector;
  #controls: Control[];
  #refreshed: RefreshedBases = { own: null, shadows: {} };

  constructor(device: Device, layout: AdapterLayout, bases: RunBases) {
    this.#device = device;
    this.#layout = layout;
    this.#bases = bases;
    this.#own = this.#project(bases.own);
    this.#controls = bases.shadows.map(({ spec, basis }) => ({
      id: spec.id,
      gate: spec.gate,
      overshoot: spec.settings?.overshoot,
      projector: new Projector(device, layout, basis),
    }));
  }

  /** Projects along the run's own basis. */
  #project(basis: HackBasis): Projector {
    const { quarantine, keepsSpan } = this.#bases;
    if (quarantine) return new BlockProjector(this.#device, this.#layout, basis, quarantine);
    return new (keepsSpan ? SpanProjector : Projector)(this.#device, this.#layout, basis);
  }

  get own(): Projector {
    return this.#own;
  }
  get keepsSpan(): boolean {
    return this.#bases.keepsSpan === true;
  }
  get controls(): readonly Control[] {
    return this.#controls;
  }
  /** cin of a random gradient in the run's own basis. */
  get null(): number | null {
    return overlapNull(this.#own.basis);
  }
  /** State for a checkpoint; null while every basis is the untrained model's. A later refresh does not change it. */
  get refreshed(): RefreshedBases | null {
    const { own, shadows: controls } = this.#refreshed;
    return own || Object.keys(controls).length > 0 ? { own, shadows: { ...controls } } : null;
  }

  /** Whether any basis must be re-extracted after `step` steps. */
  isDue(spec: RunSpec, step: number): boolean {
    return [null, ...this.#bases.shadows.map(({ spec }) => spec)].some((control) => this.#isDue(spec, control, step));
  }

  /**
   * Re-extracts the bases that are due after `step` steps; the policy is left with other adapter parameters. Returns the own basis's overlap
   * with the previous one, mean over the modules in both of |⟨V_new_0, V_old_0⟩|; null if it was not due.
   */
  async refresh(spec: RunSpec, step: number, state: Pick<OptimizerState, 'total' | 'hack' | 'shadows' | 'moments'>) {
    let rotated: number | null = null;
    if (this.#isDue(spec, null, step)) {
      const before = this.#own.basis;
      // Before the first step there is no second moment to divide by.
      const scaled = isAdamSpan(spec) && state.moments.t > 0 ? { divisor: divisorOf(state.moments, spec) } : {};
      await this.#extract(null, { step, adapterParams: deployed(state as OptimizerState), ...scaled });
      rotated = firstAxisOverlap(before, this.#own.basis);
    }
    for (const { spec: control } of this.#bases.shadows) {
      if (!this.#isDue(spec, control, step)) continue;
      await this.#extract(control, {
        step,
        adapterParams: deployed(state as OptimizerState, state.shadows[control.id]),
      });
    }
    return rotated;
  }

  /** Restores the bases that a checkpoint's `refreshed` describes. */
  async restore({ own, shadows: controls }: RefreshedBases): Promise<void> {
    if (own) await this.#extract(null, own);
    for (const { spec } of this.#bases.shadows) if (controls[spec.id]) await this.#extract(spec, controls[spec.id]);
  }

  /** Mean over the modules of ‖relu(V x)‖/‖x‖, in the run's own basis by default. */
  async overlapOf(x: Float32Array, projector = this.own) {
    return overlap(x, await projector.coefficients(x), projector.basis);
  }

  async overlaps(whole: Float32Array, student: Float32Array, teacher: Float32Array): Promise<Overlaps> {
    const { mean: cin, fired } = await this.overlapOf(whole);
    const controlCin: Record<string, number | null> = {};
    for (const { id, projector } of this.controls)
      setOwn(controlCin, id, (await this.overlapOf(whole, projector)).mean);
    return {
      cin,
      fired,
      cinStudent: (await this.overlapOf(student)).mean,
      cinTeacher: (await this.overlapOf(teacher)).mean,
      shadowCin: controlCin,
    };
  }

  free(): void {
    this.own.free();
    for (const { projector } of this.controls) projector.free();
  }

  #isDue(spec: RunSpec, control: ControlSpec | null, step: number): boolean {
    return this.#bases.extract !== undefined && refreshIsDue(recipeOf(spec, control).refreshEvery, step);
  }

  async #extract(control: ControlSpec | null, at: Refreshed): Promise<void> {
    if (!this.#bases.extract) return;
    const basis = await this.#bases.extract(control, at.adapterParams, at.step, at.divisor);
    if (!control) {
      const own = this.#project(basis);
      this.#own.free();
      this.#own = own;
      this.#refreshed.own = at;
      return;
    }
    const projector = new Projector(this.#device, this.#layout, basis);
    this.#controls = this.#controls.map((known) => {
      if (known.id !== control.id) return known;
      known.projector.free();
      return { ...known, projector };
    });
    setOwn(this.#refreshed.shadows, control.id, at);
  }
}

/** Mean over the modules with rows in both of |⟨a_0, b_0⟩|; null if there is none. */
export function firstAxisOverlap(a: HackBasis, b: HackBasis): number | null {
  let total = 0;
  let n = 0;
  a.modules.forEach(({ k, r, vOffset }, m) => {
    const other = b.modules[m];
    if (k === 0 || other.k === 0) return;
    let dot = 0;
    for (let j = 0; j < r; j++) dot += a.V[vOffset + j] * b.V[other.vOffset + j];
    total += Math.abs(dot);
    n++;
  });
  return n === 0 ? null : total / n;
}
