// Packed batches for the bit-exact attention tests (cpu/attention-bits.test.ts): ranges of different lengths with shared, empty or
// unused prefixes, lengths that are not multiples of a tile, every head width, single and grouped heads.
import { CounterRng, STREAMS } from '../../rng/index.ts';
import type { KernelParams } from '../contract.ts';
import { uniformSums as floats, type KernelCase, make } from './case.ts';
import { packedBatch } from './cases.ts';

/** [heads, kvHeads, headDim]. */
const WIDTHS = [
  [1, 1, 4],
  [4, 4, 8],
  [4, 2, 16],
  [4, 2, 32],
  [8, 2, 32],
  [2, 2, 64],
  [8, 2, 64],
  [4, 2, 128],
  [6, 2, 20],
  [4, 1, 20],
] as const;

const GROUPS = [
  {
    name: 'prefixes',
    groups: [
      { prefix: 37, sequences: [21, 1, 30, 2] },
      { prefix: 6, sequences: [9, 13] },
    ],
  },
  {
    name: 'no prefix',
    groups: [
      { prefix: 0, sequences: [43, 3, 18] },
      { prefix: 11, sequences: [] },
    ],
  },
] as const;

export interface AttentionShape {
  readonly name: string;
  readonly heads: number;
  readonly kvHeads: number;
  readonly headDim: number;
  readonly rows: number;
  readonly ranges: Uint32Array;
  readonly qEnd: Uint32Array;
  /** Query data, and key, value and dO data. */
  readonly q: Float32Array;
  readonly k: Float32Array;
  readonly v: Float32Array;
  readonly dO: Float32Array;
}

/** Batches as in training: query row i is key row i. */
export function attentionShapes(): AttentionShape[] {
  const random = CounterRng.of(17, STREAMS.test, 5);
  return WIDTHS.flatMap(([heads, kvHeads, headDim]) =>
    GROUPS.map(({ name, groups }) => {
      const batch = packedBatch(groups);
      const wide = (n: number, scale: number) => floats(random, batch.rows * n * headDim, scale);
      return {
        name: `${heads} heads on ${kvHeads}, width ${headDim}, ${name}`,
        heads,
        kvHeads,
        headDim,
        ...batch,
        // Scores reach a few tens, so that some weights underflow, as in trained models.
        q: wide(heads, 8),
        k: wide(kvHeads, 4),
        v: wide(kvHeads, 2),
        dO: wide(heads, 2),
      };
    }),
  );
}

/** Decoding cases: rows attend to a cache of prompts and each sequence's own rows, of which `grow` are new. */
export function decodeCases(): KernelCase<'attention'>[] {
  const random = CounterRng.of(18, STREAMS.test, 5);
  const own = 12;
  const prompts = [
    [0, 23],
    [23, 24],
    [24, 41],
  ] as const;
  const rows = 9;
  const cacheRows = 41 + rows * own;
  return WIDTHS.flatMap(([heads, kvHeads, headDim]) =>
    [0, 1, 7].map((grow) => {
      const ranges = new Uint32Array(rows * 4);
      for (let i = 0; i < rows; i++) {
        // Row 4 has no prompt, so it has one own row from the start.
        const [a0, a1] = i === 4 ? [0, 0] : prompts[i % 3];
        const b0 = 41 + i * own;
        ranges.set([a0, a1, b0, b0 + (i === 4 ? 1 : i % 2)], i * 4);
      }
      const params: KernelParams<'attention'> = { rows, heads, kvHeads, headDim, grow };
      const q = floats(random, rows * heads * headDim, 6);
      const cache = () => floats(random, cacheRows * kvHeads * headDim, 2);
      return make(
        'attention',
        [q, cache(), cache(), ranges, new Float32Array(q.length), new Float32Array(rows * heads * 2)],
        params,
      );
    }),
  );
}

/** Cases of tokens appended to a cache: consecutive rows whose ranges differ only in their ends, in no order. */
export function appendCases(): KernelCase<'attention'>[] {
  const random = CounterRng.of(20, STREAMS.test, 5);
  const ranges = [
    ...[3, 1, 5, 2, 5, 4, 1].flatMap((own) => [0, 6, 12, 12 + own]),
    ...[2, 3].flatMap((own) => [0, 6, 20, 20 + own]),
    ...[9, 1, 2, 3, 4].flatMap((own) => [6, 6, 24, 24 + own]),
  ];
  const rows = ranges.length / 4;
  return WIDTHS.map(([heads, kvHeads, headDim]) => {
    const q = floats(random, rows * heads * headDim, 6);
    const cache = () => floats(random, 40 * kvHeads * headDim, 2);
    return make(
      'attention',
      [q, cache(), cache(), Uint32Array.from(ranges), new Float32Array(q.length), new Float32Array(rows * heads * 2)],
      { rows, heads, kvHeads, headDim, grow: 2 },
    );
  });
}
