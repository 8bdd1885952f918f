// Chooses the storage of a model's frozen parts so that a piece of work fits on a device: the most exact storage that
// fits (storage-layouts.ts), with the adapter folded if its copy of the Linears fits, otherwise unfolded. If nothing
// fits, it says what to change, with numbers. Pure, from config and sizes.

import type { Device } from '../../kernels/device.ts';
import { bytesText } from '../../lib/numbers.ts';
import { formsOf } from '../adapter-layout.ts';
import { LEAST_STORAGE, TRIED_STORAGES } from '../storage-layouts.ts';
import type { AdapterForm, ModelConfig, WeightStorage } from '../types.ts';
import { type MemoryNeed, memoryNeed, type PlannedWork } from './memory.ts';

/** Assumed memory of a WebGPU device, which does not report it. */
export const ASSUMED_BYTES = 6e9;

export interface PlanLimits {
  /** Device memory in bytes; Infinity if the device does not report it. */
  totalBytes: number;
  /** Largest single buffer, bytes. */
  bindingBytes: number;
}

/** A model's storage, and the form of its adapter. */
export interface Placement {
  storage: WeightStorage;
  form: AdapterForm;
}

export type StoragePlan =
  | ({ ok: true; need: MemoryNeed; reason: string } & Placement)
  | { ok: false; need: MemoryNeed; reason: string; remedy: string };

type PlacedWork = Omit<PlannedWork, 'storage' | 'maxBindingBytes' | 'form'>;

/** The allowed forms of `adapter`, given the requested one. */
export const formsFor = (adapter: PlannedWork['adapter'], wanted: 'auto' | AdapterForm): readonly AdapterForm[] =>
  wanted === 'auto' ? formsOf(adapter) : [wanted];

/** Whether a need fits on a device; one that does not report its memory is assumed to have ASSUMED_BYTES. */
export const hasRoom = ({ total, largest }: MemoryNeed, { totalBytes, bindingBytes }: PlanLimits): boolean =>
  total <= (Number.isFinite(totalBytes) ? totalBytes : ASSUMED_BYTES) && largest <= bindingBytes;

/** The first of `forms` with which the work fits in this storage; otherwise the last one, which needs least. */
export function placedIn(
  storage: WeightStorage,
  config: ModelConfig,
  work: PlacedWork,
  limits: PlanLimits,
  forms = formsOf(work.adapter),
): Placement & { need: MemoryNeed; fits: boolean } {
  const maxBindingBytes = limits.bindingBytes;
  const tried = forms.map((form) => {
    const need = memoryNeed(config, { ...work, storage, form, maxBindingBytes });
    return { storage, form, need, fits: hasRoom(need, limits) };
  });
  return tried.find(({ fits }) => fits) ?? tried[tried.length - 1];
}

export function planLimits({ limits }: Pick<Device, 'limits'>): PlanLimits {
  return { totalBytes: limits.maxTotalBytes, bindingBytes: limits.maxBindingBytes };
}

/** The most exact storage that fits. A refusal has the need of the smallest storage. */
export function planStorage(
  config: ModelConfig,
  work: PlacedWork,
  limits: PlanLimits,
  wanted: 'auto' | AdapterForm = 'auto',
): StoragePlan {
  const { totalBytes, bindingBytes } = limits;
  const forms = formsFor(work.adapter, wanted);
  const isKnown = Number.isFinite(totalBytes);
  const room = isKnown ? totalBytes : ASSUMED_BYTES;
  const where = isKnown ? `of ${bytesText(room)}` : `of an assumed ${bytesText(room)} (the device does not tell)`;
  const tried: string[] = [];
  let need!: MemoryNeed;
  for (const storage of TRIED_STORAGES) {
    const placed = placedIn(storage, config, work, limits, forms);
    const { form } = placed;
    need = placed.need;
    const isBound = need.largest <= bindingBytes;
    if (placed.fits) {
      const isFolded = form === 'folded';
      if (!isFolded && forms.includes('folded')) {
        const folded = placedIn(storage, config, work, limits, ['folded']);
        tried.push(`folded it would need ${bytesText(folded.need.total)}`);
      }
      const others = tried.length > 0 ? `; ${tried.join(', ')}` : '';
      const how = isFolded ? storage : `${storage}, the adapter not folded`;
      return { ok: true, storage, form, need, reason: `${how}: ${bytesText(need.total)} ${where}${others}` };
    }
    tried.push(
      isBound
        ? `${storage} would need ${bytesText(need.total)}`
        : `${storage} would need one buffer of ${bytesText(need.largest)}`,
    );
  }
  const isBound = need.largest <= bindingBytes;
  // With unknown device memory a refusal would be a guess, so the plan is accepted.
  if (isBound && !isKnown) {
    const reason = `${LEAST_STORAGE}: ${bytesText(need.total)}, more than an assumed ${bytesText(room)} (the device does not tell); ${tried.slice(0, -1).join(', ')}`;
    return { ok: true, storage: LEAST_STORAGE, form: forms[forms.length - 1], need, reason };
  }
  const most = isBound
    ? `the device has ${bytesText(room)}`
    : `the device binds at most ${bytesText(bindingBytes)} at once`;
  return { ok: false, need, reason: `${tried.join(', ')}; ${most}`, remedy: remedyOf(need, isBound) };
}

/** Advice for reducing the part that takes most memory. */
function remedyOf(need: MemoryNeed, isBound: boolean): string {
  const { keyValues, activations, optimizer, weights, folded, factors } = need;
  const model = weights + folded + factors;
  if (!isBound || keyValues + activations > model)
    return `Use fewer prompts, a smaller group or shorter completions (keys and values take ${bytesText(keyValues)}, activations ${bytesText(activations)}).`;
  if (optimizer > model) return `Use fewer bases or fewer axes a basis (they take ${bytesText(optimizer)}).`;
  return `Use a smaller model (weights take ${bytesText(weights)}, their folded copy or scratch ${bytesText(folded)}, the adapter’s matrices ${bytesText(factors)}), a LoRA, or a device with more memory.`;
}
