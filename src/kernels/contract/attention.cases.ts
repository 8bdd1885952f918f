// Cases of attention, and the packed batches that they are made of, with awkward sizes, for tests that compare implementations.
import type { CounterRng } from '../../rng/index.ts';
import { distinct, floats, indices, type KernelCase, make } from '../testing/case.ts';
import { bytes, halves } from '../testing/packed-cases.ts';

/** A packed batch: each group is a prefix followed by sequences that share it. */
export function packedBatch(groups: readonly { prefix: number; sequences: readonly number[] }[]) {
  const ranges: number[] = [];
  const qEnd: number[] = [];
  let row = 0;
  for (const { prefix, sequences } of groups) {
    const start = row;
    const end = start + prefix + sequences.reduce((sum, length) => sum + length, 0);
    for (let i = 0; i < prefix; i++) {
      ranges.push(0, 0, start, ++row);
      qEnd.push(end);
    }
    for (const length of sequences) {
      const first = row;
      for (let i = 0; i < length; i++) {
        ranges.push(start, start + prefix, first, ++row);
        qEnd.push(first + length);
      }
    }
  }
  return { rows: row, ranges: Uint32Array.from(ranges), qEnd: Uint32Array.from(qEnd) };
}

export const BATCHES = [
  { groups: [{ prefix: 0, sequences: [1] }], heads: 1, kvHeads: 1, headDim: 4 },
  { groups: [{ prefix: 3, sequences: [5, 1, 4] }], heads: 4, kvHeads: 2, headDim: 8 },
  {
    groups: [
      { prefix: 6, sequences: [] },
      { prefix: 0, sequences: [7, 2] },
      { prefix: 5, sequences: [9, 13] },
    ],
    heads: 6,
    kvHeads: 2,
    headDim: 20,
  },
  { groups: [{ prefix: 17, sequences: [21, 10, 30] }], heads: 4, kvHeads: 2, headDim: 32 },
  { groups: [{ prefix: 4, sequences: [6, 3] }], heads: 2, kvHeads: 1, headDim: 6 },
  { groups: [{ prefix: 9, sequences: [12, 5] }], heads: 2, kvHeads: 2, headDim: 64 },
] as const;

/** f16 values below 2 in magnitude, zeros included; none is subnormal, as in a cache. */
const cached = (r: CounterRng, count: number) =>
  halves(r, count).map((word) => {
    const [low, high] = [word & 0xbfff, (word >>> 16) & 0xbfff].map((half) => (half & 0x7c00 ? half : half & 0x8000));
    return (low | (high << 16)) >>> 0;
  });

/** Calls on keys and values in f16. They draw from their own stream, so that other kernels' cases keep their numbers. */
export function laterAttentionCases(r: CounterRng): KernelCase[] {
  const cases: KernelCase[] = [];
  for (const { groups, heads, kvHeads, headDim } of BATCHES) {
    const { rows, ranges } = packedBatch(groups);
    const q = () => floats(r, rows * heads * headDim);
    const kv = () => cached(r, rows * kvHeads * headDim);
    const params = { rows, heads, kvHeads, headDim, grow: 0 };
    cases.push(make('attention_f16', [q(), kv(), kv(), ranges, q(), floats(r, rows * heads * 2)], params));
  }
  const shape = { rows: 3, heads: 4, kvHeads: 2, headDim: 16 };
  const ranges = Uint32Array.from([0, 7, 20, 20, 0, 7, 28, 28, 7, 19, 36, 36]);
  const cache = () => cached(r, 40 * shape.kvHeads * shape.headDim);
  const q = () => floats(r, shape.rows * shape.heads * shape.headDim);
  for (const grow of [1, 4])
    cases.push(make('attention_f16', [q(), cache(), cache(), ranges, q(), floats(r, 24)], { ...shape, grow }));
  // Normal f16 values, values too small for one, ties, values that round up to the next power of two, and values beyond the largest.
  const edges = Float32Array.of(
    ...[0, -0, 1, -2.5, 65504, 65519, 65520, -1e6, 2 ** -14, 2 ** -24, -(2 ** -25), 2 ** -26, 3 * 2 ** -25],
    ...[1 + 2 ** -11, 1 + 3 * 2 ** -11, 2047.5 / 1024, -(1023.5 * 2 ** -24), 1e-30, 0.1, -1 / 3],
  );
  for (const [rows, dim, shift, gathers] of [
    [1, 2, 0, 0],
    [5, 8, 2, 0],
    [7, 6, 0, 1],
    [4, 10, 1, 1],
  ]) {
    const index = gathers ? indices(r, rows, 3) : distinct(r, rows, 9);
    const src = floats(r, (gathers ? 3 : rows) * dim, 2);
    cases.push(make('store_f16', [src, index, bytes(r, 24 * dim)], { rows, dim, shift, gathers }));
  }
  const one = { rows: 1, dim: edges.length, shift: 0, gathers: 0 };
  cases.push(make('store_f16', [edges, Uint32Array.of(0), new Uint32Array(edges.length / 2)], one));
  return cases;
}

export function attentionCases(r: CounterRng): KernelCase[] {
  const cases: KernelCase[] = [];
  for (const { groups, heads, kvHeads, headDim } of BATCHES) {
    const { rows, ranges, qEnd } = packedBatch(groups);
    const shape = { rows, heads, kvHeads, headDim };
    const q = () => floats(r, rows * heads * headDim);
    const kv = () => floats(r, rows * kvHeads * headDim);
    const stats = Float32Array.from({ length: rows * heads * 2 }, (_, i) => (i % 2 ? r.normal() : 3 + r.uniform()));
    cases.push(make('attention', [q(), kv(), kv(), ranges, q(), stats], { ...shape, grow: 0 }));
    cases.push(make('attention_delta', [q(), q(), stats], { rows, heads, headDim }));
    cases.push(make('attention_dq', [q(), kv(), kv(), ranges, stats, q(), q()], shape));
    cases.push(make('attention_dkv', [q(), kv(), kv(), stats, q(), qEnd, kv(), kv()], shape));
  }
  // Decoding: three sequences in a cache of 40 rows, two of them on one prefix; grow counts the generated rows.
  const decode = { rows: 3, heads: 4, kvHeads: 2, headDim: 16 };
  const ranges = Uint32Array.from([0, 7, 20, 20, 0, 7, 28, 28, 7, 19, 36, 36]);
  const cache = () => floats(r, 40 * decode.kvHeads * decode.headDim);
  const q = () => floats(r, decode.rows * decode.heads * decode.headDim);
  for (const grow of [0, 1, 4])
    cases.push(make('attention', [q(), cache(), cache(), ranges, q(), floats(r, 24)], { ...decode, grow }));
  return cases;
}
