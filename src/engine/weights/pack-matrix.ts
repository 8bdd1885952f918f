// Packs a matrix's elements into f16, 8 or 4 bits on the host, slice by slice (layout: packed.ts). It is loaded only for models whose
// weights are stored in fewer than 32 bits.
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { floatToHalf, halfToFloat, halfValues } from '../../lib/half.ts';
import { LAYOUTS, type MatrixLayout, storedLengths } from '../storage-layouts.ts';
import type { PackSlice } from './filling.ts';

export const packSlice: PackSlice = (layout, floats, label, from, room) => {
  const [n, m] = storedLengths(floats.length, layout);
  if (layout === 'f16') return { words: packF16(floats, label, room.words(n), from) };
  if (layout === 'q8') return packQ8(floats, room.words(n), room.scales(m));
  const pack = layout === 'q4g32' ? packQ4g32 : packQ8g32;
  return pack(floats, label, room.words(n), room.halves(m));
};

const Q8_BLOCK = LAYOUTS.q8.block;

/** Packs two f16 values to a word, the first in the low bits, into `words` [⌈n/2⌉]. Throws FormatError if a value exceeds 65,504, the
 *  largest f16; `from`: index of the first element, for the message. */
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

/** Packs bytes in [−127, 127], four to a word, the first in the low bits: x ≈ scale · byte, scale = max|x| of the block / 127. */
export function packQ8(
  data: Float32Array,
  words: Uint32Array = new Uint32Array(Math.ceil(data.length / 4)),
  scales: Float32Array = new Float32Array(Math.ceil(data.length / Q8_BLOCK)),
): { words: Uint32Array; scales: Float32Array } {
  if (data.length % 4 !== 0) words[words.length - 1] = 0;
  const bytes = new Int8Array(words.buffer, words.byteOffset, data.length);
  for (let block = 0; block < scales.length; block++) {
    scales[block] = Math.abs(largestOf(data, block * Q8_BLOCK, Q8_BLOCK)) / 127;
    packBlock(data, bytes, block * Q8_BLOCK, Q8_BLOCK, scales[block]);
  }
  return { words, scales };
}

/**
 * As packQ8, with 32 elements to a scale and scales in f16, two to a word. A scale is rounded up to the next f16, so that the
 * block's largest element stays within 127 steps. Throws FormatError if a scale exceeds f16, that is, for weights above about
 * eight million.
 */
export function packQ8g32(
  data: Float32Array,
  name: string,
  words: Uint32Array = new Uint32Array(Math.ceil(data.length / 4)),
  scales: Uint32Array = roomForScales(data.length, LAYOUTS.q8g32.block),
): { words: Uint32Array; scales: Uint32Array } {
  if (data.length % 4 !== 0) words[words.length - 1] = 0;
  const bytes = new Int8Array(words.buffer, words.byteOffset, data.length);
  const { block } = LAYOUTS.q8g32;
  packScales(data, name, 127, block, scales, (at, scale) => packBlock(data, bytes, at * block, block, scale));
  return { words, scales };
}

/**
 * Packs 4-bit integers in [−8, 7] (two's complement), eight to a word, the first in the low bits. As in ggml's Q4_0
 * (quantize_row_q4_0_ref), the scale is the block's element of largest magnitude, with its sign, divided by −8, so that all sixteen values
 * are used; dividing by 7 would raise the error of the logits by a quarter. The scale is rounded away from 0 to f16; x / scale is rounded
 * to the nearest integer, ties to even (IEEE 754), and 8 becomes 7. A block of zeros has scale 0. Throws FormatError if a weight exceeds
 * 524,032.
 */
export function packQ4g32(
  data: Float32Array,
  name: string,
  words: Uint32Array = new Uint32Array(Math.ceil(data.length / 8)),
  scales: Uint32Array = roomForScales(data.length, LAYOUTS.q4g32.block),
): { words: Uint32Array; scales: Uint32Array } {
  words.fill(0);
  const { block } = LAYOUTS.q4g32;
  packScales(data, name, -8, block, scales, (at, scale) => {
    const end = Math.min(data.length, (at + 1) * block);
    for (let i = at * block; i < end && scale !== 0; i++)
      words[i >> 3] |= (Math.min(7, roundToEven(data[i] / scale)) & 15) << (4 * (i & 7));
  });
  return { words, scales };
}

