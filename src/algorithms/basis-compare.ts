// Similarity of two bases: for each module, |cos| of their first axes and the principal angles between their row spans (Björck & Golub 1973:
// the cosines are the singular values of A Bᵀ for orthonormal rows A, B), with the expectation for random subspaces of the same k and r.
// Zeroed axes are left out.
import { ShapeError } from '@projected-grpo-lab/base/errors.ts';
import { kept } from '../lib/kept.ts';
import { CounterRng, STREAMS } from '../rng/index.ts';
import { lnGamma, mean } from '../stats/index.ts';
import { orthonormalRows } from './controls.ts';
import type { ModuleDirections, RawBasis } from './extraction.ts';
import { rowSvd } from './small-svd.ts';
import { dot } from './vectors.ts';

export interface Likeness {
  /** |cos| of the two first axes; null if one of them is zeroed. */
  first: number | null;
  /** Mean cos² of the principal angles: the share of the smaller subspace that lies in the other. */
  overlap: number;
  /** Mean principal angle in degrees, 0 (the same span) to 90. */
  meanAngle: number;
  minAngle: number;
}

export interface ModuleLikeness extends Likeness {
  name: string;
  r: number;
  /** Numbers of non-zero axes. */
  kA: number;
  kB: number;
  /** The min(kA, kB) principal angles in degrees, ascending. */
  angles: number[];
  /** Expected likeness of random subspaces of these dimensions. */
  null: Likeness;
}

export interface BasisLikeness {
  /** Modules in which both bases have axes, in the order of `names`. */
  modules: ModuleLikeness[];
  /** Modules in which only one basis has axes. */
  onlyA: string[];
  onlyB: string[];
  /** Means over the common modules; null if there are none. */
  mean: Likeness | null;
  null: Likeness | null;
}

/** Number of random subspaces; the standard error of the mean angle is then 1.8° for lines in a plane, and less with more dimensions. */
const DRAWS = 200;
const DEGREES = 180 / Math.PI;

/** Null expectations cached by dimensions, since drawing takes longer than comparing two bases. */
const NULLS = new Map<string, Likeness>();

/** @param k number of axes that are compared, strongest first. @param names the model's modules, in order. */
export function compareBases(a: RawBasis, b: RawBasis, names: readonly string[], k: number): BasisLikeness {
  const modules: ModuleLikeness[] = [];
  const onlyA: string[] = [];
  const onlyB: string[] = [];
  for (const name of names) {
    const rowsA = spanOf(a.get(name), k);
    const rowsB = spanOf(b.get(name), k);
    if (rowsA.length === 0 || rowsB.length === 0) {
      if (rowsA.length > 0) onlyA.push(name);
      if (rowsB.length > 0) onlyB.push(name);
      continue;
    }
    const { r } = rowsA[0];
    if (rowsB[0].r !== r)
      throw new ShapeError(
        `${name}: axes of ${r} and of ${rowsB[0].r} elements have no angle between them`,
        'Compare two bases of one model and one adapter.',
      );
    const key = `${rowsA.length},${rowsB.length},${r}`;
    const expected = kept(NULLS, key, () => randomLikeness(rowsA.length, rowsB.length, r));
    const isFirst = rowsA[0].axis === 0 && rowsB[0].axis === 0;
    const cosines = principalCosines(
      rowsA.map(({ row }) => row),
      rowsB.map(({ row }) => row),
    );
    modules.push({
      name,
      r,
      kA: rowsA.length,
      kB: rowsB.length,
      angles: cosines.map(angleOf),
      first: isFirst ? Math.min(1, Math.abs(dot(rowsA[0].row, rowsB[0].row))) : null,
      ...summary(cosines),
      null: expected,
    });
  }
  return { modules, onlyA, onlyB, mean: meanOf(modules), null: meanOf(modules.map((module) => module.null)) };
}

/** Cosines of the principal angles, descending, between the spans of two sets of orthonormal rows of equal length. */
export function principalCosines(a: readonly Float32Array[], b: readonly Float32Array[]): number[] {
  const [few, many] = a.length <= b.length ? [a, b] : [b, a];
  const products = Float64Array.from(few.flatMap((x) => many.map((y) => dot(x, y))));
  const { S } = rowSvd(products, few.length, many.length);
  return Array.from(S, (cosine) => Math.min(1, cosine));
}

/** Expected values for two random subspaces of dimensions kA and kB in r. The mean |cos| of two random directions is
 *  Γ(r/2) / (√π Γ((r+1)/2)), the mean overlap max(kA, kB)/r; the angles have no closed form and are averaged over fixed draws. */
export function randomLikeness(kA: number, kB: number, r: number): Likeness {
  const few = Math.min(kA, kB);
  const many = Math.max(kA, kB);
  const means: number[] = [];
  const smallest: number[] = [];
  // By symmetry, one of the subspaces can be fixed to the span of the first unit vectors.
  const fixed = Array.from({ length: many }, (_, i) => Float32Array.from({ length: r }, (_, j) => (i === j ? 1 : 0)));
  for (let draw = 0; draw < DRAWS; draw++) {
    const rng = CounterRng.of(0, STREAMS.subspaceNull, kA, kB, r, draw);
    const { meanAngle, minAngle } = summary(principalCosines(orthonormalRows(rng, few, r), fixed));
    means.push(meanAngle);
    smallest.push(minAngle);
  }
  return {
    first: Math.exp(lnGamma(r / 2) - lnGamma((r + 1) / 2)) / Math.sqrt(Math.PI),
    overlap: many / r,
    meanAngle: mean(means) ?? 0,
    minAngle: mean(smallest) ?? 0,
  };
}

/** The non-zero rows among the first k axes. */
function spanOf(directions: ModuleDirections | undefined, k: number): { axis: number; r: number; row: Float32Array }[] {
  if (!directions) return [];
  const { r, V } = directions;
  return Array.from({ length: Math.min(k, directions.k) }, (_, axis) => ({
    axis,
    r,
    row: V.subarray(axis * r, (axis + 1) * r),
  })).filter(({ row }) => row.some((x) => x !== 0));
}

const angleOf = (cosine: number) => Math.acos(cosine) * DEGREES;

function summary(cosines: readonly number[]): Pick<Likeness, 'overlap' | 'meanAngle' | 'minAngle'> {
  return {
    overlap: mean(cosines.map((cosine) => cosine ** 2)) ?? 0,
    meanAngle: mean(cosines.map(angleOf)) ?? 0,
    minAngle: angleOf(cosines[0] ?? 1),
  };
}

function meanOf(items: readonly Likeness[]): Likeness | null {
  if (items.length === 0) return null;
  const over = (pick: (item: Likeness) => number | null) =>
    mean(items.map(pick).filter((value): value is number => value !== null));
  return {
    first: over(({ first }) => first),
    overlap: over(({ overlap }) => overlap) ?? 0,
    meanAngle: over(({ meanAngle }) => meanAngle) ?? 0,
    minAngle: over(({ minAngle }) => minAngle) ?? 0,
  };
}
