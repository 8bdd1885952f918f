// Whether a GRPO step of a model fits into a device's memory, and what would make it fit, from the model's shape alone, without a download.
// The step is plain (no projection and no controls): rollouts, their score and backward, and Adam.
import type { MemoryNeed, PlannedWork } from '../../engine/memory/memory.ts';
import { ASSUMED_BYTES, formsFor, type Placement, type PlanLimits, placedIn } from '../../engine/memory/plan.ts';
import { type KvCache, TRIED_STORAGES } from '../../engine/storage-layouts.ts';
import type { AdapterForm, AdapterSettings, ModelConfig, WeightStorage } from '../../engine/types.ts';
import type { DeviceKind } from '../../kernels/device.ts';
import { callsPerToken } from './calls.ts';
import { largest, PLAIN_VECTORS } from './memory.ts';

/** A GRPO step: its sizes in tokens, prompts and completions per prompt. */
export interface StepSize {
  adapter: AdapterSettings['adapter'];
  /** Only with lora and blocks. */
  rank: number;
  prompts: number;
  group: number;
  promptTokens: number;
  maxNew: number;
  /** Default f32. */
  kvCache?: KvCache;
}

/** A change of one setting after which the step fits, and its need. */
export interface Remedy {
  change: string;
  need: MemoryNeed;
}

/** Placement of the weights and the adapter on the device, and the memory that it needs. */
export interface Fit extends Placement {
  need: MemoryNeed;
  /** Bytes of the device in total (assumed if it does not report them), and in one buffer. */
  room: number;
  binding: number;
  fits: boolean;
  /** Single changes, each sufficient; empty if the step fits. */
  remedies: readonly Remedy[];
  callsPerToken: number;
}

/** Plans a step with the most exact storage that fits, or with the requested one, folded if that fits. */
export async function fitOf(
  config: ModelConfig,
  step: StepSize,
  wanted: 'auto' | WeightStorage,
  kind: DeviceKind,
  limits: PlanLimits,
  form: 'auto' | AdapterForm = 'auto',
): Promise<Fit> {
  const { totalBytes, bindingBytes } = limits;
  const room = Number.isFinite(totalBytes) ? totalBytes : ASSUMED_BYTES;
  const storages = wanted === 'auto' ? TRIED_STORAGES : [wanted];
  const placements = (size: StepSize) => {
    const work = workOf(size, kind);
    return storages.map((storage) => placedIn(storage, config, work, limits, formsFor(work.adapter, form)));
  };
  const fitting = (size: StepSize) => placements(size).find(({ fits }) => fits);
  const chosen = fitting(step) ?? placements(step).at(-1)!;
  const { fits } = chosen;
  const remedies: Remedy[] = [];
  const offer = (change: string, size: StepSize) => {
    const found = fitting(size);
    const how = found?.form === 'unfolded' ? ', not folded' : '';
    if (found) remedies.push({ change: `${change} (${found.storage}${how})`, need: found.need });
  };
  if (!fits) {
    if (step.adapter !== 'lora') offer('--adapter lora', { ...step, adapter: 'lora' });
    if (step.kvCache !== 'f16') offer('--kv-cache f16', { ...step, kvCache: 'f16' });
    for (const name of ['prompts', 'group', 'maxNew', 'promptTokens'] as const) {
      const most = largest(step[name], (value) => fitting({ ...step, [name]: value }) !== undefined);
      if (most !== null) offer(`${FLAGS[name]} ${most}`, { ...step, [name]: most });
    }
  }
  const { storage, need } = chosen;
  const calls = await callsPerToken(config, step.adapter, chosen.form, storage);
  return { storage, form: chosen.form, need, room, binding: bindingBytes, fits, remedies, callsPerToken: calls };
}

/** Flags of `lab plan`. */
const FLAGS = { prompts: '--prompts', group: '--group', maxNew: '--max-new', promptTokens: '--prompt' } as const;

function workOf(
  { adapter, rank, prompts, group, promptTokens, maxNew, kvCache }: StepSize,
  kind: DeviceKind,
): PlannedWork {
  const sequences = prompts * group;
  return {
    rollouts: [{ prompts, sequences, promptTokens, maxNew, kvCache, willScore: true }],
    scores: [{ prompts, sequences, promptTokens, completionTokens: maxNew, segments: 1 }],
    kind,
    adapter: { adapter, loraRank: rank },
    optimizer: { vectors: PLAIN_VECTORS, bases: [] },
  };
}
