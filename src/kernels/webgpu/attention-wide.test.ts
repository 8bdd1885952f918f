// Tests attention in its form for real GPUs, one workgroup per (row, head), on any adapter: it is close to the reference, and on a software adapter
// equals the kernels with one invocation per item bit for bit. Head sizes range from one lane to more lanes than a workgroup has; rows see more
// keys than a tile holds, and more than the number of scores that the kernel keeps.
import { describe, expect, it } from 'vitest';
import type { KernelName, KernelParams } from '../contract.ts';
import { compare, outcome, sharedTestDevice, values } from './testing.ts';

const [plain, real] = [await sharedTestDevice(), await sharedTestDevice(true)];
const { why } = real;

const HEADS = [
  { heads: 1, kvHeads: 1, headDim: 2 },
  { heads: 2, kvHeads: 2, headDim: 4 },
  { heads: 4, kvHeads: 2, headDim: 8 },
  { heads: 2, kvHeads: 1, headDim: 70 },
  { heads: 4, kvHeads: 2, headDim: 128 },
  { heads: 1, kvHeads: 1, headDim: 264 },
];

describe.skipIf(!real.device || !plain.device)(`attention for real GPUs ${why}`, () => {
  const same = async <K extends KernelName>(
    kernel: K,
    inputs: readonly (Float32Array | Uint32Array)[],
    params: KernelParams<K>,
  ) => {
    const wide = await outcome(real.device!, kernel, inputs, params);
    // A real GPU's driver may fuse operations differently in the two kernels; also `plain` is then the same kind of
    // device.
    if (plain.device!.isSoftware)
      expect(wide, `${kernel} ${JSON.stringify(params)}`).toEqual(await outcome(plain.device!, kernel, inputs, params));
    expect(await compare(real.device!, kernel, inputs, params), kernel).toBeLessThan(1e-5);
    return wide;
  };

  // A prefix of 3 rows, sequences of 70 and 5 that share it, and one row by itself.
  const [prefix, tails] = [3, [70, 5]];
  const ranges: number[] = [];
  const qEnd: number[] = [];
  const shared = prefix + tails[0] + tails[1];
  for (let i = 0; i < prefix; i++) {
    ranges.push(0, i + 1, 0, 0);
    qEnd.push(shared);
  }
  for (const tail of tails) {
    const at = qEnd.length;
    for (let i = 0; i < tail; i++) {
      ranges.push(0, prefix, at, at + i + 1);
      qEnd.push(at + tail);
    }
  }
  ranges.push(0, 0, shared, shared + 1);
  qEnd.push(shared + 1);
  const rows = qEnd.length;

  for (const shape of HEADS)
    it(`forward and backward, ${JSON.stringify(shape)}`, async () => {
      const { heads, kvHeads, headDim } = shape;
      const [wide, narrow] = [rows * heads * headDim, rows * kvHeads * headDim];
      const [q, k, v, dO] = [values(wide, 1, 2), values(narrow, 2), values(narrow, 3), values(wide, 4)];
      const [of, ends] = [Uint32Array.from(ranges), Uint32Array.from(qEnd)];
      const params = { rows, ...shape };
      const forward = await same(
        'attention',
        [q, k, v, of, new Float32Array(wide), new Float32Array(rows * heads * 2)],
        { ...params, grow: 0 },
      );
      const stats = (
        await outcome(plain.device!, 'attention_delta', [dO, forward[4], forward[5]], { rows, heads, headDim })
      )[2];
      await same('attention_dq', [q, k, v, of, stats, dO, new Float32Array(wide)], params);
      await same(
        'attention_dkv',
        [q, k, v, stats, dO, ends, new Float32Array(narrow), new Float32Array(narrow)],
        params,
      );
    });

  it('a row that sees more keys than the scores that are kept, on a growing cache', async () => {
    const [heads, kvHeads, headDim, keys] = [2, 1, 8, 700];
    const inputs = [
      ...[values(heads * headDim, 1, 3), values((keys + 3) * headDim, 2), values((keys + 3) * headDim, 3)],
      ...[Uint32Array.of(0, 11, 40, keys), new Float32Array(heads * headDim), new Float32Array(heads * 2)],
    ];
    await same('attention', inputs, { rows: 1, heads, kvHeads, headDim, grow: 3 });
  });
});
