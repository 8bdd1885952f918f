// Calls of the kernels on packed and split matrices: odd widths that share words, offsets within a word, rows outside the part.
import type { CounterRng } from '../../rng/index.ts';
import { floats, indices, type KernelCase, make } from './case.ts';

/** Words of two finite f16 values each, including subnormals and zeros of both signs. */
export function halves(random: CounterRng, count: number): Uint32Array {
  const half = () => {
    const magnitude = random.int(0x7c00);
    // Every fourth is subnormal.
    return (random.int(2) << 15) | (random.int(4) === 0 ? magnitude & 0x3ff : magnitude);
  };
  return Uint32Array.from({ length: Math.ceil(count / 2) }, () => (half() | (half() << 16)) >>> 0);
}

/** Words of four arbitrary bytes each. */
export function bytes(random: CounterRng, count: number): Uint32Array {
  return Uint32Array.from(
    { length: Math.ceil(count / 4) },
    () => (random.int(65536) | (random.int(65536) << 16)) >>> 0,
  );
}

export function packedCases(r: CounterRng): KernelCase[] {
  const cases: KernelCase[] = [];
  for (const [n, srcOff, block] of [
    [1, 0, 1],
    [64, 0, 64],
    [7, 3, 4],
    [131, 65, 64],
    [50, 6, 7],
  ]) {
    const all = srcOff + n;
    cases.push(make('unpack_f16', [halves(r, all), floats(r, n + 2)], { n, srcOff }));
    cases.push(
      make('unpack_q8', [bytes(r, all), floats(r, Math.ceil(all / block)), floats(r, n + 2)], { n, srcOff, block }),
    );
    const scales = halves(r, Math.ceil(all / block));
    cases.push(make('unpack_q8h', [bytes(r, all), scales, floats(r, n + 2)], { n, srcOff, block }));
  }
  // The part is in the middle of a table, and some requested rows are before or after it; odd widths share words.
  for (const [rows, dim, first, count] of [
    [1, 1, 0, 1],
    [9, 16, 4, 5],
    [12, 7, 3, 6],
  ]) {
    const index = indices(r, rows, first + count + 4);
    const dst = floats(r, rows * dim);
    const params = { rows, dim, first, count };
    const n = count * dim;
    cases.push(make('gather_part', [floats(r, n), index, dst], params));
    cases.push(make('gather_f16', [halves(r, n), index, dst], params));
    cases.push(make('gather_q8', [bytes(r, n), floats(r, Math.ceil(n / 8)), index, dst], { ...params, block: 8 }));
    cases.push(make('gather_q8h', [bytes(r, n), halves(r, Math.ceil(n / 8)), index, dst], { ...params, block: 8 }));
  }
  for (const [rows, cols, srcStride, srcOff, dstStride, dstOff] of [
    [1, 1, 1, 0, 1, 0],
    [5, 7, 7, 2, 20, 9],
    [4, 16, 31, 10, 16, 0],
    [3, 0, 4, 0, 4, 0],
  ])
    cases.push(
      make('move_cols', [floats(r, srcOff + rows * srcStride + cols), floats(r, dstOff + rows * dstStride + cols)], {
        rows,
        cols,
        srcStride,
        srcOff,
        dstStride,
        dstOff,
      }),
    );
  // Odd lengths share words; offsets can be one element.
  for (const [m, n, k, bOff] of [
    [1, 1, 1, 0],
    [5, 9, 7, 3],
    [9, 13, 20, 4],
    [3, 34, 64, 0],
    [2, 3, 0, 1],
  ])
    for (const beta of [0, 1]) {
      const [a, c] = [floats(r, m * k + 4), floats(r, m * n + 5)];
      const params = { m, n, k, aOff: 4, bOff, cOff: 3, beta };
      const elements = bOff + n * k;
      cases.push(make('matmul_f16', [a, halves(r, elements), c], params));
      const block = k % 4 === 0 ? 8 : 3;
      const scales = halves(r, Math.ceil(elements / block));
      cases.push(make('matmul_q8h', [a, bytes(r, elements), scales, c], { ...params, block }));
    }
  return cases;
}

/** Calls on 4-bit integers: ends and offsets within a byte, and blocks that share one. They are separate so that other cases keep their
 *  random numbers. */
export function laterPackedCases(r: CounterRng): KernelCase[] {
  const cases: KernelCase[] = [];
  const nibbles = (count: number) => bytes(r, Math.ceil(count / 2));
  for (const [n, srcOff, block] of [
    [1, 0, 1],
    [64, 0, 32],
    [7, 3, 4],
    [131, 65, 32],
    [50, 6, 7],
  ]) {
    const all = srcOff + n;
    const scales = halves(r, Math.ceil(all / block));
    cases.push(make('unpack_q4h', [nibbles(all), scales, floats(r, n + 2)], { n, srcOff, block }));
  }
  for (const [rows, dim, first, count] of [
    [1, 1, 0, 1],
    [9, 16, 4, 5],
    [12, 7, 3, 6],
  ]) {
    const index = indices(r, rows, first + count + 4);
    const n = count * dim;
    const params = { rows, dim, first, count, block: 8 };
    cases.push(make('gather_q4h', [nibbles(n), halves(r, Math.ceil(n / 8)), index, floats(r, rows * dim)], params));
  }
  for (const [m, n, k, bOff] of [
    [1, 1, 1, 0],
    [5, 9, 7, 3],
    [9, 13, 20, 4],
    [3, 34, 64, 0],
    [2, 3, 0, 1],
  ])
    for (const beta of [0, 1]) {
      const block = k % 4 === 0 ? 8 : 3;
      const elements = bOff + n * k;
      const scales = halves(r, Math.ceil(elements / block));
      const buffers = [floats(r, m * k + 4), nibbles(elements), scales, floats(r, m * n + 5)];
      cases.push(make('matmul_q4h', buffers, { m, n, k, aOff: 4, bOff, cOff: 3, beta, block }));
    }
  return cases;
}
