// How a frozen matrix is stored on a device: in f32, as two halves to a word (f16), or as bytes with one scale for every 32 elements
// (q8g32, scales in f16) or 64 (q8, scales in f32); symmetric, weight-only. Packed matrices are unpacked into f32 scratch just
// before a kernel reads them, or read as they are stored by products of few rows that sum alike (matmul_f16, matmul_q8h): a packed model computes
// bit for bit what an f32 model of the rounded weights does. A matrix goes to its device slice by slice (filling.ts), each packed by itself.

import type { Device, DeviceBuffer, FloatArray, PackedProduct } from '../../kernels/device.ts';
import { ops } from '../../kernels/ops.ts';
import { type MatrixLayout, Q8_BLOCK, Q8G32_BLOCK, storedLengths, type WeightStorage } from '../storage-layouts.ts';
import { type Filling, fillFrom, SLICE, type SliceRoom } from './filling.ts';

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
      const [wordsAt, scalesAt] = storedLengths(from, layout);
      const packed = room.pack!(layout, floats, label, from, room);
      device.upload(data, packed.words, wordsAt);
      if (scale) device.upload(scale, packed.scales!, scalesAt);
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
  room: SliceRoom,
): StoredMatrix {
  return fillFrom(fillMatrix(device, data.length, layout, label, room), data);
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
  cOff?: number;
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
