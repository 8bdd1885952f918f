// Reference kernels for products of 8-bit integers (contract/integers.ts).
import { halfValues } from '../../lib/half.ts';
import { BLOCK_WORDS, INTEGER_BLOCK } from '../contract/integers.ts';
import type { Reference } from './reference.ts';

/** A block whose largest magnitude is below this is rounded to zeros, so that the inverse of a scale is finite. */
const LEAST = 2 ** -119;
const PER_LARGEST = Math.fround(1 / 127);

const bytesOf = (words: Uint32Array) => new Int8Array(words.buffer, words.byteOffset, words.length * 4);
const floatsOf = (words: Uint32Array) => new Float32Array(words.buffer, words.byteOffset, words.length);

export const quantizeRows: Reference<'quantize_rows'> = ([x, dst], { rows, dim }) => {
  const [integers, scales] = [bytesOf(dst), floatsOf(dst)];
  for (let block = 0; block < (rows * dim) / INTEGER_BLOCK; block++) {
    // Every device computes in f32, because another precision could move a quotient across a half and change the integer.
    const own = Float32Array.from(x.subarray(block * INTEGER_BLOCK, (block + 1) * INTEGER_BLOCK));
    const largest = own.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    const scale = largest < LEAST ? 0 : Math.fround(largest * PER_LARGEST);
    const inverse = scale === 0 ? 0 : Math.fround(1 / scale);
    scales[block * BLOCK_WORDS + 8] = scale;
    for (const [i, value] of own.entries())
      integers[block * BLOCK_WORDS * 4 + i] = roundToEven(Math.fround(value * inverse));
  }
};

/** Rounds to the nearest integer, ties to even. */
function roundToEven(x: number): number {
  const nearest = Math.round(x);
  return nearest - x === 0.5 && nearest % 2 !== 0 ? nearest - 1 : nearest;
}

export const productsQ8i: Reference<'products_q8i'> = ([a, b0, scale0, b1, scale1, b2, scale2, c], p) => {
  const { m, k, n0, n1, n2, beta } = p;
  const [rows, ofRows, values] = [bytesOf(a), floatsOf(a), halfValues()];
  // Vitest reads an imported name anew at every use, which would take most of the inner loop's time.
  const [block, blockWords] = [INTEGER_BLOCK, BLOCK_WORDS];
  const blocks = k / block;
  let at = 0;
  for (const [n, words, scales] of [
    [n0, b0, scale0],
    [n1, b1, scale1],
    [n2, b2, scale2],
  ] as const) {
    const columns = bytesOf(words);
    const halves = new Uint16Array(scales.buffer, scales.byteOffset, scales.length * 2);
    for (let i = 0; i < m; i++)
      for (let j = 0; j < n; j++, at++) {
        let sum = 0;
        for (let t = 0; t < blocks; t++) {
          const [ofA, ofB] = [(i * blocks + t) * blockWords, j * blocks + t];
          let dot = 0;
          for (let q = 0; q < block; q++) dot += rows[4 * ofA + q] * columns[ofB * block + q];
          sum += Math.fround(ofRows[ofA + 8] * values[halves[ofB]]) * dot;
        }
        c[at] = beta ? sum + c[at] : sum;
      }
  }
};
