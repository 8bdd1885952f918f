// Arithmetic on parameter vectors (f32 on the host, all modules concatenated). Sums run in double precision, in ascending order, so
// that results are the same on every machine.
import { ShapeError } from '@projected-grpo-lab/base/errors.ts';
import type { FloatArray } from '../kernels/device.ts';

export function sumSquares(x: FloatArray, from = 0, to = x.length): number {
  let total = 0;
  for (let i = from; i < to; i++) total += x[i] * x[i];
  return total;
}

export function norm(x: FloatArray, from = 0, to = x.length): number {
  return Math.sqrt(sumSquares(x, from, to));
}

/** ⟨x, y⟩ over elements [from, to). */
export function dot(x: FloatArray, y: FloatArray, from = 0, to = x.length): number {
  checkLength(x, y);
  let sum = 0;
  for (let i = from; i < to; i++) sum += x[i] * y[i];
  return sum;
}

/** x += y. */
export function addInto(x: Float32Array, y: Float32Array): void {
  checkLength(x, y);
  for (let i = 0; i < x.length; i++) x[i] += y[i];
}

/** x −= y. */
export function subtractInto(x: Float32Array, y: Float32Array): void {
  checkLength(x, y);
  for (let i = 0; i < x.length; i++) x[i] -= y[i];
}

/** row −= ⟨row, unit⟩ · unit; returns the inner product. */
export function subtractComponent(row: Float64Array, unit: Float64Array): number {
  const c = dot(row, unit);
  for (let j = 0; j < row.length; j++) row[j] -= c * unit[j];
  return c;
}

/** x *= s. */
export function scaleInto(x: Float32Array, s: number): void {
  for (let i = 0; i < x.length; i++) x[i] *= s;
}

/** x + y, as a new vector. */
export function plus(x: Float32Array, y: Float32Array): Float32Array {
  const out = x.slice();
  addInto(out, y);
  return out;
}

/** x − y, as a new vector. */
export function minus(x: Float32Array, y: Float32Array): Float32Array {
  const out = x.slice();
  subtractInto(out, y);
  return out;
}

function checkLength(x: FloatArray, y: FloatArray): void {
  if (x.length !== y.length)
    throw new ShapeError(
      `vectors of ${x.length} and ${y.length} elements`,
      'Both must be parameter vectors of one model (AdapterLayout.total elements).',
    );
}
