// `--storage` of the commands on a person's own model: how its frozen parts are stored on the device, chosen by what fits or by name.

import { DeviceError } from '@projected-grpo-lab/base/errors.ts';
import { hostNeed } from '../../engine/memory/host.ts';
import { memoryNeed, type PlannedWork } from '../../engine/memory/memory.ts';
import { planLimits, planStorage } from '../../engine/memory/plan.ts';
import { STORAGES } from '../../engine/storage-layouts.ts';
import type { ModelConfig, WeightStorage } from '../../engine/types.ts';
import { MEASURED_MODELS, STORAGE_ERRORS } from '../../engine/weights/storage-error.ts';
import type { Device } from '../../kernels/device.ts';
import { bytesText, errorShare } from '../../lib/numbers.ts';
import { oneOf } from '../args.ts';

const STORAGE_WORDS: Readonly<Record<WeightStorage, string>> = {
  f32: 'as they are',
  f16: '16-bit floats',
  q8t16: 'bytes, an f16 scale for 32; embedding and head in f16',
  q8g32: 'bytes, an f16 scale for 32',
  q8: 'bytes, an f32 scale for 64: as large as q8g32 and less exact, for what was begun with it',
};

export const STORAGE_FLAG = oneOf(
  ['auto', ...STORAGES],
  'How weights lie on the device: the most exact that fits, or as named.',
  'auto',
);

/** For a command's help: each storage and its measured cost. */
export const STORAGE_NOTES = [
  'Storages, with what fewer bits were measured to change (relative L2 of the logits, likeliest tokens that are others):',
  ...STORAGES.map((storage) => {
    const words = STORAGE_WORDS[storage];
    if (storage === 'f32') return `  f32    ${words}`;
    const errors = MEASURED_MODELS.map((model) => {
      const { relative, changed, positions } = STORAGE_ERRORS[storage][model];
      return `${model} ${relative === 0 ? '0' : errorShare(relative)}, ${changed} of ${positions}`;
    });
    return `  ${storage.padEnd(7)}${words}\n         ${errors.join('; ')}`;
  }),
].join('\n');

/** The planned work, on any device. */
export type RequestedWork = Omit<PlannedWork, 'kind' | 'storage' | 'maxBindingBytes'>;

/** The storage, and a line for stderr. Throws DeviceError, with the numbers and a remedy, where nothing fits. */
export function chooseStorage(
  wanted: 'auto' | WeightStorage,
  config: ModelConfig,
  work: RequestedWork,
  device: Pick<Device, 'kind' | 'limits'>,
): { storage: WeightStorage; line: string } {
  const planned = { ...work, kind: device.kind };
  const limits = planLimits(device);
  if (wanted !== 'auto') {
    const { total } = memoryNeed(config, { ...planned, storage: wanted, maxBindingBytes: limits.bindingBytes });
    return { storage: wanted, line: `Memory: ${wanted}, ${bytesText(total)} planned.` };
  }
  const plan = planStorage(config, planned, limits);
  if (!plan.ok) throw new DeviceError(`the model does not fit: ${plan.reason}`, plan.remedy);
  return { storage: plan.storage, line: `Memory: ${plan.reason}.` };
}

/** Memory of the process beside the device, and, where the device is the process's own memory, the sum of both. */
export function hostLine(
  { config, textBytes }: { config: ModelConfig; textBytes: number },
  work: RequestedWork,
  storage: WeightStorage,
  device: Pick<Device, 'kind' | 'limits' | 'threads'>,
): string {
  const planned = { ...work, kind: device.kind, storage, maxBindingBytes: planLimits(device).bindingBytes };
  const host = hostNeed(config, planned, textBytes, device.threads);
  const beside = `Beside the device: ${bytesText(host.total)} of the host (Node and the lab ${bytesText(host.runtime)}, text ${bytesText(host.text)}, loading ${bytesText(host.loading)}, training ${bytesText(host.training)})`;
  if (device.kind !== 'cpu') return `${beside}.`;
  return `${beside}; the process peaks at about ${bytesText(memoryNeed(config, planned).total + host.total)}.`;
}
