// Tests the cache of factored Linears: it returns the same vectors only for the same weights on the same device.
import { StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, it } from 'vitest';
import { createCpuDevice } from '../../kernels/cpu/device.ts';
import { svd } from '../../kernels/svd.ts';
import { randomMatrix } from '../../kernels/testing/svd-checks.ts';
import { factored } from './factored.ts';

describe('factors', () => {
  it('equal those of svd, computed once per matrix, also after a device is reopened', async () => {
    const [device, again] = [await createCpuDevice(), await createCpuDevice()];
    const w = randomMatrix(12, 8, 1);
    const first = await factored(device, w, 12, 8, {});
    const { U, S, Vh } = await svd(device, w, 12, 8);
    expect(first).toEqual({ U, S, Vh });
    expect(await factored(again, w.slice(), 12, 8, {})).toBe(first);
  });

  it('are recomputed for weights that differ by a bit, another shape, or another device', async () => {
    const [device, plain] = [await createCpuDevice(), await createCpuDevice({ simd: false })];
    const w = randomMatrix(12, 8, 2);
    const first = await factored(device, w, 12, 8, {});
    const before = w[5];
    w[5] = -w[5];
    const other = await factored(device, w, 12, 8, {});
    expect(other.S).not.toEqual(first.S);
    w[5] = before;
    expect(await factored(device, w, 12, 8, {})).toBe(first);
    expect((await factored(device, w, 8, 12, {})).U).toHaveLength(64);
    expect(await factored(plain, w, 12, 8, {})).not.toBe(first);
  });

  it('are not returned after an abort', async () => {
    const device = await createCpuDevice();
    const w = randomMatrix(12, 8, 3);
    await factored(device, w, 12, 8, {});
    await expect(factored(device, w, 12, 8, { signal: AbortSignal.abort() })).rejects.toThrow(StoppedError);
  });
});
