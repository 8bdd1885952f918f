// Attention kernels on WebGPU against the reference kernels in doubles: ragged sequences, shared prefixes, grouped heads, a cache
// that grows, and head sizes that are no multiple of four.
import { describe, expect, it } from 'vitest';
import { compare, outcome, sharedTestDevice, values } from './testing.ts';

const { device, why } = await sharedTestDevice();
const gpu = device!;

interface Packed {
  rows: number;
  ranges: Uint32Array;
  qEnd: Uint32Array;
}

/** Groups of one prefix and the sequences that share it, packed one after the other; causal within each. */
function pack(groups: readonly { prefix: number; tails: readonly number[] }[]): Packed {
  const ranges: number[] = [];
  const qEnd: number[] = [];
  let at = 0;
  for (const { prefix, tails } of groups) {
    const start = at;
    const end = start + prefix + tails.reduce((sum, n) => sum + n, 0);
    for (let i = 0; i < prefix; i++) {
      ranges.push(start, start + i + 1, 0, 0);
      qEnd.push(end);
    }
    at += prefix;
    for (const tail of tails) {
      for (let i = 0; i < tail; i++) {
        ranges.push(start, start + prefix, at, at + i + 1);
        qEnd.push(at + tail);
      }
      at += tail;
    }
  }
  return { rows: at, ranges: Uint32Array.from(ranges), qEnd: Uint32Array.from(qEnd) };
}

const batches = {
  'one row': pack([{ prefix: 0, tails: [1] }]),
  'no prefix, ragged': pack([{ prefix: 0, tails: [3, 9, 1] }]),
  'shared prefixes': pack([
    { prefix: 7, tails: [4, 1, 6] },
    { prefix: 2, tails: [5] },
    { prefix: 11, tails: [2, 2] },
  ]),
};
const heads = [
  { heads: 1, kvHeads: 1, headDim: 2 },
  { heads: 4, kvHeads: 2, headDim: 8 },
  { heads: 6, kvHeads: 2, headDim: 6 },
  { heads: 4, kvHeads: 4, headDim: 32 },
];

describe.skipIf(!device)(`attention kernels on WebGPU ${why}`, () => {
  for (const [name, { rows, ranges, qEnd }] of Object.entries(batches)) {
    it(`forward and backward, ${name}`, async () => {
      for (const shape of heads) {
        const message = JSON.stringify(shape);
        const wide = rows * shape.heads * shape.headDim;
        const narrow = rows * shape.kvHeads * shape.headDim;
        const [q, k, v] = [values(wide, 1, 2), values(narrow, 2, 2), values(narrow, 3)];
        const params = { rows, ...shape };
        const stats = new Float32Array(rows * shape.heads * 2);
        const forward = [q, k, v, ranges, new Float32Array(wide), stats];
        expect(await compare(gpu, 'attention', forward, { ...params, grow: 0 }), message).toBeLessThan(3e-6);

        const [, , , , o, lse] = await outcome(gpu, 'attention', forward, { ...params, grow: 0 });
        const dO = values(wide, 4);
        const delta = [dO, o, lse];
        const deltaParams = { rows, heads: shape.heads, headDim: shape.headDim };
        expect(await compare(gpu, 'attention_delta', delta, deltaParams), message).toBeLessThan(3e-6);

        const both = (await outcome(gpu, 'attention_delta', delta, deltaParams))[2];
        const dq = [q, k, v, ranges, both, dO, values(wide, 5)];
        expect(await compare(gpu, 'attention_dq', dq, params), message).toBeLessThan(5e-6);
        const dkv = [q, k, v, both, dO, qEnd, values(narrow, 6), values(narrow, 7)];
        expect(await compare(gpu, 'attention_dkv', dkv, params), message).toBeLessThan(5e-6);
      }
    });
  }

  it('decoding: a cache of more rows than queries, grown by some rows', async () => {
    const shape = { heads: 4, kvHeads: 2, headDim: 8 };
    const rows = 3;
    const width = shape.kvHeads * shape.headDim;
    const ranges = Uint32Array.from([0, 5, 9, 9, 0, 5, 14, 14, 5, 9, 19, 20]);
    const inputs = [
      values(rows * shape.heads * shape.headDim, 1, 2),
      values(26 * width, 2, 2),
      values(26 * width, 3),
      ranges,
      new Float32Array(rows * shape.heads * shape.headDim),
      new Float32Array(rows * shape.heads * 2),
    ];
    for (const grow of [1, 4]) {
      expect(await compare(gpu, 'attention', inputs, { rows, ...shape, grow })).toBeLessThan(3e-6);
    }
  });

  it('large scores neither overflow nor underflow', async () => {
    const { rows, ranges } = batches['shared prefixes'];
    const inputs = [
      values(rows * 8, 1, 300),
      values(rows * 8, 2, 30),
      values(rows * 8, 3),
      ranges,
      new Float32Array(rows * 8),
      new Float32Array(rows * 2),
    ];
    const error = await compare(gpu, 'attention', inputs, { rows, heads: 1, kvHeads: 1, headDim: 8, grow: 0 });
    // Scores in the thousands carry rounding errors of 1e-4 into the weights.
    expect(error).toBeLessThan(1e-3);
  });
});
