import { DeviceError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, it } from 'vitest';
import { allowFused } from '../../kernels/cpu/fused.node.ts';
import { fusedProblem } from '../../kernels/cpu/simd.ts';
import type { Device } from '../../kernels/device.ts';
import { chooseDevice, type DeviceMakers, makersOf } from './devices.ts';

const gpu = {} as GPU;
let opened: string[] = [];
function fake(kind: 'cpu' | 'webgpu', isSoftware: boolean, name: string): Device {
  // The fake devices have only the properties that the choice reads.
  opened.push(name);
  return { kind, isSoftware, name } as unknown as Device;
}
const makers = (isSoftware: boolean): DeviceMakers => ({
  cpu: async () => fake('cpu', false, 'CPU'),
  fused: async () => fake('cpu', false, 'CPU, fused'),
  own: async () => fake('cpu', false, 'own CPU'),
  webgpu: async () => fake('webgpu', isSoftware, isSoftware ? 'SwiftShader' : 'GPU 3000'),
  software: async () => (isSoftware ? 'SwiftShader' : null),
});

describe('choice of a device', () => {
  it('chooses a real GPU by default', async () => {
    const { report } = await chooseDevice('auto', async () => gpu, makers(false));
    expect(report).toMatchObject({ kind: 'webgpu', name: 'GPU 3000', reason: 'A GPU was found.' });
  });

  it('prefers the CPU to a software adapter, which it does not open', async () => {
    opened = [];
    const { report } = await chooseDevice('auto', async () => gpu, makers(true));
    expect(report.kind).toBe('cpu');
    expect(report.reason).toMatch(/SwiftShader\) is a software one/);
    expect(opened).toEqual(['own CPU']);
  });

  it('explains why there is no GPU, and uses the CPU', async () => {
    expect((await chooseDevice('auto', async () => null, makers(false))).report.reason).toMatch(
      /not available here\. So the CPU/,
    );
    const failing = async () => {
      throw new DeviceError('there is no Vulkan loader', 'Install one.');
    };
    expect((await chooseDevice('auto', failing, makers(false))).report.reason).toBe(
      'There is no Vulkan loader. So the CPU is used.',
    );
    await expect(chooseDevice('webgpu', failing, makers(false))).rejects.toThrow('no Vulkan loader');
    await expect(chooseDevice('webgpu', async () => null, makers(false))).rejects.toBeInstanceOf(DeviceError);
  });

  it('uses no other CPU for a fused one', async () => {
    const without = {
      ...makers(false),
      fused: () => Promise.reject(new DeviceError('it does not fuse', 'Choose it.')),
    };
    await expect(chooseDevice('cpu-fused', async () => gpu, without)).rejects.toThrow('does not fuse');
  });

  it('chooses a CPU with fused operations by default, and the plain one on request', async () => {
    allowFused();
    const fuses = (await fusedProblem()) === null;
    for (const [makers, numerics] of [
      [makersOf(), fuses ? 'cpu-fused' : 'cpu'],
      [makersOf(undefined, true), 'cpu'],
    ] as const) {
      const { device } = await chooseDevice('auto', async () => null, makers);
      expect(device.numerics).toBe(numerics);
      device.destroy();
    }
  });

  it('follows an explicit choice', async () => {
    expect((await chooseDevice('webgpu', async () => gpu, makers(true))).report).toMatchObject({
      kind: 'webgpu',
      isSoftware: true,
    });
    expect((await chooseDevice('cpu', async () => gpu, makers(false))).report.name).toBe('CPU');
    expect((await chooseDevice('cpu-fused', async () => gpu, makers(false))).report).toMatchObject({
      kind: 'cpu',
      name: 'CPU, fused',
      choice: 'cpu-fused',
    });
  });
});
