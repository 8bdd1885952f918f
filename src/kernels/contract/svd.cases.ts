// Cases of block Jacobi, with awkward sizes, for tests that compare implementations.
import type { CounterRng } from '../../rng/index.ts';
import { floats, type KernelCase, make } from '../testing/case.ts';

/** Blocks of 16 rows: ragged last blocks, a block past the end, lengths that are no multiple of a block, several slices. */
export function svdCases(r: CounterRng): KernelCase[] {
  const cases: KernelCase[] = [];
  for (const { n, m, nv, pairs, slices } of [
    { n: 5, m: 3, nv: 5, pairs: [0, 1], slices: 1 },
    { n: 32, m: 300, nv: 32, pairs: [0, 1], slices: 1 },
    { n: 50, m: 37, nv: 13, pairs: [1, 3, 0, 2], slices: 2 },
    { n: 71, m: 530, nv: 2, pairs: [0, 4, 2, 3], slices: 3 },
  ]) {
    const count = pairs.length / 2;
    const stride = m + nv;
    const list = Uint32Array.from([7, 7, ...pairs]); // pairs before pairOff are not read
    const x = () => floats(r, n * stride);
    const shape = { n, stride, count, pairOff: 1 };
    cases.push(make('svd_gram', [x(), list, floats(r, count * slices * 1024)], { ...shape, m, slices }));
    const report = floats(r, (count + 1) * 3);
    cases.push(
      make('svd_turn', [grams(r, n, pairs, slices), floats(r, count * 1024), report], {
        slices,
        sweeps: slices,
        count,
        pairOff: 1,
        tol: 1e-6,
        floor: 1e-9,
      }),
    );
    const q = floats(r, count * 1024);
    for (let i = 0; i < count; i++) report[(i + 1) * 3 + 2] = count > 1 && i === 0 ? 0 : 1;
    cases.push(make('svd_apply', [x(), q, list, report], shape));
  }
  return cases;
}

/** Inner products of random rows of growing length, zeros for rows past n; each a sum of `slices` parts. */
function grams(r: CounterRng, n: number, pairs: readonly number[], slices: number): Float32Array {
  const length = 40;
  const all: number[] = [];
  for (let i = 0; i < pairs.length; i += 2) {
    const rows = Array.from({ length: 32 }, (_, k) => {
      const there = pairs[i + (k < 16 ? 0 : 1)] * 16 + (k % 16) < n;
      return floats(r, length, there ? 0.2 + 0.05 * k : 0);
    });
    for (let s = 0; s < slices; s++)
      for (const a of rows) for (const b of rows) all.push(a.reduce((sum, x, j) => sum + x * b[j], 0) / slices);
  }
  return Float32Array.from(all);
}
