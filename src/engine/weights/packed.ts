// Storage of a frozen matrix on a device: f32; f16, two to a word; bytes with one scale per 32 elements (q8g32, scales in
// f16) or per 64 (q8, scales in f32); or 4 bits with an f16 scale per 32 (q4g32). Quantization is symmetric and
// weight-only. Packed matrices are unpacked into f32 scratch just before a kernel reads them; products of few rows may
// read them packed, with kernels that sum in the same order (PRODUCTS). So a packed model computes bit for bit what an
// f32 model of the rounded weights does. A matrix is packed and uploaded slice by slice (filling.ts).

import type { Device, DeviceBuffer, FloatArray, PackedProduct } from '../../kernels/device.ts';
import { type OpArgs, ops } from '../../kernels/ops.ts';
import { LAYOUTS, type MatrixLayout, storedLengths, type WeightStorage } from '../storage-layouts.ts';
import { type Filling, fillFrom, SLICE, type SliceRoom } from './filling.ts';

export interface StoredMatrix {
  readonly storage: MatrixLayout;
  /** Elements of the matrix. */
  readonly length: number;
  /** f32: the elements; f16: [⌈n/2⌉] words; q8 and q8g32: [⌈n/4⌉] words; q4g32: [⌈n/8⌉] words. */
  readonly data: DeviceBuffer;
  /** q8: [⌈n/64⌉] floats; q8g32 and q4g32: [⌈⌈n/32⌉/2⌉] words of two halves. */
  readonly scale?: DeviceBuffer;
}

/** Storage of singular vectors. They stay in f16 beside a quantized base, since 8 bits would distort the adapter’s gradient. */
export function factorStorage(storage: WeightStorage): 'f32' | 'f16' {
  return storage === 'f32' ? 'f32' : 'f16';
}

/**
 * Copies a matrix of `length` elements to the device, slice by slice, and returns its buffers. Throws DeviceError if it does not fit, and
 * FormatError as packSlice does; then nothing stays allocated.
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

/** Uploads a matrix from host memory. */
export function putMatrix(
  device: Device,
  data: FloatArray,
  layout: MatrixLayout,
  label: string,
  room: SliceRoom,
): StoredMatrix {
  return fillFrom(fillMatrix(device, data.length, layout, label, room), data);
}

/** Unpacks elements [from, from + n) of a packed matrix to dst[0..n), in f32. */
export function unpackInto(
  device: Device,
  { storage, data, scale }: StoredMatrix,
  dst: DeviceBuffer,
  n: number,
  from = 0,
): void {
  const args = { src: data, dst, n, srcOff: from };
  if (storage === 'f16') ops.unpackF16(device, args);
  else if (storage !== 'f32') SCALED[storage].unpack(device, { ...args, scale: scale!, block: LAYOUTS[storage].block });
}

/** dst[i,:] = row index[i] of a table, for those rows that this matrix holds: [first, first + count). */
export function gatherInto(
  device: Device,
  { storage, data: src, scale }: StoredMatrix,
  rows: Omit<OpArgs<'gather_part'>, 'src'>,
): void {
  const args = { ...rows, src };
  if (storage === 'f32') ops.gatherPart(device, args);
  else if (storage === 'f16') ops.gatherF16(device, args);
  else SCALED[storage].gather(device, { ...args, scale: scale!, block: LAYOUTS[storage].block });
}

/** Kernels of the layouts whose elements share scales. */
const SCALED = {
  q8: { unpack: ops.unpackQ8, gather: ops.gatherQ8 },
  q8g32: { unpack: ops.unpackQ8h, gather: ops.gatherQ8h },
  q4g32: { unpack: ops.unpackQ4h, gather: ops.gatherQ4h },
} as const;

const PRODUCTS: Partial<Record<MatrixLayout, PackedProduct>> = {
  f16: 'matmul_f16',
  q8g32: 'matmul_q8h',
  q4g32: 'matmul_q4h',
};

/** Whether a product of `rows` rows is faster if the kernel reads the packed matrix. Both ways give the same bits. */
export function isFasterPacked(device: Device, { storage }: StoredMatrix, rows: number): boolean {
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

/** c [m,n] (+)= a [m,k] Wᵀ with a packed matrix, W [n,k] from element bOff on. */
export function packedProduct(device: Device, { storage, data: b, scale }: StoredMatrix, args: ProductArgs): void {
  if (storage === 'f16') ops.matmulF16(device, { ...args, b });
  else if (storage === 'q4g32') ops.matmulQ4h(device, { ...args, b, scale: scale!, block: LAYOUTS.q4g32.block });
  else ops.matmulQ8h(device, { ...args, b, scale: scale!, block: LAYOUTS.q8g32.block });
}

export function freeMatrix({ data, scale }: StoredMatrix): void {
  data.free();
  scale?.free();
}
