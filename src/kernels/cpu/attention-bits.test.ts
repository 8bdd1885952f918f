// Tests that the SIMD attention kernels keep every bit. Published runs must be reproducible byte for byte, so sums keep their
// order however the kernels are tiled; the hashes below are from kernels without tiles. No row may depend on the rows that
// are computed with it, since threads split the work by rows.
import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { put } from '../device.ts';
import { ops } from '../ops.ts';
import { type AttentionShape, appendCases, attentionShapes, decodeCases } from '../testing/attention-shapes.ts';
import { runCase } from '../testing/cases.ts';
import { type CpuDevice, createCpuDevice } from './device.ts';
import { instantiateSimd } from './simd.ts';

const OUTPUTS = ['o', 'stats', 'dq', 'dk', 'dv'] as const;
type Outputs = Record<(typeof OUTPUTS)[number], Float32Array>;

/** First 32 bits of SHA-256 for each output. */
const hash = (data: Float32Array) =>
  createHash('sha256')
    .update(new Uint8Array(data.buffer, data.byteOffset, data.byteLength))
    .digest('hex')
    .slice(0, 8);

const hashes = (of: Outputs) => OUTPUTS.map((name) => hash(of[name])).join(' ');

async function outputs(device: CpuDevice, shape: AttentionShape): Promise<Outputs> {
  const { rows, heads, kvHeads, headDim } = shape;
  const of = (name: 'q' | 'k' | 'v' | 'dO') => put(device, shape[name], name);
  const [q, k, v, dO] = [of('q'), of('k'), of('v'), of('dO')];
  const [ranges, qEnd] = [put(device, shape.ranges, 'ranges'), put(device, shape.qEnd, 'qEnd')];
  const zero = (n: number) => device.alloc(n, 'f32', 'out');
  const [o, stats, dq] = [zero(shape.q.length), zero(rows * heads * 2), zero(shape.q.length)];
  const [dk, dv] = [zero(shape.k.length), zero(shape.k.length)];
  const size = { rows, heads, kvHeads, headDim };
  ops.attention(device, { q, k, v, ranges, o, stats, ...size, grow: 0 });
  ops.attentionDelta(device, { dO, o, stats, rows, heads, headDim });
  ops.attentionDq(device, { q, k, v, ranges, stats, dO, dq, ...size });
  ops.attentionDkv(device, { q, k, v, stats, dO, qEnd, dk, dv, ...size });
  const all = { o, stats, dq, dk, dv };
  const read = {} as Outputs;
  for (const name of OUTPUTS) read[name] = (await device.read(all[name])) as Float32Array;
  for (const buffer of [q, k, v, dO, ranges, qEnd, ...Object.values(all)]) buffer.free();
  return read;
}

