// How a frozen matrix lies on a device: in f32, as two halves to a word (f16), or as bytes with one f32 scale for every 64
// elements (q8, symmetric; weight-only). Packed matrices are unpacked into f32 scratch just before a kernel reads them: every
// product runs in the same f32 kernels, so a packed model computes bit for bit what an f32 model of the rounded weights does.

import { type Device, type DeviceBuffer, type FloatArray, put } from '../kernels/device.ts';
import { unpackF16, unpackQ8 } from '../kernels/ops.ts';
import { FormatError } from '../lib/errors.ts';
import { floatToHalf, halfToFloat } from '../lib/half.ts';
import type { WeightStorage } from './types.ts';

/** Elements that share a scale, counted through the flattened matrix. */
export const Q8_BLOCK = 64;

export interface StoredMatrix {
  readonly storage: WeightStorage;
  /** Elements of the matrix. */
  readonly length: number;
  /** f32: the elements; f16: [⌈n/2⌉] words; q8: [⌈n/4⌉] words. */
  readonly data: DeviceBuffer;
  /** q8 alone: [⌈n/64⌉]. */
  readonly scale?: DeviceBuffer;
}

/** Singular vectors in bytes would cost the knobs' gradient more than they save: beside a q8 base they are halves. */
export function factorStorage(storage: WeightStorage): WeightStorage {
  return storage === 'f32' ? 'f32' : 'f16';
}

/** Lengths in words of what a matrix of n elements takes. */
export function storedLengths(n: number, storage: WeightStorage): number[] {
  if (storage === 'f32') return [n];
  return storage === 'f16' ? [Math.ceil(n / 2)] : [Math.ceil(n / 4), Math.ceil(n / Q8_BLOCK)];
}

/** Two halves to a word, the first in the low bits. Throws FormatError where a value is beyond a half's 65,504. */
export function packF16(data: Float32Array, name: string): Uint32Array {
  const words = new Uint32Array(Math.ceil(data.length / 2));
  const halves = new Uint16Array(words.buffer, 0, data.length);
  halves.set(floatToHalf(data));
  for (let i = 0; i < halves.length; i++) {
    if ((halves[i] & 0x7c00) !== 0x7c00) continue;
    throw new FormatError(
      `element ${i} of ${name} is ${data[i]}, beyond the 65,504 that f16 can hold`,
      'Choose the storage f32 or q8 for this model.',
    );
  }
  return words;
}

/** Bytes in [−127, 127], four to a word, the first in the low bits: x ≈ scale · byte, scale = max|x| of the block / 127. */
export function packQ8(data: Float32Array): { words: Uint32Array; scales: Float32Array } {
  const words = new Uint32Array(Math.ceil(data.length / 4));
  const bytes = new Int8Array(words.buffer);
  const scales = new Float32Array(Math.ceil(data.length / Q8_BLOCK));
  for (let block = 0; block < scales.length; block++) {
    const from = block * Q8_BLOCK;
    const to = Math.min(data.length, from + Q8_BLOCK);
    let largest = 0;
    for (let i = from; i < to; i++) largest = Math.max(largest, Math.abs(data[i]));
    scales[block] = largest / 127;
    const scale = scales[block];
    // The rounded scale may make the largest a hair more than 127; a subnormal one may be 0.
    if (scale > 0)
      for (let i = from; i < to; i++) bytes[i] = Math.max(-127, Math.min(127, Math.round(data[i] / scale)));
  }
  return { words, scales };
}

/** Throws DeviceError where it does not fit, FormatError as packF16; what was taken until then is given back. */
export function putMatrix(device: Device, data: FloatArray, storage: WeightStorage, label: string): StoredMatrix {
  const length = data.length;
  if (storage === 'f32') return { storage, length, data: put(device, data, label) };
  const floats = data instanceof Float32Array ? data : Float32Array.from(data);
  if (storage === 'f16') return { storage, length, data: put(device, packF16(floats, label), label) };
  const { words, scales } = packQ8(floats);
  const packed = put(device, words, label);
  try {
    return { storage, length, data: packed, scale: put(device, scales, `${label} scales`) };
  } catch (error) {
    packed.free();
    throw error;
  }
}

/** A matrix as it is once it has been stored and read again, on the host; bit for bit what the kernels unpack. Throws as packF16. */
export function storedValues(data: Float32Array, storage: WeightStorage, name: string): Float32Array {
  if (storage === 'f32') return data;
  if (storage === 'f16') return halfToFloat(new Uint16Array(packF16(data, name).buffer, 0, data.length));
  const { words, scales } = packQ8(data);
  const bytes = new Int8Array(words.buffer);
  return data.map((_, i) => scales[Math.floor(i / Q8_BLOCK)] * bytes[i]);
}

/** dst[0..n) = elements [from, from + n) in f32, of a packed matrix. */
export function unpackInto(
  device: Device,
  { storage, data, scale }: StoredMatrix,
  dst: DeviceBuffer,
  n: number,
  from = 0,
): void {
  if (storage === 'f16') unpackF16(device, { src: data, dst, n, srcOff: from });
  else unpackQ8(device, { src: data, scale: scale!, dst, n, srcOff: from, block: Q8_BLOCK });
}

export function freeMatrix({ data, scale }: StoredMatrix): void {
  data.free();
  scale?.free();
}
