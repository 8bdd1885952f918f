// The probe's measure (METHOD `norm_weighted_cos`): the part of a gradient along every module's first hack axis, Σ_m ⟨g_m, v_m⟩ /
// sqrt(Σ_m ‖g_m‖²). A module contributes up to ‖g_m‖, so by Cauchy-Schwarz the bound is sqrt(n_modules), not 1. If positive, descending g
// moves the model towards the hack. Both sums are over modules with an axis.
import type { HackBasis } from '../../../algorithms/basis.ts';
import { orthonormalRows } from '../../../algorithms/controls.ts';
import { norm } from '../../../algorithms/vectors.ts';
import { CounterRng, STREAMS } from '../../../rng/index.ts';

/** One module's first axis, normalised. */
export interface FirstAxis {
  /** Index of the module in the adapter parameter layout. */
  module: number;
  offset: number;
  r: number;
  axis: Float32Array;
}

/** The first axis is the strongest, so a module that lost it to the noise floor has lost all of them and is left out. */
export function firstAxes({ modules, V }: HackBasis): FirstAxis[] {
  return modules.flatMap(({ k, r, offset, vOffset }, module) => {
    const row = V.subarray(vOffset, vOffset + r);
    const length = norm(row);
    return k === 0 || length === 0 ? [] : [{ module, offset, r, axis: row.map((x) => x / length) }];
  });
}

/** One random unit axis for each of `like`: draw number `draw` of this seed. */
export function randomAxes(like: readonly FirstAxis[], seed: number, draw: number): FirstAxis[] {
  return like.map((first) => {
    const [axis] = orthonormalRows(CounterRng.of(seed, STREAMS.probe, 0, draw, first.module), 1, first.r);
    return { ...first, axis };
  });
}

/** The largest contribution: sqrt(n_modules). */
export const boundOf = (axes: readonly FirstAxis[]): number => Math.sqrt(axes.length);

/** Null where no module has an axis, or the gradient is zero there or not finite. */
export function contribution(g: Float32Array, axes: readonly FirstAxis[]): number | null {
  let along = 0;
  let squares = 0;
  for (const { offset, r, axis } of axes) {
    for (let j = 0; j < r; j++) {
      along += g[offset + j] * axis[j];
      squares += g[offset + j] * g[offset + j];
    }
  }
  const value = along / Math.sqrt(squares);
  return Number.isFinite(value) ? value : null;
}

/** ⟨g_m, v_m⟩ / ‖g_m‖ of each module that has an axis; null where g_m is zero. */
export function moduleCosines(g: Float32Array, axes: readonly FirstAxis[]): (number | null)[] {
  return axes.map((axis) => contribution(g, [axis]));
}
