// `--storage` of the commands on a model of one's own: how its frozen parts lie on the device, chosen by what fits or by name.
import { memoryNeed, type PlannedWork } from '../engine/memory.ts';
import { planLimits, planStorage } from '../engine/plan.ts';
import type { ModelConfig, WeightStorage } from '../engine/types.ts';
import type { Device } from '../kernels/device.ts';
import { DeviceError } from '../lib/errors.ts';
import { oneOf } from './args.ts';

export const STORAGE_FLAG = oneOf(
  ['auto', 'f32', 'f16', 'q8'],
  'How weights lie on the device: f32, 16 bits, 8 bits, or the first of them that fits.',
  'auto',
);

/** The storage, and a line for stderr. Throws DeviceError, with the numbers and a remedy, where nothing fits. */
export function chooseStorage(
  wanted: 'auto' | WeightStorage,
  config: ModelConfig,
  work: Omit<PlannedWork, 'kind' | 'storage' | 'maxBindingBytes'>,
  device: Pick<Device, 'kind' | 'limits'>,
): { storage: WeightStorage; line: string } {
  const planned = { ...work, kind: device.kind };
  const limits = planLimits(device);
  if (wanted !== 'auto') {
    const { total } = memoryNeed(config, { ...planned, storage: wanted, maxBindingBytes: limits.bindingBytes });
    return { storage: wanted, line: `Memory: ${wanted}, ${(total / 1e6).toFixed(1)} MB planned.` };
  }
  const plan = planStorage(config, planned, limits);
  if (!plan.ok) throw new DeviceError(`the model does not fit: ${plan.reason}`, plan.remedy);
  return { storage: plan.storage, line: `Memory: ${plan.reason}.` };
}