/** Hash of each output, from kernels that computed row by row. */
const BEFORE: Record<string, string> = {
  '1 heads on 1, width 4, prefixes': '02763d5c e472f7aa 0e571c03 61b8d4fa 28f95aff',
  '1 heads on 1, width 4, no prefix': 'ed70e786 f23decec 9459a9b0 26025acf 069b220f',
  '4 heads on 4, width 8, prefixes': '28dde4ed f5211450 983d4c78 764281eb a88c0bee',
  '4 heads on 4, width 8, no prefix': '160a066e d42587bf 898a6b1a e60b4c08 f5414bdc',
  '4 heads on 2, width 16, prefixes': 'c0102490 204ccb1f 694e1b2a f7550e3f 1151c1c6',
  '4 heads on 2, width 16, no prefix': 'aff084a4 912300ff 1c2e7635 5e3db9a9 d5c49919',
  '4 heads on 2, width 32, prefixes': '8437817a 1134ffbf e33696a3 0f464939 49ce3769',
  '4 heads on 2, width 32, no prefix': 'e7ad5676 e2f36f26 1e839ebc e9e4756b f4f2ae17',
  '8 heads on 2, width 32, prefixes': 'e9c5231e 76072b01 0bf778ab 7db89d13 849e7ad0',
  '8 heads on 2, width 32, no prefix': 'f0848187 05c236ad 587c04e5 0495ff00 6d15eb0e',
  '2 heads on 2, width 64, prefixes': '38451606 83f22d27 3b9756cd 3c47ef2c 8617e1fb',
  '2 heads on 2, width 64, no prefix': 'a1a97280 240d255a 776357c9 e2c765e9 57c92999',
  '8 heads on 2, width 64, prefixes': 'f4659669 415919c1 89ec2bf6 23799e4a 653cd94f',
  '8 heads on 2, width 64, no prefix': '04f6f217 e50e56a4 749b7182 b19df2f5 473dbd38',
  '4 heads on 2, width 128, prefixes': 'dcad0476 a8e3e302 7648aa74 26a2df5f e887f8ea',
  '4 heads on 2, width 128, no prefix': '035b29aa 2c10dadf 09dd8add eae33a01 b574d5d3',
  '6 heads on 2, width 20, prefixes': '5d6bbbc8 2a76817a 178ebc4d 26aafc3b e7dd6341',
  '6 heads on 2, width 20, no prefix': 'a4cd3361 031d9372 656d9386 2318d9ba bd05868f',
  '4 heads on 1, width 20, prefixes': '0581e42c 9c941b7d e664efc8 d909e8b3 b40f17de',
  '4 heads on 1, width 20, no prefix': 'a18b30da 555f39c5 70b89888 a5801270 06001812',
};
/** Hashes of o and stats for each of decodeCases. */
const DECODED = [
  '1fc7bab7 e0507821',
  '0a2b84e1 abaedf6c',
  '7ec6d711 7ca06f35',
  '02917227 506fd793',
  'c14116e1 9cc0ff73',
  'c7ede860 76e389b4',
  'f253a33a b820bc55',
  '2f49aab5 8bb4b73a',
  '216f42fa 3e2c395d',
  '6af24de9 64f3156a',
  '72058614 5ca2b0fa',
  '9534f8bc 3f2060ba',
  '3ea7dd5a 354eea91',
  'b43f9c93 1249ce66',
  '8f9e57b6 1a6217ce',
  'f35406fb 1d69fd0d',
  'a6f1a242 d467dff1',
  '8b5e8976 a177ed8f',
  '523d3c22 df76b2d3',
  '40ca4e21 2d7619bc',
  '12c5744e e5e1cbae',
  'ca86479c 684cf7d3',
  '4aba06a5 ea0f35f6',
  'b2c212e0 e2dcf0c8',
  'e3cffe5c 0d91f15e',
  '293d0134 41e30807',
  '9e237a4d dc8ad403',
  '0b38a82d 21538d43',
  '7b5ea4bd 138074bc',
  '7fda72b1 02287591',
];

/** Hashes of appendCases. */
const APPENDED = [
  'fe474609 5feb5e37',
  'ce5e6bec 585577eb',
  '40cd65ec f804058c',
  '8c4256e3 a5a6588c',
  'a7e00750 cc68ab61',
  '276a2b1b 546fb565',
  '1688f9ab 81a8b40a',
  '30aee8c6 a388b35c',
  '5fcb6c29 97601f95',
  '568a1708 126a0a7a',
];

describe('the same bits as without tiles', () => {
  let device: CpuDevice;
  beforeAll(async () => {
    device = await createCpuDevice();
  });

  it.each(attentionShapes().map((shape) => [shape.name, shape] as const))('%s', async (name, shape) => {
    expect(hashes(await outputs(device, shape))).toBe(BEFORE[name]);
  });

  it.each([
    ['decoding', decodeCases(), DECODED],
    ['tokens appended to the cache', appendCases(), APPENDED],
  ] as const)('%s', async (_, cases, before) => {
    const got: string[] = [];
    for (const one of cases) {
      const result = await runCase(device, one);
      got.push(['o', 'stats'].map((output) => hash(result.get(output) as Float32Array)).join(' '));
    }
    expect(got).toEqual(before);
  });
});

