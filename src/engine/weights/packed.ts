// How a frozen matrix is stored on a device: in f32, as two halves to a word (f16), or as bytes with one scale for every 32 elements
// (q8g32, scales in f16) or 64 (q8, scales in f32); symmetric, weight-only. Packed matrices are unpacked into f32 scratch just
// before a kernel reads them, or read as they are stored by products of few rows that sum alike (matmul_f16, matmul_q8h): a packed model computes
// bit for bit what an f32 model of the rounded weights does. A matrix goes to its device slice by slice (filling.ts), each packed by itself.

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import type { Device, DeviceBuffer, FloatArray, PackedProduct } from '../../kernels/device.ts';
import { ops } from '../../kernels/ops.ts';
import { floatToHalf, halfToFloat, halfValues } from '../../lib/half.ts';
import type { MatrixLayout, WeightStorage } from '../storage-layouts.ts';
import { type Filling, fillFrom, SLICE, SliceRoom } from './filling.ts';

/** Elements that share a scale, counted through the flattened matrix. */
export const Q8_BLOCK = 64;
export const Q8G32_BLOCK = 32;

export interface StoredMatrix {
  readonly storage: MatrixLayout;
  /** Elements of the matrix. */
  readonly length: number;
  /** f32: the elements; f16: [⌈n/2⌉] words; q8 and q8g32: [⌈n/4⌉] words. */
  readonly data: DeviceBuffer;
  /** q8: [⌈n/64⌉] floats; q8g32: [⌈⌈n/32⌉/2⌉] words of two halves. */
  readonly scale?: DeviceBuffer;
}

/** Singular vectors in bytes would cost the adapter’s gradient more than they save: beside a base in bytes they are halves. */
export function factorStorage(storage: WeightStorage): 'f32' | 'f16' {
  return storage === 'f32' ? 'f32' : 'f16';
}

/** Lengths in words of what a matrix of n elements takes. */
export function storedLengths(n: number, layout: MatrixLayout): number[] {
  if (layout === 'f32') return [n];
  if (layout === 'f16') return [Math.ceil(n / 2)];
  return [Math.ceil(n / 4), layout === 'q8' ? Math.ceil(n / Q8_BLOCK) : Math.ceil(n / (2 * Q8G32_BLOCK))];
}

/** Two halves to a word, the first in the low bits, into `words` [⌈n/2⌉]. Throws FormatError where a value is beyond a half's
 *  65,504; `from`: the number of the first element, for the message. */
function packF16(
  data: Float32Array,
  name: string,
  words: Uint32Array = new Uint32Array(Math.ceil(data.length / 2)),
  from = 0,
): Uint32Array {
  const halves = new Uint16Array(words.buffer, words.byteOffset, data.length);
  if (data.length % 2 === 1) words[words.length - 1] = 0;
  floatToHalf(data, halves);
  for (let i = 0; i < halves.length; i++) {
    if ((halves[i] & 0x7c00) !== 0x7c00) continue;
    throw new FormatError(
      `element ${from + i} of ${name} is ${data[i]}, beyond the 65,504 that f16 can hold`,
      'Choose the storage f32 or q8 for this model.',
    );
  }
  return words;
}

/** Bytes in [−127, 127], four to a word, the first in the low bits: x ≈ scale · byte, scale = max|x| of the block / 127. */
export function packQ8(
  data: Float32Array,
  words: Uint32Array = new Uint32Array(Math.ceil(data.length / 4)),
  scales: Float32Array = new Float32Array(Math.ceil(data.length / Q8_BLOCK)),
): { words: Uint32Array; scales: Float32Array } {
  if (data.length % 4 !== 0) words[words.length - 1] = 0;
  const bytes = new Int8Array(words.buffer, words.byteOffset, data.length);
  for (let block = 0; block < scales.length; block++) {
    scales[block] = largestOf(data, block * Q8_BLOCK, Q8_BLOCK) / 127;
    packBlock(data, bytes, block * Q8_BLOCK, Q8_BLOCK, scales[block]);
  }
  return { words, scales };
}

/**
 * The same with 32 elements to a scale, and scales as halves, two to a word. A scale is rounded up to the next half, so that the
 * block's largest stays within 127 steps. Throws FormatError where a scale is beyond a half, which is where a weight is beyond
 * eight million.
 */
export function packQ8g32(
  data: Float32Array,
  name: string,
  words: Uint32Array = new Uint32Array(Math.ceil(data.length / 4)),
  scales: Uint32Array = new Uint32Array(Math.ceil(data.length / (2 * Q8G32_BLOCK))),
): { words: Uint32Array; scales: Uint32Array } {
  if (data.length % 4 !== 0) words[words.length - 1] = 0;
  const bytes = new Int8Array(words.buffer, words.byteOffset, data.length);
  const blocks = Math.ceil(data.length / Q8G32_BLOCK);
  const exact = new Float32Array(blocks);
  for (let block = 0; block < blocks; block++) exact[block] = largestOf(data, block * Q8G32_BLOCK, Q8G32_BLOCK) / 127;
  scales.fill(0);
  const halves = floatToHalf(exact, new Uint16Array(scales.buffer, scales.byteOffset, blocks));
  const values = halfValues();
  for (let block = 0; block < blocks; block++) {
    // Halves of positive numbers are ordered as their bits are.
    if (values[halves[block]] < exact[block]) halves[block]++;
    const scale = values[halves[block]];
    if (scale === Number.POSITIVE_INFINITY)
      throw new FormatError(
        `${name} has a weight of ${largestOf(data, block * Q8G32_BLOCK, Q8G32_BLOCK)}, beyond what bytes with an f16 scale can hold`,
        'Choose the storage f32 or q8 for this model.',
      );
    packBlock(data, bytes, block * Q8G32_BLOCK, Q8G32_BLOCK, scale);
  }
  return { words, scales };
}

