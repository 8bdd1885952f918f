// Cases of the kernels that multiply integers, for tests that compare implementations: one row and several, columns that fill no tile, a third
// matrix without rows, a block that is rounded to 0.
import type { CounterRng } from '../../rng/index.ts';
import { floats, type KernelCase, make } from '../testing/case.ts';
import { bytes } from '../testing/packed-cases.ts';
import { BLOCK_WORDS, INTEGER_BLOCK, quantizedWords } from './integers.ts';

/** Half-precision scales of 1/2 and 1. */
const scales = (count: number) => new Uint32Array(Math.ceil(count / 2)).fill(0x3c003800);

export function integersCases(r: CounterRng): KernelCase[] {
  const cases: KernelCase[] = [];
  for (const [m, k, n0, n1, n2, beta] of [
    [1, 32, 1, 2, 3, 0],
    [1, 96, 70, 6, 9, 1],
    [5, 64, 33, 8, 0, 0],
    [9, 32, 5, 40, 7, 1],
  ]) {
    const x = floats(r, m * k).map((value, i) => (i < INTEGER_BLOCK && m > 1 ? value * 1e-37 : value));
    cases.push(make('quantize_rows', [x, new Uint32Array(quantizedWords(m * k))], { rows: m, dim: k }));
    const a = bytes(r, 4 * quantizedWords(m * k));
    for (let block = 0; block < (m * k) / INTEGER_BLOCK; block++)
      a[block * BLOCK_WORDS + 8] = new Uint32Array(floats(r, 1).buffer)[0];
    const packed = [n0, n1, n2].flatMap((n) => [bytes(r, n * k), scales((n * k) / INTEGER_BLOCK)]);
    cases.push(make('products_q8i', [a, ...packed, floats(r, m * (n0 + n1 + n2))], { m, k, n0, n1, n2, beta }));
  }
  return cases;
}
