// Devices for tests that compare a memory plan or a model on CPU and WebGPU, each also with a small binding limit. The limited one is
// the same device with another stated limit, so that compiled pipelines are shared; on a software adapter they take most of the time.
import { DeviceError } from '@projected-grpo-lab/base/errors.ts';
import { createCpuDevice } from '../../kernels/cpu/device.ts';
import type { Device } from '../../kernels/device.ts';
import { sharedTestDevice } from '../../kernels/webgpu/testing.ts';

export const KINDS = ['cpu', 'webgpu'] as const;

export interface TestDevices {
  /** Undefined without a WebGPU adapter; `why` then gives the reason. */
  of(kind: (typeof KINDS)[number], isTight?: boolean): Device | undefined;
  why: string;
  destroy(): void;
}

/** One device per process, which is never destroyed. */
export const sharedGpu = () => sharedTestDevice();

/** The CPU device, and the WebGPU device if there is an adapter. */
export async function bothDevices(): Promise<{ devices: Map<string, Device>; why: string }> {
  const devices = new Map<string, Device>([['cpu', await createCpuDevice()]]);
  const { device, why } = await sharedGpu();
  if (device) devices.set('webgpu', device);
  return { devices, why };
}

/** `tight`: the limit on bindings in bytes. */
export async function openDevices(tight: number): Promise<TestDevices> {
  const { devices: whole, why } = await bothDevices();
  const bounded = new Map([...whole].map(([kind, device]) => [kind, boundedTo(tight, device)]));
  return {
    why,
    of: (kind, isTight = false) => (isTight ? bounded : whole).get(kind),
    destroy: () => whole.get('cpu')?.destroy(),
  };
}

function boundedTo(maxBindingBytes: number, device: Device): Device {
  const limits = { ...device.limits, maxBindingBytes };
  const alloc: Device['alloc'] = (length, dtype, label) => {
    if (length * 4 > maxBindingBytes) throw new DeviceError(`"${label}" has ${4 * length} bytes`, 'Split it.');
    return device.alloc(length, dtype, label);
  };
  return new Proxy(device, {
    get(target, key) {
      if (key === 'limits') return limits;
      if (key === 'alloc') return alloc;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
