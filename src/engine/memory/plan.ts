// How a model's frozen parts should be on a device so that a piece of work fits: f32 where there is room, f16 where there is
// not, bytes where even that is too much (weights/storage-layouts.ts: the most exact first); or that nothing fits, and what to change. Pure, from config and sizes, with the numbers.

import type { Device } from '../../kernels/device.ts';
import { bytesText } from '../../lib/numbers.ts';
import { LEAST_STORAGE, TRIED_STORAGES } from '../storage-layouts.ts';
import type { ModelConfig, WeightStorage } from '../types.ts';
import { type MemoryNeed, memoryNeed, type PlannedWork } from './memory.ts';

/** Assumed memory of a WebGPU device, which does not report it; the lab's large models are cut to fit into this. */
export const ASSUMED_BYTES = 6e9;

export interface PlanLimits {
  /** Bytes that the device may hold; Infinity if it does not report them. */
  totalBytes: number;
  /** The largest single buffer. */
  bindingBytes: number;
}

export type StoragePlan =
  | { ok: true; storage: WeightStorage; need: MemoryNeed; reason: string }
  | { ok: false; need: MemoryNeed; reason: string; remedy: string };

export function planLimits({ limits }: Pick<Device, 'limits'>): PlanLimits {
  return { totalBytes: limits.maxTotalBytes, bindingBytes: limits.maxBindingBytes };
}

/** The most exact storage that fits. A refusal carries the least of the needs. */
export function planStorage(
  config: ModelConfig,
  work: Omit<PlannedWork, 'storage' | 'maxBindingBytes'>,
  { totalBytes, bindingBytes }: PlanLimits,
): StoragePlan {
  const isKnown = Number.isFinite(totalBytes);
  const room = isKnown ? totalBytes : ASSUMED_BYTES;
  const where = isKnown ? `of ${bytesText(room)}` : `of an assumed ${bytesText(room)} (the device does not tell)`;
  const tried: string[] = [];
  let need!: MemoryNeed;
  for (const storage of TRIED_STORAGES) {
    need = memoryNeed(config, { ...work, storage, maxBindingBytes: bindingBytes });
    const isBound = need.largest <= bindingBytes;
    if (isBound && need.total <= room) {
      const others = tried.length > 0 ? `; ${tried.join(', ')}` : '';
      return { ok: true, storage, need, reason: `${storage}: ${bytesText(need.total)} ${where}${others}` };
    }
    tried.push(
      isBound
        ? `${storage} would need ${bytesText(need.total)}`
        : `${storage} would need one buffer of ${bytesText(need.largest)}`,
    );
  }
  const isBound = need.largest <= bindingBytes;
  // With an unknown size a refusal would be a guess, so the plan goes ahead.
  if (isBound && !isKnown) {
    const reason = `${LEAST_STORAGE}: ${bytesText(need.total)}, more than an assumed ${bytesText(room)} (the device does not tell); ${tried.slice(0, -1).join(', ')}`;
    return { ok: true, storage: LEAST_STORAGE, need, reason };
  }
  const most = isBound
    ? `the device has ${bytesText(room)}`
    : `the device binds at most ${bytesText(bindingBytes)} at once`;
  return { ok: false, need, reason: `${tried.join(', ')}; ${most}`, remedy: remedyOf(need, isBound) };
}

/** Advice about the part that takes most memory. */
function remedyOf(need: MemoryNeed, isBound: boolean): string {
  const { keyValues, activations, optimizer, weights, folded, factors } = need;
  const model = weights + folded + factors;
  if (!isBound || keyValues + activations > model)
    return `Use fewer prompts, a smaller group or shorter completions (keys and values take ${bytesText(keyValues)}, activations ${bytesText(activations)}).`;
  if (optimizer > model) return `Use fewer bases or fewer axes a basis (they take ${bytesText(optimizer)}).`;
  return `Use a smaller model (weights take ${bytesText(weights)}, their folded copy ${bytesText(folded)}, singular vectors ${bytesText(factors)}), a LoRA, or a device with more memory.`;
}
