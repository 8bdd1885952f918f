// Tests adapters that never answer, throw, or answer too late. They are fakes, since no real driver fails on demand.
import { DeviceError } from '@projected-grpo-lab/base/errors.ts';
import { expect, it } from 'vitest';
import type { Device } from '../../kernels/device.ts';
import { openAdapter, softwareAdapter } from '../../kernels/webgpu/adapter.ts';
import { chooseDevice, type DeviceMakers } from './devices.ts';

const patienceMs = 30;
const never = () => new Promise<never>(() => {});
const gpuOf = (requestAdapter: () => unknown) => ({ requestAdapter }) as unknown as GPU;
const adapterOf = (requestDevice: () => unknown) =>
  gpuOf(async () => ({ info: { description: 'GPU 3000' }, limits: {}, features: new Set(), requestDevice }));
const cpu = { kind: 'cpu', name: 'CPU', isSoftware: false } as unknown as Device;
const makers: DeviceMakers = {
  cpu: async () => cpu,
  fused: async () => cpu,
  own: async () => cpu,
  webgpu: async (gpu) => (await openAdapter({ gpu, patienceMs })) as unknown as Device,
  software: (gpu) => softwareAdapter(gpu, patienceMs),
};

it.each([
  ['an adapter that never comes', gpuOf(never), 'WebGPU did not answer requestAdapter in 0.03 s'],
  ['a device that never comes', adapterOf(never), 'GPU 3000 gave no device: WebGPU did not answer requestDevice'],
  [
    'one that throws',
    gpuOf(() => {
      throw new TypeError('driver bug');
    }),
    'WebGPU failed at requestAdapter: driver bug',
  ],
  ['one that rejects', gpuOf(() => Promise.reject('gone')), 'WebGPU failed at requestAdapter: gone'],
])('%s: the CPU where it may be, else an error with a remedy', async (_, gpu, why) => {
  const { report } = await chooseDevice('auto', async () => gpu, makers);
  expect(report.kind).toBe('cpu');
  expect(report.reason.toLowerCase()).toContain(why.toLowerCase());
  const refused = chooseDevice('webgpu', async () => gpu, makers);
  await expect(refused).rejects.toThrow(why);
  await expect(refused).rejects.toBeInstanceOf(DeviceError);
  await expect(refused).rejects.toMatchObject({ remedy: expect.stringContaining('CPU device') });
});

it('closes a device that arrives after the timeout', async () => {
  let closed = 0;
  let give: (device: unknown) => void = () => {};
  const gpu = adapterOf(
    () =>
      new Promise((resolve) => {
        give = resolve;
      }),
  );
  await expect(openAdapter({ gpu, patienceMs })).rejects.toThrow('did not answer');
  give({ destroy: () => closed++ });
  await Promise.resolve().then(() => {});
  expect(closed).toBe(1);
});
