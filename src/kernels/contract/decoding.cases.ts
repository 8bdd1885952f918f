// Cases of the fused decoding kernels, for tests that compare implementations: one row and several, widths that fill no tile, a third matrix
// without rows, heads without a norm and heads of which some dimensions are not rotated.
import type { CounterRng } from '../../rng/index.ts';
import { floats, type KernelCase, make } from '../testing/case.ts';
import { bytes, halves } from '../testing/packed-cases.ts';

const BLOCK = 8;

/** Words of eight 4-bit integers each. */
const nibbles = (r: CounterRng, count: number) => bytes(r, Math.ceil(count / 2));

/** Half-precision scales of 1/2 and 1. */
const scales = (count: number) => new Uint32Array(Math.ceil(count / 2)).fill(0x3c003800);

export function decodingCases(r: CounterRng): KernelCase[] {
  const cases: KernelCase[] = [];
  for (const [m, k, n0, n1, n2, apart, beta] of [
    [1, 4, 1, 2, 3, 0, 0],
    [1, 20, 70, 6, 9, 0, 1],
    [5, 24, 33, 8, 0, 0, 0],
    [9, 8, 5, 40, 7, 1, 1],
    [3, 8, 9, 4, 0, 1, 1],
    [1, 12, 8, 4, 4, 1, 0],
  ]) {
    const a = floats(r, (apart ? (n2 > 0 ? 3 : 2) : 1) * m * k);
    const c = floats(r, m * (n0 + n1 + n2));
    const sizes = [n0, n1, n2].map((n) => n * k);
    const params = { m, k, n0, n1, n2, apart, beta };
    cases.push(make('products', [a, ...sizes.map((n) => floats(r, n)), c], params));
    cases.push(make('products_f16', [a, ...sizes.map((n) => halves(r, n)), c], params));
    const packed = sizes.flatMap((n) => [bytes(r, n), scales(Math.ceil(n / BLOCK))]);
    cases.push(make('products_q8h', [a, ...packed, c], { ...params, block: BLOCK }));
    const inFour = sizes.flatMap((n) => [nibbles(r, n), scales(Math.ceil(n / BLOCK))]);
    cases.push(make('products_q4h', [a, ...inFour, c], { ...params, block: BLOCK }));
  }
  for (const [m, n, k] of [
    [1, 3, 4],
    [1, 70, 20],
    [5, 37, 12],
  ]) {
    const params = { m, n, k, eps: 1e-6 };
    const [x, w, out] = [floats(r, m * k), floats(r, k), floats(r, m * n)];
    const near = () => floats(r, n * k, 0.3);
    cases.push(make('gated', [x, w, near(), near(), out], params));
    // Values are small, so that e^x of the gate does not overflow.
    const small = () => halves(r, n * k).map((word) => word & 0x2fff2fff);
    cases.push(make('gated_f16', [x, w, small(), small(), out], params));
    const smallScales = () => new Uint32Array(Math.ceil(Math.ceil((n * k) / BLOCK) / 2)).fill(0x18001400);
    const packed = () => [bytes(r, n * k), smallScales()];
    cases.push(make('gated_q8h', [x, w, ...packed(), ...packed(), out], { ...params, block: BLOCK }));
    const inFour = () => [nibbles(r, n * k), smallScales()];
    cases.push(make('gated_q4h', [x, w, ...inFour(), ...inFour(), out], { ...params, block: BLOCK }));
  }
  for (const [rows, heads, kvHeads, headDim, turned, normed] of [
    [1, 1, 1, 2, 2, 1],
    [3, 4, 2, 8, 8, 1],
    [5, 3, 1, 10, 6, 1],
    [2, 2, 2, 6, 6, 0],
  ]) {
    const [all, kv] = [rows * (heads + 2 * kvHeads) * headDim, kvHeads * headDim];
    const angles = floats(r, (20 * turned) / 2);
    // Each row has its own position and its own row of a cache of twelve.
    const places = Uint32Array.from({ length: rows * 2 }, (_, i) => (i % 2 ? 2 * (i >> 1) : 3 + i));
    const buffers = [
      floats(r, all, 2),
      floats(r, headDim),
      floats(r, headDim),
      angles.map(Math.cos),
      angles.map(Math.sin),
    ];
    const params = { rows, heads, kvHeads, headDim, turned, shift: 1, normed, eps: 1e-6 };
    cases.push(make('cache_heads', [...buffers, places, floats(r, 12 * kv), floats(r, 12 * kv)], params));
    const words = () => new Uint32Array(6 * kv);
    cases.push(make('cache_heads_f16', [...buffers, places, words(), words()], params));
  }
  return cases;
}
