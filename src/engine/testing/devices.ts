// The devices of tests that compare a plan, or a model, with what both devices do, each also with a bound on its bindings. The
// bounded one is the same device seen through another limit: compiled pipelines are shared, which on a software adapter are most
// of such a test's time.
import { DeviceError } from '@projected-grpo-lab/base/errors.ts';
import { createCpuDevice } from '../../kernels/cpu/device.ts';
import type { Device } from '../../kernels/device.ts';
import { createWebGpuDevice } from '../../kernels/webgpu/device.ts';
import { openNodeGpu } from '../../lib/gpu.node.ts';

export const KINDS = ['cpu', 'webgpu'] as const;

export interface TestDevices {
  /** Undefined where there is no such adapter here: `why`. */
  of(kind: (typeof KINDS)[number], isTight?: boolean): Device | undefined;
  why: string;
  destroy(): void;
}

/** `tight`: the bound, bytes. */
export async function openDevices(tight: number): Promise<TestDevices> {
  const whole = new Map<string, Device>([['cpu', await createCpuDevice()]]);
  const made = { why: '' };
  try {
    whole.set('webgpu', await createWebGpuDevice({ gpu: await openNodeGpu() }));
  } catch (error) {
    made.why = String(error);
  }
  const bounded = new Map([...whole].map(([kind, device]) => [kind, boundedTo(tight, device)]));
  return {
    ...made,
    of: (kind, isTight = false) => (isTight ? bounded : whole).get(kind),
    destroy() {
      for (const device of whole.values()) device.destroy();
    },
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
