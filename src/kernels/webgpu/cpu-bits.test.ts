// Tests kernels whose results on WebGPU equal the CPU's bit for bit: exp and log are the project's own (shaders/math/), and each sum has the CPU's
// order. A driver still decides whether it fuses the products of a sum, and how it divides.
import { describe, expect, it } from 'vitest';
import { createCpuDevice } from '../cpu/device.ts';
import type { Device } from '../device.ts';
import { type KernelCase, make } from '../testing/case.ts';
import { caseName, kernelCases, runCase } from '../testing/cases.ts';
import { sharedTestDevice } from './testing.ts';

const { device, why } = await sharedTestDevice();
const gpu = device!;
const cpu: Device = await createCpuDevice({});

const ATTENTION = ['attention', 'attention_f16', 'attention_delta', 'attention_dq', 'attention_dkv'];
const ELEMENTWISE = [
  'store_f16',
  'quantize_rows',
  'swiglu',
  'swiglu_grad',
  'logprob_grad',
  'logprob_entropy_grad',
  'reverse_kl_grad',
];

/** The SIMD kernels take head sizes that are multiples of four; for others the CPU computes in double precision. */
const hasLanes = (params: object) => !('headDim' in params) || Number(params.headDim) % 4 === 0;

/** Bits of the buffers that a case writes; all NaNs are made equal. */
async function bitsOf(on: Device, one: KernelCase): Promise<Record<string, number[]>> {
  const written = await runCase(on, one);
  return Object.fromEntries(
    [...written].map(([name, data]) => {
      const bits = new Uint32Array(data.buffer, data.byteOffset, data.length);
      return [name, Array.from(bits, (word, i) => (Number.isNaN(data[i]) ? 0x7fc00000 : word))];
    }),
  );
}

describe.skipIf(!device)(`WebGPU with the CPU's bits ${why}`, () => {
  for (const kernel of [...ELEMENTWISE, ...ATTENTION])
    it(kernel, async () => {
      const cases = kernelCases().filter((one) => one.kernel === kernel && hasLanes(one.params));
      expect(cases.length).toBeGreaterThan(1);
      for (const one of cases) expect(await bitsOf(gpu, one), caseName(one)).toEqual(await bitsOf(cpu, one));
    });

  it('exp of every 8,192nd float, at its limits, of subnormals, infinities and NaN', async () => {
    const edges = [-87.33654, -87.336546, -87.33655, 88.37626, 88.37627, 1e-45, -1e-45, 1e-39, -0, 0];
    const special = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN, ...edges];
    // Half of the values lie where e^x is neither 0 nor clamped to its largest value.
    const all = Uint32Array.from({ length: 2 ** 19 }, (_, i) => i * 8192 + (i % 8191));
    const near = Float32Array.from({ length: 2 ** 19 }, (_, i) => -88 + (i * 177) / 2 ** 19);
    const x = Float32Array.of(...special, 0); // the last one is the target, whose gradient has another form
    const logits = new Float32Array(x.length + all.length + near.length);
    logits.set(x);
    logits.set(new Float32Array(all.buffer), x.length);
    logits.set(near, x.length + all.length);
    // With coefficient −1 and log-sum-exp 0, logprob_grad reduces to e^x.
    const vocab = logits.length;
    const one = make('logprob_grad', [logits, Uint32Array.of(x.length - 1), new Float32Array(3), Float32Array.of(-1)], {
      rows: 1,
      vocab,
      rowOff: 0,
    });
    const [ours, theirs] = [await runCase(gpu, one), await runCase(cpu, one)].map(
      (o) => o.get('logits') as Float32Array,
    );
    const differing: number[][] = [];
    for (let i = 0; i < vocab; i++) if (!Object.is(ours[i], theirs[i])) differing.push([logits[i], ours[i], theirs[i]]);
    expect(differing.slice(0, 5)).toEqual([]);
    expect(ours[special.indexOf(-87.33655)]).toBe(0);
    expect(ours[2]).toBeNaN();
  });

  it('log-sum-exp: maximum + log of the sum is rounded once', async () => {
    const rows = 600;
    const headDim = 4;
    const ranges = Uint32Array.from({ length: rows * 4 }, (_, i) => (i % 4 === 3 ? (i >> 2) + 1 : 0));
    for (const score of [0, 0.37, -11.5, 4000.25]) {
      // Equal scores: the sum is the number of keys.
      const q = new Float32Array(rows * headDim).fill(score / 2);
      const k = new Float32Array(rows * headDim).fill(1);
      const params = { rows, heads: 1, kvHeads: 1, headDim, grow: 0 };
      const one = make('attention', [q, k, k, ranges, q.slice(), new Float32Array(rows * 2)], params);
      const stats = (await runCase(gpu, one)).get('stats') as Float32Array;
      const top = Math.fround(score / 2) * 2;
      for (let i = 0; i < rows; i++) expect(stats[i * 2], `${i}`).toBe(Math.fround(top + Math.log(i + 1)));
    }
  });
});
