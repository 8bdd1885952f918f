// Checks that the device view describes WebGPU consistently, always by the result of a test.
import { expect, it } from 'vitest';
import { createCpuDevice } from '../../kernels/cpu/device.ts';
import { chooseDevice } from '../../lab/equipment/devices.ts';
import { diagnose } from '../../lab/equipment/diagnostics.ts';
import { webgpuHere } from './diagnostics.ts';

const gpu = (adapter: object | null) => ({ requestAdapter: async () => adapter }) as unknown as GPU;
const ADAPTER = {
  info: { vendor: 'acme', architecture: '', device: '', description: '' },
  features: new Set(),
  limits: {},
};

it.each([
  ['no API', null, /WebGPU is not available here/],
  ['no adapter', gpu(null), /no.*adapter/i],
] as const)('with %s the reason for the CPU and what was tried agree', async (state, provider, reason) => {
  const device = await createCpuDevice();
  expect(webgpuHere(await diagnose(device, async () => provider))).toBe(state);
  device.destroy();
  const { report } = await chooseDevice('auto', async () => provider);
  expect(report.kind).toBe('cpu');
  expect(report.reason).toMatch(reason);
});

it('reports WebGPU as available if there is an adapter', async () => {
  const device = await createCpuDevice();
  expect(webgpuHere(await diagnose(device, async () => gpu(ADAPTER)))).toBe('adapter');
  device.destroy();
});
