// Hack basis, second part: converts directions (extracted or imported) to the basis that a run projects with: sliced to k,
// without axes below the noise floor, and in the layout of the `project` kernel.
import type { BasisLayout, RawBasis } from './extraction.ts';
import { axisFates } from './noise-floor.ts';

/** A module's part of a basis. With k = 0 the module is not projected. */
export interface BasisModule {
  k: number;
  r: number;
  /** Offset of this module in a parameter vector. */
  offset: number;
  /** Offset of its rows in `V`, and of its coefficients in the projection's output. */
  vOffset: number;
  cOffset: number;
}

/** Orthonormal rows of every module, end to end. */
export interface HackBasis {
  modules: readonly BasisModule[];
  /** Σ k·r elements. */
  V: Float32Array;
  /** Total number of axes, Σ k. */
  axes: number;
}

export interface UseSettings {
  k: number;
  /** Rows whose S is below this quantile of all modules' S are dropped. */
  dropBottomFrac: number;
}

/** Slices to k rows, then drops rows below the noise floor (one quantile over all modules, including zeroed axes) and zero rows. */
export function basisInUse(raw: RawBasis, layout: BasisLayout, { k, dropBottomFrac }: UseSettings): HackBasis {
  const rows = layout.modules.map(({ name, r }) => {
    const directions = raw.get(name);
    return Array.from({ length: directions?.k ?? 0 }, (_, axis) => {
      const row = directions!.V.subarray(axis * r, (axis + 1) * r);
      return { row, s: directions!.S[axis], zero: row.every((x) => x === 0) };
    });
  });
  const { fates } = axisFates(rows, { k, dropBottomFrac });
  return layRows(
    layout,
    rows.map((axes, m) => axes.filter((_, axis) => fates[m][axis] === 'kept').map(({ row }) => row)),
  );
}

/** Builds a basis from the rows [k, r] of each module. */
export function layRows(layout: BasisLayout, rows: readonly (readonly Float32Array[])[]): HackBasis {
  const modules: BasisModule[] = [];
  let vOffset = 0;
  let cOffset = 0;
  layout.modules.forEach(({ r, offset }, m) => {
    const k = rows[m].length;
    modules.push({ k, r, offset, vOffset, cOffset });
    vOffset += k * r;
    cOffset += k;
  });
  const V = new Float32Array(vOffset);
  modules.forEach(({ vOffset, r }, m) => {
    rows[m].forEach((row, axis) => {
      V.set(row, vOffset + axis * r);
    });
  });
  return { modules, V, axes: cOffset };
}