describe('rows split anywhere', () => {
  /** Calls the kernels as threads do: once per piece of rows, with pointers to the piece. */
  async function inPieces(shape: AttentionShape, cuts: readonly number[]): Promise<Outputs> {
    const { wasm, heap } = await instantiateSimd();
    const { rows, heads, kvHeads, headDim } = shape;
    const place = (data: Float32Array | Uint32Array) => {
      const at = heap.allocate(data.byteLength);
      new Uint8Array(heap.memory.buffer, at).set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
      return at;
    };
    const longest = Math.max(
      ...Array.from({ length: rows }, (_, i) => keysOf(shape.ranges.subarray(i * 4, i * 4 + 4))),
    );
    const scratch = place(
      new Float32Array(
        Math.max(
          wasm.attentionScratch(longest, heads, headDim),
          wasm.attentionDqScratch(longest, headDim),
          wasm.attentionDkvScratch(heads, kvHeads, headDim),
        ) / 4,
      ).fill(Number.NaN),
    );
    const [q, k, v, dO] = [shape.q, shape.k, shape.v, shape.dO].map(place);
    const [ranges, qEnd] = [shape.ranges, shape.qEnd].map(place);
    const sizes = {
      o: shape.q.length,
      stats: rows * heads * 2,
      dq: shape.q.length,
      dk: shape.k.length,
      dv: shape.k.length,
    };
    const at = Object.fromEntries(OUTPUTS.map((name) => [name, heap.allocate(sizes[name] * 4)])) as Record<
      keyof Outputs,
      number
    >;
    const pieces = [0, ...cuts].map((from, i) => [from, [...cuts, rows][i]] as const);
    const [wide, narrow, pair] = [heads * headDim * 4, kvHeads * headDim * 4, heads * 8];
    const each = (run: (from: number, count: number) => void) => {
      for (const [from, to] of pieces) run(from, to - from);
    };
    each((r, n) => {
      wasm.attention(
        ...[q + r * wide, k, v, ranges + r * 16, at.o + r * wide, at.stats + r * pair],
        ...[n, heads, kvHeads, headDim, 0, scratch],
      );
    });
    each((r, n) => {
      wasm.attentionDelta(dO + r * wide, at.o + r * wide, at.stats + r * pair, n, heads, headDim);
    });
    each((r, n) => {
      wasm.attentionDq(
        ...[q + r * wide, k, v, ranges + r * 16, at.stats + r * pair, dO + r * wide, at.dq + r * wide],
        ...[n, heads, kvHeads, headDim, scratch],
      );
    });
    each((r, n) => {
      wasm.attentionDkv(
        ...[q + r * wide, k + r * narrow, v + r * narrow, at.stats + r * pair, dO + r * wide, qEnd + r * 4],
        ...[at.dk + r * narrow, at.dv + r * narrow, n, heads, kvHeads, headDim, r, scratch],
      );
    });
    return Object.fromEntries(
      OUTPUTS.map((name) => [name, new Float32Array(heap.memory.buffer, at[name], sizes[name])]),
    ) as Outputs;
  }

  const keysOf = (range: Uint32Array) => range[1] - range[0] + range[3] - range[2];

  it.each(attentionShapes().map((shape) => [shape.name, shape] as const))('%s', async (name, shape) => {
    const { rows } = shape;
    const every = Array.from({ length: rows - 1 }, (_, i) => i + 1);
    for (const cuts of [[], [1], [2], [36], [37], [39], [44, 47], [50, 57, 61], [rows - 1], every])
      expect(hashes(await inPieces(shape, cuts)), `cut at ${cuts}`).toBe(BEFORE[name]);
  });
});
