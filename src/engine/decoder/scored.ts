// Converts between a packed batch's flat targets and its sequences: splits per-token values by sequence, concatenates
// coefficients, and splits the adapter gradients of a backward pass by segment.

import { ShapeError } from '@projected-grpo-lab/base/errors.ts';
import { type Device, readFloats } from '../../kernels/device.ts';
import { AdapterGradients, type LinearAdapter, type WholeAdapter } from '../adapters/adapter.ts';
import type { Arena } from '../arena.ts';
import type { BackwardTo } from '../passes/batch.ts';
import type { Packed } from '../passes/packing.ts';

/** Column c of values [targets, width], one array per sequence. */
export function bySequence(packed: Packed, values: ArrayLike<number>, width = 1, c = 0): Float32Array[] {
  return packed.targetStart.map((start, i) =>
    Float32Array.from({ length: packed.targetCount[i] }, (_, t) => values[(start + t) * width + c]),
  );
}

/** Mean of rows [from, from + count) of x [*, d], summed in ascending order in double precision. */
export function meanRow(x: ArrayLike<number>, from: number, count: number, d: number): Float32Array {
  const sums = new Float64Array(d);
  for (let row = from; row < from + count; row++) for (let c = 0; c < d; c++) sums[c] += x[row * d + c];
  return Float32Array.from(sums, (sum) => sum / count);
}

/** Coefficients of all trained tokens in the batch's order, [targets]. Throws ShapeError unless there is one for each. */
export function flatCoefficients(packed: Packed, coef: readonly Float32Array[]): Float32Array {
  const flat = new Float32Array(packed.targetRows.length);
  coef.forEach((values, i) => {
    if (values.length !== packed.targetCount[i]) {
      throw new ShapeError(
        `sequence ${i}: ${values.length} coefficients for ${packed.targetCount[i]} tokens`,
        'Give one coefficient per completion token that is trained on.',
      );
    }
    flat.set(values, packed.targetStart[i]);
  });
  return flat;
}

/** Gradient of everything that `backward` hands to the sink, one parameter vector per segment. */
export async function adapterGradients(
  device: Device,
  arena: Arena,
  adapter: LinearAdapter | WholeAdapter,
  packed: Packed,
  backward: BackwardTo,
): Promise<Float32Array[]> {
  if ('gradients' in adapter) return adapter.gradients(arena, packed, backward);
  const { rows, segments } = packed;
  const { total } = adapter.layout;
  const out = arena.take('adapter parameter.gradients', segments.length * total);
  backward(new AdapterGradients(device, adapter, { rows, segments, out, arena }));
  const all = await readFloats(device, out, 0, segments.length * total);
  return segments.map((_, s) => Float32Array.from(all.subarray(s * total, (s + 1) * total)));
}
