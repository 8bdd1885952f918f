// Reference kernels for packed and split matrices (contract/packed.ts).
import { floatToHalf, halfValues } from '../../lib/half.ts';
import type { FloatArray } from '../device.ts';
import type { Reference } from './reference.ts';

const halvesOf = (words: Uint32Array) => new Uint16Array(words.buffer, words.byteOffset, words.length * 2);
function halfAt(words: Uint32Array): (i: number) => number {
  const halves = halvesOf(words);
  const values = halfValues();
  return (i) => values[halves[i]];
}
const bytesOf = (words: Uint32Array) => new Int8Array(words.buffer, words.byteOffset, words.length * 4);
type Elements = (i: number) => number;
function byteAt(words: Uint32Array): Elements {
  const bytes = bytesOf(words);
  return (i) => bytes[i];
}
const nibbleAt =
  (words: Uint32Array): Elements =>
  (i) =>
    (words[i >>> 3] << (28 - 4 * (i & 7))) >> 28;

export const unpackF16: Reference<'unpack_f16'> = ([src, dst], { n, srcOff }) => {
  const halves = halvesOf(src);
  const values = halfValues();
  for (let i = 0; i < n; i++) dst[i] = values[halves[srcOff + i]];
};

type Extent = Parameters<Reference<'unpack_q8'>>[1];

function unpackScaled(element: Elements, scaleOf: Elements, dst: FloatArray, { n, srcOff, block }: Extent): void {
  // Works block by block to avoid a division per element.
  for (let i = 0; i < n; ) {
    const at = Math.floor((srcOff + i) / block);
    const end = Math.min(n, (at + 1) * block - srcOff);
    for (const s = scaleOf(at); i < end; i++) dst[i] = s * element(srcOff + i);
  }
}

export const unpackQ8: Reference<'unpack_q8'> = ([src, scale, dst], extent) =>
  unpackScaled(byteAt(src), (at) => scale[at], dst, extent);

export const unpackQ8h: Reference<'unpack_q8h'> = ([src, scale, dst], extent) =>
  unpackScaled(byteAt(src), halfAt(scale), dst, extent);

export const unpackQ4h: Reference<'unpack_q4h'> = ([src, scale, dst], extent) =>
  unpackScaled(nibbleAt(src), halfAt(scale), dst, extent);

function product(
  a: FloatArray,
  b: (i: number) => number,
  c: FloatArray,
  { m, n, k, aOff, bOff, cOff, beta }: Parameters<Reference<'matmul_f16'>>[1],
): void {
  for (let i = 0; i < m; i++) {
    for (let j = 0; j < n; j++) {
      let sum = 0;
      for (let p = 0; p < k; p++) sum += a[aOff + i * k + p] * b(bOff + j * k + p);
      const at = cOff + i * n + j;
      c[at] = beta ? sum + c[at] : sum;
    }
  }
}

export const matmulF16: Reference<'matmul_f16'> = ([a, b, c], shape) => product(a, halfAt(b), c, shape);

// The product of an f16 and a byte is exact in f32, so this equals unpacking first.
const scaled =
  (element: Elements, scaleOf: Elements, block: number): Elements =>
  (i) =>
    scaleOf(Math.floor(i / block)) * element(i);

export const matmulQ8h: Reference<'matmul_q8h'> = ([a, b, scale, c], shape) =>
  product(a, scaled(byteAt(b), halfAt(scale), shape.block), c, shape);

export const matmulQ4h: Reference<'matmul_q4h'> = ([a, b, scale, c], shape) =>
  product(a, scaled(nibbleAt(b), halfAt(scale), shape.block), c, shape);

export const gatherPart: Reference<'gather_part'> = ([src, index, dst], { rows, dim, first, count }) => {
  for (let i = 0; i < rows; i++) {
    const at = index[i] - first;
    if (at >= 0 && at < count) dst.set(src.subarray(at * dim, (at + 1) * dim), i * dim);
  }
};

export const gatherF16: Reference<'gather_f16'> = ([src, index, dst], params) =>
  gatherPacked(halfAt(src), index, dst, params);

type Rows = Parameters<Reference<'gather_q8'>>[1];

function gatherPacked(
  value: Elements,
  index: Uint32Array,
  dst: FloatArray,
  { rows, dim, first, count }: Omit<Rows, 'block'>,
): void {
  for (let i = 0; i < rows; i++) {
    const at = index[i] - first;
    if (at < 0 || at >= count) continue;
    for (let d = 0; d < dim; d++) dst[i * dim + d] = value(at * dim + d);
  }
}

export const gatherQ8: Reference<'gather_q8'> = ([src, scale, index, dst], params) =>
  gatherPacked(
    scaled(byteAt(src), (at) => scale[at], params.block),
    index,
    dst,
    params,
  );

export const gatherQ8h: Reference<'gather_q8h'> = ([src, scale, index, dst], params) =>
  gatherPacked(scaled(byteAt(src), halfAt(scale), params.block), index, dst, params);

export const gatherQ4h: Reference<'gather_q4h'> = ([src, scale, index, dst], params) =>
  gatherPacked(scaled(nibbleAt(src), halfAt(scale), params.block), index, dst, params);

/** Bits of the largest f16, and the value of the smallest normal one. */
const LARGEST = 0x7bff;
const SMALLEST = 2 ** -14;

export const storeF16: Reference<'store_f16'> = ([src, index, dst], { rows, dim, shift, gathers }) => {
  const halves = halvesOf(dst);
  for (let i = 0; i < rows; i++) {
    const from = (gathers ? index[i] : i) * dim;
    const row = Float32Array.from(src.subarray(from, from + dim));
    const to = ((gathers ? i : index[i]) + shift) * dim;
    for (const [d, half] of floatToHalf(row).entries())
      halves[to + d] = (half & 0x8000) | (Math.abs(row[d]) < SMALLEST ? 0 : Math.min(half & 0x7fff, LARGEST));
  }
};

export const moveCols: Reference<'move_cols'> = ([src, dst], { rows, cols, srcStride, srcOff, dstStride, dstOff }) => {
  for (let row = 0; row < rows; row++) {
    const from = srcOff + row * srcStride;
    dst.set(src.subarray(from, from + cols), dstOff + row * dstStride);
  }
};
