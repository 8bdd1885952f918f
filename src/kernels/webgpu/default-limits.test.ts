// Runs every kernel on a device with WebGPU's default limits and no feature, the minimum that a browser may offer: anything more makes the lab
// faster but is never required.
import { afterAll, describe, expect, it } from 'vitest';
import { openNodeGpu } from '../../lib/gpu.node.ts';
import { createCpuDevice } from '../cpu/device.ts';
import { caseName, kernelCases, relativeError, runCase } from '../testing/cases.ts';
import { createWebGpuDevice, type WebGpuDevice } from './device.ts';

/** The same adapter restricted to the defaults: it reports and grants nothing beyond them. */
function plainGpu(real: GPU, asked: GPUDeviceDescriptor[]): GPU {
  const bound = <T extends object>(target: T, own: Partial<T>): T =>
    new Proxy(target, {
      get(_, key) {
        if (Object.hasOwn(own, key)) return own[key as keyof T];
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  return bound(real, {
    async requestAdapter(options) {
      const adapter = await real.requestAdapter(options);
      if (!adapter) return null;
      const probe = await adapter.requestDevice();
      const { limits } = probe;
      // An adapter gives only one device, so the second comes from another adapter.
      const next = (await real.requestAdapter(options))!;
      return bound(next, {
        limits,
        features: new Set() as unknown as GPUSupportedFeatures,
        requestDevice: (descriptor) => {
          asked.push(descriptor ?? {});
          return next.requestDevice();
        },
      });
    },
  });
}

const asked: GPUDeviceDescriptor[] = [];
let device: WebGpuDevice | null = null;
let why = '';
try {
  device = await createWebGpuDevice({ gpu: plainGpu(await openNodeGpu(), asked) });
} catch (error) {
  why = String(error);
  console.warn(`Kernels on the default limits are skipped: ${why}`);
}
afterAll(() => device?.destroy());

/** Error above which a kernel is wrong rather than summing in another order. */
const WRONG = 1e-4;

describe.skipIf(!device)(`kernels on default limits, without a feature ${why}`, () => {
  it('asks for no feature, and for no limit above the defaults', () => {
    expect(asked).toHaveLength(1);
    expect([...(asked[0].requiredFeatures ?? [])]).toEqual([]);
    expect(asked[0].requiredLimits).toMatchObject({
      maxStorageBufferBindingSize: 2 ** 27,
      maxStorageBuffersPerShaderStage: 8,
      maxComputeWorkgroupStorageSize: 16384,
      maxComputeInvocationsPerWorkgroup: 256,
    });
  });

  const cases = kernelCases();
  for (const kernel of new Set(cases.map((one) => one.kernel)))
    it(kernel, async () => {
      const exact = await createCpuDevice({ precision: 'f64' });
      for (const one of cases.filter((of) => of.kernel === kernel)) {
        const [ours, wanted] = [await runCase(device!, one), await runCase(exact, one)];
        for (const [name, data] of ours)
          expect(relativeError(data, wanted.get(name)!), `${caseName(one)}: ${name}`).toBeLessThan(WRONG);
      }
    });
});
