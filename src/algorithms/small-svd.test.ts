// Tests the SVD with more rows than columns (more pairs than a module has parameters).
import { expect, it } from 'vitest';
import { CounterRng, STREAMS } from '../rng/index.ts';
import { rowSvd } from './small-svd.ts';

const matrix = (n: number, r: number, seed: number): Float64Array => {
  const rng = CounterRng.of(seed, STREAMS.test);
  return Float64Array.from({ length: n * r }, () => rng.uniform() - 0.5);
};

it('of a tall matrix gives DᵀD = V S² Vᵀ, orthonormal directions, and zero rows beyond the number of columns', () => {
  const [n, r] = [37, 12];
  const D = matrix(n, r, 3);
  const { S, Vh } = rowSvd(D, n, r);
  expect(S).toHaveLength(n);
  expect(Vh).toHaveLength(n * r);
  expect([...S.subarray(r)].every((value) => value === 0)).toBe(true);
  for (let i = 0; i < r; i++)
    for (let j = 0; j < r; j++) {
      const dot = (a: number, b: number) => {
        let sum = 0;
        for (let q = 0; q < r; q++) sum += Vh[a * r + q] * Vh[b * r + q];
        return sum;
      };
      expect(dot(i, j)).toBeCloseTo(i === j ? 1 : 0, 12);
      let gram = 0;
      for (let row = 0; row < n; row++) gram += D[row * r + i] * D[row * r + j];
      let rebuilt = 0;
      for (let q = 0; q < r; q++) rebuilt += S[q] ** 2 * Vh[q * r + i] * Vh[q * r + j];
      expect(rebuilt).toBeCloseTo(gram, 12);
    }
  expect([...S].slice(0, r)).toEqual([...S].slice(0, r).sort((a, b) => b - a));
});

it('of repeated rows, twice as many as columns, finds the directions of one copy', () => {
  const [n, r] = [8, 12];
  const once = matrix(n, r, 5);
  const twice = Float64Array.from([...once, ...once, ...once]);
  const [a, b] = [rowSvd(once, n, r), rowSvd(twice, 3 * n, r)];
  for (let i = 0; i < n; i++) {
    expect(b.S[i]).toBeCloseTo(Math.sqrt(3) * a.S[i], 10);
    let cosine = 0;
    for (let j = 0; j < r; j++) cosine += a.Vh[i * r + j] * b.Vh[i * r + j];
    expect(Math.abs(cosine)).toBeCloseTo(1, 8);
  }
});
