// A run's bases on the device: its own, and one for each shadow quarantine. Where the spec asks for it they are extracted
// again on the way (METHOD "Refresh"), each on the model that its own quarantine deploys.

import { setOwn } from '@projected-grpo-lab/base/own.ts';
import type { HackBasis } from '../../algorithms/basis.ts';
import { deployed, type OptimizerState, type Shadow } from '../../algorithms/optimizer.ts';
import { overlap, overlapNull } from '../../algorithms/overlap.ts';
import { Projector } from '../../algorithms/projection.ts';
import type { AdapterLayout } from '../../engine/types.ts';
import type { Device } from '../../kernels/device.ts';
import type { RunSpec, ShadowSpec } from '../config/spec.ts';
import { recipeOf, refreshIsDue } from './recipe.ts';

export interface RunBases {
  /** What the arm projects with; under `none` it only measures. */
  own: HackBasis;
  shadows: readonly { spec: ShadowSpec; basis: HackBasis }[];
  /** The basis of a shadow (null: the run's own) extracted again on the model with these adapter parameters, after so many steps. */
  extract?: (shadow: ShadowSpec | null, adapterParams: Float32Array, step: number) => Promise<HackBasis>;
}

export interface Overlaps {
  cin: number | null;
  cinStudent: number | null;
  cinTeacher: number | null;
  fired: number | null;
  shadowCin: Record<string, number | null>;
}

/** When a basis was last extracted again, and on which adapter parameters: enough to have it back, byte for byte. */
export interface Refreshed {
  step: number;
  adapterParams: Float32Array;
}
export interface RefreshedBases {
  own: Refreshed | null;
  shadows: Record<string, Refreshed>;
}

export class DeviceBases {
  readonly #device: Device;
  readonly #layout: AdapterLayout;
  readonly #bases: RunBases;
  #own: Projector;
  #shadows: Shadow[];
  #refreshed: RefreshedBases = { own: null, shadows: {} };

  constructor(device: Device, layout: AdapterLayout, bases: RunBases) {
    this.#device = device;
    this.#layout = layout;
    this.#bases = bases;
    this.#own = new Projector(device, layout, bases.own);
    this.#shadows = bases.shadows.map(({ spec, basis }) => ({
      id: spec.id,
      gate: spec.gate,
      overshoot: spec.settings?.overshoot,
      projector: new Projector(device, layout, basis),
    }));
  }

  get own(): Projector {
    return this.#own;
  }
  get shadows(): readonly Shadow[] {
    return this.#shadows;
  }
  /** cin that a random gradient would have in the run's own basis. */
  get null(): number | null {
    return overlapNull(this.#own.basis);
  }
  /** For a checkpoint; null while every basis is that of the untrained model. */
  get refreshed(): RefreshedBases | null {
    const { own, shadows } = this.#refreshed;
    return own || Object.keys(shadows).length > 0 ? this.#refreshed : null;
  }

  /** Whether any basis is to be extracted again after `step` steps. */
  isDue(spec: RunSpec, step: number): boolean {
    return [null, ...this.#bases.shadows.map(({ spec }) => spec)].some((shadow) => this.#isDue(spec, shadow, step));
  }

  /**
   * Extracts again what is due after `step` steps; the policy is left with other adapter parameters. Returns the own basis's overlap with
   * the one before: mean over the modules that have one in both of |⟨V_new_0, V_old_0⟩|; null when it was not its turn.
   */
  async refresh(spec: RunSpec, step: number, state: Pick<OptimizerState, 'total' | 'hack' | 'shadows'>) {
    let rotated: number | null = null;
    if (this.#isDue(spec, null, step)) {
      const before = this.#own.basis;
      await this.#extract(null, { step, adapterParams: deployed(state as OptimizerState) });
      rotated = firstAxisOverlap(before, this.#own.basis);
    }
    for (const { spec: shadow } of this.#bases.shadows) {
      if (!this.#isDue(spec, shadow, step)) continue;
      await this.#extract(shadow, { step, adapterParams: deployed(state as OptimizerState, state.shadows[shadow.id]) });
    }
    return rotated;
  }

  /** The bases as they were when `refreshed` was kept. */
  async restore({ own, shadows }: RefreshedBases): Promise<void> {
    if (own) await this.#extract(null, own);
    for (const { spec } of this.#bases.shadows) if (shadows[spec.id]) await this.#extract(spec, shadows[spec.id]);
  }

  /** ‖relu(V x)‖/‖x‖ in the run's own basis. */
  async overlapOf(x: Float32Array, projector = this.own) {
    return overlap(x, await projector.coefficients(x), projector.basis);
  }

  async overlaps(whole: Float32Array, student: Float32Array, teacher: Float32Array): Promise<Overlaps> {
    const { mean: cin, fired } = await this.overlapOf(whole);
    const shadowCin: Record<string, number | null> = {};
    for (const { id, projector } of this.shadows) setOwn(shadowCin, id, (await this.overlapOf(whole, projector)).mean);
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

  #isDue(spec: RunSpec, shadow: ShadowSpec | null, step: number): boolean {
    return this.#bases.extract !== undefined && refreshIsDue(recipeOf(spec, shadow).refreshEvery, step);
  }

  async #extract(shadow: ShadowSpec | null, at: Refreshed): Promise<void> {
    if (!this.#bases.extract) return;
    const basis = await this.#bases.extract(shadow, at.adapterParams, at.step);
    const projector = new Projector(this.#device, this.#layout, basis);
    if (!shadow) {
      this.#own.free();
      this.#own = projector;
      this.#refreshed.own = at;
      return;
    }
    this.#shadows = this.#shadows.map((known) => {
      if (known.id !== shadow.id) return known;
      known.projector.free();
      return { ...known, projector };
    });
    setOwn(this.#refreshed.shadows, shadow.id, at);
  }
}

/** Mean over the modules with rows in both of |⟨a_0, b_0⟩|; null where there is no such module. */
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
