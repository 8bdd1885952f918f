// Packing of a matrix's elements into halves or bytes (packed.ts says how they lie), on the host, slice by slice. Only a model whose weights
// are stored in fewer bits loads this.
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { floatToHalf, halfToFloat, halfValues } from '../../lib/half.ts';
import { type MatrixLayout, Q8_BLOCK, Q8G32_BLOCK, storedLengths } from '../storage-layouts.ts';
import type { PackSlice } from './filling.ts';

export const packSlice: PackSlice = (layout, floats, label, from, room) => {
  const [n, m] = storedLengths(floats.length, layout);
  if (layout === 'f16') return { words: packF16(floats, label, room.words(n), from) };
  if (layout === 'q8') return packQ8(floats, room.words(n), room.scales(m));
  return packQ8g32(floats, label, room.words(n), room.halves(m));
};

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