const roomForScales = (length: number, block: number) => new Uint32Array(Math.ceil(length / (2 * block)));

/** Computes each block's scale, which maps its largest element to `steps` (±127, or −8) and is rounded away from 0 to f16, and calls
 *  `pack` with it. */
function packScales(
  data: Float32Array,
  name: string,
  steps: number,
  block: number,
  scales: Uint32Array,
  pack: (at: number, scale: number) => void,
): void {
  const blocks = Math.ceil(data.length / block);
  const exact = new Float32Array(blocks);
  for (let at = 0; at < blocks; at++) {
    const largest = largestOf(data, at * block, block);
    exact[at] = largest === 0 ? 0 : (steps < 0 ? largest : Math.abs(largest)) / steps;
  }
  scales.fill(0);
  const halves = floatToHalf(exact, new Uint16Array(scales.buffer, scales.byteOffset, blocks));
  const values = halfValues();
  for (let at = 0; at < blocks; at++) {
    // The bits of f16 values of one sign are ordered by magnitude.
    if (Math.abs(values[halves[at]]) < Math.abs(exact[at])) halves[at]++;
    const scale = values[halves[at]];
    if (!Number.isFinite(scale))
      throw new FormatError(
        `${name} has a weight of ${largestOf(data, at * block, block)}, beyond what ${Math.abs(steps)} steps of an f16 scale can hold`,
        'Choose the storage f32 or q8 for this model.',
      );
    pack(at, scale);
  }
}

function roundToEven(x: number): number {
  const up = Math.round(x);
  return up - x === 0.5 && up % 2 !== 0 ? up - 1 : up;
}

/** The element of largest magnitude, with its sign; the first of several. */
function largestOf(data: Float32Array, from: number, count: number): number {
  const to = Math.min(data.length, from + count);
  let largest = 0;
  for (let i = from; i < to; i++) if (Math.abs(data[i]) > Math.abs(largest)) largest = data[i];
  return largest;
}

function packBlock(data: Float32Array, bytes: Int8Array, from: number, count: number, scale: number): void {
  const to = Math.min(data.length, from + count);
  // Rounding of the scale may put the largest element just above 127; a subnormal scale may be 0.
  for (let i = from; i < to; i++) bytes[i] = scale > 0 ? Math.max(-127, Math.min(127, Math.round(data[i] / scale))) : 0;
}

/** Packs and unpacks a matrix on the host; bit for bit what the kernels unpack. Throws as fillMatrix does. */
export function storedValues(data: Float32Array, layout: MatrixLayout, name: string): Float32Array {
  if (layout === 'f32') return data;
  if (layout === 'f16') return halfToFloat(new Uint16Array(packF16(data, name).buffer, 0, data.length));
  const { block } = LAYOUTS[layout];
  if (layout === 'q8') {
    const { words, scales } = packQ8(data);
    const bytes = new Int8Array(words.buffer);
    return data.map((_, i) => scales[Math.floor(i / block)] * bytes[i]);
  }
  const { words, scales } = layout === 'q4g32' ? packQ4g32(data, name) : packQ8g32(data, name);
  const values = halfToFloat(new Uint16Array(scales.buffer));
  const steps = layout === 'q4g32' ? nibblesOf(words) : new Int8Array(words.buffer);
  return data.map((_, i) => values[Math.floor(i / block)] * steps[i]);
}

/** Integers of 4 bits, eight to a word, the first in the low bits. */
const nibblesOf = (words: Uint32Array) =>
  Int8Array.from({ length: words.length * 8 }, (_, i) => (words[i >> 3] << (28 - 4 * (i & 7))) >> 28);
