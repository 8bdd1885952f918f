// `--storage` and `--form` of the commands on a person's own model: how its frozen parts are stored on the device and its adapter is computed,
// chosen by what fits or by name.

import { DeviceError } from '@projected-grpo-lab/base/errors.ts';
import { hostNeed } from '../../engine/memory/host.ts';
import { memoryNeed, type PlannedWork } from '../../engine/memory/memory.ts';
import { formsFor, type Placement, placedIn, planLimits, planStorage } from '../../engine/memory/plan.ts';
import { ADAPTER_FORMS, type KvCache, STORAGES } from '../../engine/storage-layouts.ts';
import type { AdapterForm, ModelConfig, WeightStorage } from '../../engine/types.ts';
import {
  KV_CACHE_ERRORS,
  MEASURED_MODELS,
  type MeasuredErrors,
  STORAGE_ERRORS,
} from '../../engine/weights/storage-error.ts';
import type { Device } from '../../kernels/device.ts';
import { bytesText, errorShare } from '../../lib/numbers.ts';
import { oneOf } from '../args.ts';

const STORAGE_WORDS: Readonly<Record<WeightStorage, string>> = {
  f32: 'as they are',
  f16: '16-bit floats',
  q8t16: 'bytes, an f16 scale for 32; embedding and head in f16',
  q8g32: 'bytes, an f16 scale for 32',
  q8: 'bytes, an f32 scale for 64: as large as q8g32 and less exact, for what was begun with it',
  q4g32: '4 bits, an f16 scale for 32',
};

export const STORAGE_FLAG = oneOf(
  ['auto', ...STORAGES],
  'How weights lie on the device: the most exact that fits, or as named.',
  'auto',
);

export const FORM_FLAG = oneOf(
  ['auto', ...ADAPTER_FORMS],
  'Adapter folded into copies of weights, or beside them; folded if that fits.',
  'auto',
);

const MEASURES = 'relative L2 of the logits, likeliest tokens that are others';

/** Says what a storage was measured to change, model by model. */
const measuredOf = (errors: MeasuredErrors): string =>
  MEASURED_MODELS.map((model) => {
    const { relative, changed, positions } = errors[model];
    return `${model} ${relative === 0 ? '0' : errorShare(relative)}, ${changed} of ${positions}`;
  }).join('; ');

/** A sentence about what a storage that was chosen for a person costs; null for f32, which costs nothing. */
export const costOf = (storage: WeightStorage): string | null =>
  storage === 'f32' ? null : costText(storage, STORAGE_ERRORS[storage]);

/** The same of keys and values. */
export const cacheCostOf = (cache: KvCache): string | null =>
  cache === 'f32' ? null : costText(`${cache} for keys and values`, KV_CACHE_ERRORS);

function costText(what: string, errors: MeasuredErrors): string {
  return `What ${what} was measured to change (${MEASURES}): ${measuredOf(errors)}.`;
}

/** For a command's help: each storage and its measured cost. */
export const STORAGE_NOTES = [
  `Storages, with what fewer bits were measured to change (${MEASURES}):`,
  ...STORAGES.map((storage) => {
    const words = STORAGE_WORDS[storage];
    if (storage === 'f32') return `  f32    ${words}`;
    return `  ${storage.padEnd(7)}${words}\n         ${measuredOf(STORAGE_ERRORS[storage])}`;
  }),
].join('\n');

/** The planned work, on any device. */
export type RequestedWork = Omit<PlannedWork, 'kind' | 'storage' | 'form' | 'maxBindingBytes'>;

/** Storage and form, and a line for stderr. Throws DeviceError, with the numbers and a remedy, where nothing fits. */
export function chooseStorage(
  wanted: 'auto' | WeightStorage,
  config: ModelConfig,
  work: RequestedWork,
  device: Pick<Device, 'kind' | 'limits'>,
  form: 'auto' | AdapterForm = 'auto',
): Placement & { line: string } {
  const planned = { ...work, kind: device.kind };
  const limits = planLimits(device);
  if (wanted !== 'auto') {
    const placed = placedIn(wanted, config, planned, limits, formsFor(work.adapter, form));
    const how = placed.form === 'folded' ? wanted : `${wanted}, the adapter not folded`;
    return { storage: wanted, form: placed.form, line: `Memory: ${how}, ${bytesText(placed.need.total)} planned.` };
  }
  const plan = planStorage(config, planned, limits, form);
  if (!plan.ok) throw new DeviceError(`the model does not fit: ${plan.reason}`, plan.remedy);
  const cost = costOf(plan.storage);
  const line = `Memory: ${plan.reason}.${cost === null ? '' : ` ${cost}`}`;
  return { storage: plan.storage, form: plan.form, line };
}

/** Memory of the process beside the device, and, where the device is the process's own memory, the sum of both. */
export function hostLine(
  { config, textBytes }: { config: ModelConfig; textBytes: number },
  work: RequestedWork,
  { storage, form }: Placement,
  device: Pick<Device, 'kind' | 'limits' | 'threads'>,
): string {
  const planned = { ...work, kind: device.kind, storage, form, maxBindingBytes: planLimits(device).bindingBytes };
  const host = hostNeed(config, planned, textBytes, device.threads);
  const line = `Beside the device: ${bytesText(host.total)} of the host (Node and the lab ${bytesText(host.runtime)}, text ${bytesText(host.text)}, loading ${bytesText(host.loading)}, training ${bytesText(host.training)})`;
  if (device.kind !== 'cpu') return `${line}.`;
  return `${line}; the process peaks at about ${bytesText(memoryNeed(config, planned).total + host.total)}.`;
}
