// Factored Linears are remembered: the same vectors for the same weights on the same device, and nothing else.
import { StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, it } from 'vitest';
import { createCpuDevice } from '../../kernels/cpu/device.ts';
import { svd } from '../../kernels/svd.ts';
import { randomMatrix } from '../../kernels/testing/svd-checks.ts';
import { factored } from './factored.ts';

describe('factors', () => {
  it('are those that svd gives, once a matrix, also where a device is opened again', async () => {
    const [device, again] = [await createCpuDevice(), await createCpuDevice()];
    const w = randomMatrix(12, 8, 1);
    const first = await factored(device, w, 12, 8, {});
    const { U, S, Vh } = await svd(device, w, 12, 8);
    expect(first).toEqual({ U, S, Vh });
    expect(await factored(again, w.slice(), 12, 8, {})).toBe(first);
  });

  it('differ for weights that differ by a bit, for another shape, and for another device', async () => {
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

  it('are not given to who has stopped', async () => {
    const device = await createCpuDevice();
    const w = randomMatrix(12, 8, 3);
    await factored(device, w, 12, 8, {});
    await expect(factored(device, w, 12, 8, { signal: AbortSignal.abort() })).rejects.toThrow(StoppedError);
  });
});