function largestOf(data: Float32Array, from: number, count: number): number {
  const to = Math.min(data.length, from + count);
  let largest = 0;
  for (let i = from; i < to; i++) largest = Math.max(largest, Math.abs(data[i]));
  return largest;
}

function packBlock(data: Float32Array, bytes: Int8Array, from: number, count: number, scale: number): void {
  const to = Math.min(data.length, from + count);
  // The rounded scale may make the largest a hair more than 127; a subnormal one may be 0.
  for (let i = from; i < to; i++) bytes[i] = scale > 0 ? Math.max(-127, Math.min(127, Math.round(data[i] / scale))) : 0;
}

/**
 * Takes a matrix of `length` elements to the device, slice by slice; ends with where it is. Throws DeviceError where it does not
 * fit, FormatError as packF16 and packQ8g32; what was taken until then is given back.
 */
export function* fillMatrix(
  device: Device,
  length: number,
  layout: MatrixLayout,
  label: string,
  room: SliceRoom,
): Filling<StoredMatrix> {
  const [words, scales] = storedLengths(length, layout);
  const data = device.alloc(words, layout === 'f32' ? 'f32' : 'u32', label);
  let scale: DeviceBuffer | undefined;
  try {
    if (scales !== undefined) scale = device.alloc(scales, layout === 'q8' ? 'f32' : 'u32', `${label} scales`);
    for (let from = 0; from < length; from += SLICE) {
      const count = Math.min(SLICE, length - from);
      const given = yield { from, count };
      if (layout === 'f32') {
        device.upload(data, given, from);
        continue;
      }
      const floats = given instanceof Float32Array ? given : room.floats(count, given);
      const [n, m] = storedLengths(count, layout);
      if (layout === 'f16') {
        device.upload(data, packF16(floats, label, room.words(n), from), from / 2);
      } else if (layout === 'q8') {
        const packed = packQ8(floats, room.words(n), room.scales(m));
        device.upload(data, packed.words, from / 4);
        device.upload(scale!, packed.scales, from / Q8_BLOCK);
      } else {
        const packed = packQ8g32(floats, label, room.words(n), room.halves(m));
        device.upload(data, packed.words, from / 4);
        device.upload(scale!, packed.scales, from / (2 * Q8G32_BLOCK));
      }
    }
    return { storage: layout, length, data, scale };
  } catch (error) {
    data.free();
    scale?.free();
    throw error;
  }
}

/** Stores a matrix that is on the host. */
export function putMatrix(
  device: Device,
  data: FloatArray,
  layout: MatrixLayout,
  label: string,
  room = new SliceRoom(),
): StoredMatrix {
  return fillFrom(fillMatrix(device, data.length, layout, label, room), data);
}

/** A matrix as it is once it has been stored and read again, on the host; bit for bit what the kernels unpack. Throws as fillMatrix. */
export function storedValues(data: Float32Array, layout: MatrixLayout, name: string): Float32Array {
  if (layout === 'f32') return data;
  if (layout === 'f16') return halfToFloat(new Uint16Array(packF16(data, name).buffer, 0, data.length));
  const block = layout === 'q8' ? Q8_BLOCK : Q8G32_BLOCK;
  const { words, scales } = layout === 'q8' ? packQ8(data) : packQ8g32(data, name);
  const values = scales instanceof Float32Array ? scales : halfToFloat(new Uint16Array(scales.buffer));
  const bytes = new Int8Array(words.buffer);
  return data.map((_, i) => values[Math.floor(i / block)] * bytes[i]);
}

/** dst[0..n) = elements [from, from + n) in f32, of a packed matrix. */
export function unpackInto(
  device: Device,
  { storage, data, scale }: StoredMatrix,
  dst: DeviceBuffer,
  n: number,
  from = 0,
): void {
  if (storage === 'f16') ops.unpackF16(device, { src: data, dst, n, srcOff: from });
  else if (storage === 'q8') ops.unpackQ8(device, { src: data, scale: scale!, dst, n, srcOff: from, block: Q8_BLOCK });
  else ops.unpackQ8h(device, { src: data, scale: scale!, dst, n, srcOff: from, block: Q8G32_BLOCK });
}

const PRODUCTS: Partial<Record<MatrixLayout, PackedProduct>> = { f16: 'matmul_f16', q8g32: 'matmul_q8h' };

/** Whether a product of so many rows is faster with the matrix as it is stored. Both ways give the same bits; this one needs no scratch. */
export function readsAsItLies(device: Device, { storage }: StoredMatrix, rows: number): boolean {
  const kernel = PRODUCTS[storage];
  return kernel !== undefined && device.readsPacked?.(kernel, rows) === true;
}

export interface ProductArgs {
  a: DeviceBuffer;
  c: DeviceBuffer;
  m: number;
  n: number;
  k: number;
  aOff?: number;
  bOff?: number;
  beta?: number;
}

/** c [m,n] (+)= a [m,k] Wᵀ of a matrix that is read as it is stored, W [n,k] from element bOff on. */
export function productAsItLies(device: Device, { storage, data: b, scale }: StoredMatrix, args: ProductArgs): void {
  if (storage === 'f16') ops.matmulF16(device, { ...args, b });
  else ops.matmulQ8h(device, { ...args, b, scale: scale!, block: Q8G32_BLOCK });
}

export function freeMatrix({ data, scale }: StoredMatrix): void {
  data.free();
  scale?.free();
}
