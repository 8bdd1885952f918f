import { StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, it } from 'vitest';
import { createCpuDevice } from '../../kernels/cpu/device.ts';
import type { Device } from '../../kernels/device.ts';
import { compareDevices, diagnose, measureMatmul } from './diagnostics.ts';

const adapter = (limits: object) =>
  ({
    info: { vendor: 'acme', architecture: 'x', device: '', description: '' },
    features: new Set(['b', 'a']),
    limits,
  }) as unknown as GPUAdapter;

describe('diagnostics', () => {
  it('lists the attempts if there is no WebGPU', async () => {
    const device = await createCpuDevice();
    const { tried, adapter, maxBindingBytes } = await diagnose(device, async () => null);
    expect(adapter).toBeNull();
    expect(tried).toEqual([{ what: 'navigator.gpu in the worker', outcome: 'nothing', ok: false }]);
    expect(maxBindingBytes).toBeGreaterThan(0);
    device.destroy();
  });

  it('asks a second time without a preference, and reads limits from the prototype', async () => {
    const device = await createCpuDevice();
    const limits = Object.create({ maxBufferSize: 5 }) as object;
    const gpu = {
      async requestAdapter(options?: GPURequestAdapterOptions) {
        if (options) throw new Error('no such adapter');
        return adapter(limits);
      },
    } as unknown as GPU;
    const found = await diagnose(device, async () => gpu);
    expect(found.tried.map(({ ok }) => ok)).toEqual([true, false, true]);
    expect(found.tried[1].outcome).toBe('no such adapter');
    expect(found.adapter).toMatchObject({ vendor: 'acme', features: ['a', 'b'], limits: { maxBufferSize: 5 } });
    device.destroy();
  });

  it('compares a software adapter with the CPU alternately, once per adapter, and skips a real GPU', async () => {
    const cpu = await createCpuDevice();
    const fakeGpuDevice = async (isSoftware: boolean, name: string) =>
      Object.assign(await createCpuDevice(), { kind: 'webgpu', isSoftware, name });
    let opened = 0;
    let clock = 0;
    const makers = {
      cpu: () => createCpuDevice(),
      fused: () => createCpuDevice(),
      own: () => createCpuDevice(),
      webgpu: async () => {
        opened++;
        return (await fakeGpuDevice(true, 'Soft')) as unknown as Device;
      },
      software: async () => 'Soft',
    };
    const now = () => 100 * clock++;
    const gpu = async () => ({}) as GPU;
    const { signal } = new AbortController();
    const ended = compareDevices(cpu, gpu, makers, now, AbortSignal.abort(new StoppedError()));
    await expect(ended).rejects.toBeInstanceOf(StoppedError);
    const found = await compareDevices(cpu, gpu, makers, now, signal);
    expect(found).toMatchObject({ adapter: 'Soft', n: 256, threads: 1 });
    // This clock advances at every reading, so both devices measure as equally fast.
    expect(found?.webgpu).toBe(found?.cpu);
    const looks = clock;
    expect([await compareDevices(cpu, gpu, makers, now, signal), clock, opened]).toEqual([found, looks, 3]);
    const real = { ...makers, webgpu: async () => (await fakeGpuDevice(false, 'Real')) as unknown as Device };
    expect(await compareDevices(cpu, gpu, real, now, signal)).toBeNull();
    expect(await compareDevices(cpu, async () => null, makers, now, signal)).toBeNull();
    cpu.destroy();
  });

  it('measures by its clock, and frees its buffers', async () => {
    const device = await createCpuDevice();
    const before = device.memory().allocated;
    let calls = 0;
    // The clock advances 0.1 s at every reading: a product of size 8 takes that long, one of size 64 would take minutes.
    const speeds = await measureMatmul(device, () => 100 * calls++, [8, 10, 64], 0.05);
    expect(speeds.map(({ n, repeats }) => [n, repeats])).toEqual([
      [8, 1],
      [10, 1],
    ]);
    expect(speeds[1].gflops).toBeCloseTo((2 * 10 ** 3) / 0.1 / 1e9, 12);
    expect(device.memory().allocated).toBe(before);
    device.destroy();
  });
});
