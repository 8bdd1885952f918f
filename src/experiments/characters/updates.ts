// Splits an arm's weight update into the part shared by all taught characters and the character's own part, using updates of several characters
// by one arm in the base's singular coordinates diag(Uᵀ δW V) of every Linear (the SVD adapter's parameters). A character's shared share is the
// squared cosine of its update with the sum of the other characters' directions; the rest is its own. Unrelated updates have a share of about
// 1 / (number of coordinates).

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import type { Factors } from '../../engine/adapters/svd.ts';
import type { AdapterLayout } from '../../engine/types.ts';
import { fromBase64Url, toBase64Url } from '../../lib/base64url.ts';
import type { CurveRow, Update } from './rows.ts';

/** @param layout all weights as adapter parameters; @param adapterParams δ of them; @param factors of the base, by Linear */
export function singularCoordinates(
  layout: AdapterLayout,
  adapterParams: Float32Array,
  factors: ReadonlyMap<string, Factors>,
): { coordinates: Float32Array; squared: number; along: number } {
  const linears = layout.modules.filter(({ name }) => factors.has(name));
  const total = linears.reduce((sum, { dOut, dIn }) => sum + Math.min(dOut, dIn), 0);
  const coordinates = new Float32Array(total);
  let squared = 0;
  let at = 0;
  for (const { name, offset, dOut, dIn } of linears) {
    const { U, Vh } = factors.get(name)!;
    const r = Math.min(dOut, dIn);
    for (let o = 0; o < dOut; o++) {
      const row = adapterParams.subarray(offset + o * dIn, offset + (o + 1) * dIn);
      for (const x of row) squared += x * x;
      for (let i = 0; i < r; i++) {
        let dot = 0;
        for (let j = 0; j < dIn; j++) dot += row[j] * Vh[i * dIn + j];
        coordinates[at + i] += U[o * r + i] * dot;
      }
    }
    at += r;
  }
  return { coordinates, squared, along: dot(coordinates, coordinates) };
}

export const packUpdate = (coordinates: Float32Array): string => toBase64Url(new Uint8Array(coordinates.buffer));

/** Throws FormatError for damaged coordinates. */
export function unpackUpdate({ coordinates }: Update): Float32Array {
  try {
    const found = new Float32Array(fromBase64Url(coordinates).buffer);
    if (found.every(Number.isFinite)) return found;
  } catch {
    // Not base64url, or not a whole number of floats; refused below.
  }
  throw new FormatError('An update’s coordinates are damaged.', 'Make the row again.');
}

export interface SharedShare {
  row: CurveRow;
  /** Null where no other character has an update by that arm. */
  share: number | null;
}

/** For each row with an update, its share along the sum of the other characters' updates by `arm`. */
export function sharedShares(rows: readonly CurveRow[], arm: string): SharedShare[] {
  const all = rows.flatMap((row) => (row.update ? [{ row, x: unit(unpackUpdate(row.update)) }] : []));
  const among = all.filter(({ row }) => row.arm === arm);
  return all.map(({ row, x }) => {
    const others = among.filter((one) => one.row.base === row.base && one.row.a.name !== row.a.name);
    return {
      row,
      share: alongSum(
        x,
        others.map((one) => one.x),
      ),
    };
  });
}

/** cos² between x and Σ others; null if there are none. */
function alongSum(x: Float64Array, others: readonly Float64Array[]): number | null {
  if (others.length === 0) return null;
  const sum = new Float64Array(x.length);
  for (const other of others) {
    if (other.length !== x.length)
      throw new FormatError('Updates of models of two shapes are in one file.', 'Read those of one base.');
    for (let i = 0; i < sum.length; i++) sum[i] += other[i];
  }
  const squared = dot(sum, sum);
  return squared > 0 ? dot(x, sum) ** 2 / squared : null;
}

function unit(x: Float32Array): Float64Array {
  const length = Math.sqrt(dot(x, x));
  return Float64Array.from(x, (value) => (length > 0 ? value / length : 0));
}

function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}
