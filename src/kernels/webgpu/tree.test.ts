// Compares tree sums through subgroups with those through barriers: the bits are equal, for the subgroup size that the shader expects and for any
// other. The kernels are those for real GPUs, on any adapter.
import { describe, expect, it } from 'vitest';
import { openNodeGpu } from '../../lib/gpu.node.ts';
import type { KernelName, KernelParams } from '../contract.ts';
import { put } from '../device.ts';
import { WebGpuDevice } from './device.ts';
import { outcome, sharedTestDevice, values } from './testing.ts';
import { treeSizes } from './tree.ts';
import { measureSubgroups } from './tune-subgroups.ts';

const { device, why } = await sharedTestDevice(true);
const gpu = device!;

const has = device !== undefined && device.subgroupSizes.length > 0;
/** The adapter's subgroup sizes, and a smaller and a larger one, which it may not have. */
const SIZES = has ? [...new Set([...gpu.subgroupSizes, 2, 64])] : [];
const positive = (length: number, seed: number) => values(length, seed).map((x) => Math.abs(x) + 0.1);

interface Case<K extends KernelName> {
  kernel: K;
  inputs: (Float32Array | Uint32Array)[];
  params: KernelParams<K>;
}
const of = <K extends KernelName>(kernel: K, inputs: Case<K>['inputs'], params: KernelParams<K>): Case<K> => ({
  kernel,
  inputs,
  params,
});
const [rows, dim, vocab] = [3, 321, 700];
const stats = positive(rows * 3, 9);
const CASES = [
  of('rmsnorm', [values(rows * dim, 1), values(dim, 2), values(rows * dim, 3), values(rows, 4)], {
    rows,
    dim,
    eps: 1e-6,
  }),
  of(
    'rmsnorm_dx',
    [values(rows * dim, 1), values(dim, 2), positive(rows, 3), values(rows * dim, 4), values(rows * dim, 5)],
    { rows, dim, beta: 1 },
  ),
  of('row_dot', [values(rows * dim, 1), values(rows * dim, 2), values(rows, 3)], {
    r: rows,
    cols: dim,
    outOff: 0,
    beta: 1,
  }),
  of('logprob', [values(rows * vocab, 1, 4), Uint32Array.of(1, 699, 300), stats], { rows, vocab, rowOff: 0 }),
  of('reverse_kl', [values(rows * vocab, 1, 4), values(rows * vocab, 2, 4), stats, stats, values(rows, 3)], {
    rows,
    vocab,
    rowOff: 0,
  }),
  of('jacobi_round', [values(4 * 70, 1), values(4 * 9, 2), Uint32Array.of(0, 3, 1, 2), values(2, 3)], {
    m: 70,
    nv: 9,
    count: 2,
    pairOff: 0,
    tol: 1e-6,
  }),
] as const;

describe.skipIf(!has)(`tree sums through subgroups ${why}`, () => {
  it.each(CASES.map((one) => [one.kernel, one] as const))('%s has the bits that barriers give', async (_, one) => {
    const run = () => outcome(gpu, one.kernel as KernelName, one.inputs, one.params as KernelParams<KernelName>);
    gpu.subgroup = 0;
    const expected = await run();
    expect(expected.some((data, i) => data.some((x, at) => x !== one.inputs[i][at]))).toBe(true);
    for (const size of SIZES) {
      gpu.subgroup = size;
      expect(await run(), `subgroups of ${size}`).toEqual(expected);
    }
    gpu.subgroup = 0;
  });

  it('are chosen by measuring, among the adapter’s sizes', async () => {
    expect([0, ...gpu.subgroupSizes]).toContain(await measureSubgroups(gpu, { rows: 2, dim: 300, calls: 1 }));
    gpu.subgroup = 0;
  });
});

describe.skipIf(!has)('an adapter that has no subgroups', () => {
  it('gets barriers, and a failed attempt leaves the device usable', async () => {
    const adapter = (await (await openNodeGpu()).requestAdapter())!;
    const plain = new WebGpuDevice({ device: await adapter.requestDevice(), name: 'plain', isSoftware: false });
    expect(plain.subgroupSizes).toEqual([]);
    expect(await measureSubgroups(plain, { rows: 2, dim: 300, calls: 1 })).toBe(0);
    plain.subgroup = gpu.subgroupSizes[0];
    expect(await plain.compiles(['rmsnorm'])).toBe(false);
    plain.subgroup = 0;
    expect(await plain.compiles(['rmsnorm'])).toBe(true);
    const x = put(plain, Float32Array.of(1, 2), 'x');
    expect(await plain.read(x)).toEqual(Float32Array.of(1, 2));
    plain.destroy();
  });
});

describe('subgroup sizes', () => {
  it('are the powers of two that an adapter may have, no larger than a workgroup', () => {
    expect(treeSizes()).toEqual([]);
    expect(treeSizes(4, 4)).toEqual([4]);
    expect(treeSizes(8, 32)).toEqual([8, 16, 32]);
    expect(treeSizes(32, 128)).toEqual([32, 64]);
  });
});
