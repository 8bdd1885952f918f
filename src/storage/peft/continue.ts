// A run whose own adapter is a LoRA may continue a PEFT adapter: it starts at that adapter's factors instead of at B = 0, on the bare base.
// Its initial model is the one with the adapter folded in; it trains the adapter itself, at the run's rank, instead of a second one.
import { adapterLayout, loraParts } from '../../engine/adapter-layout.ts';
import { initialLora } from '../../engine/adapters/lora.ts';
import type { AdapterSettings } from '../../engine/types.ts';
import type { ModelFiles } from '../model-files.ts';
import { sha256 } from '../sources.ts';
import type { PeftAdapter } from './adapter.ts';
import type { AdaptedFiles } from './fold.ts';

/** The bare base's files, under a hash of base and adapter, so that runs and bases are not mixed with those of the folded model. */
export interface ContinuedFiles extends AdaptedFiles {
  /** A and B of every Linear at the start; [layout.total]. */
  initial: Float32Array;
}

/** The files with which a run continues, or the reason why it does not, as the end of a sentence. */
export type Continuation = { files: ContinuedFiles } | { why: string };

/** `trains`: the run's own adapter. Its additional rank is initialised like a LoRA: A random, B = 0. */
export async function continuedFiles(
  files: ModelFiles,
  { facts, key, updates }: PeftAdapter,
  trains: AdapterSettings,
): Promise<Continuation> {
  if (trains.adapter !== 'lora') return { why: `the run trains ${trains.adapter} and no LoRA` };
  const layout = adapterLayout(files.config, trains);
  const modules = new Map(layout.modules.map((module) => [module.name, module]));
  for (const { module, r } of updates.values()) {
    const { rank = 0 } = modules.get(module) ?? {};
    if (!modules.has(module)) return { why: `${module} has no LoRA in a run` };
    if (r > rank) return { why: `its rank ${r} is more than the run’s ${rank} (loraRank)` };
  }
  const initial = initialLora(layout);
  for (const update of updates.values()) {
    const { rank, a, b } = loraParts(modules.get(update.module)!);
    const factors = await update.factors();
    initial.set(factors.a, a[0]);
    for (let o = 0; o < update.dOut; o++)
      for (let k = 0; k < update.r; k++) initial[b[0] + o * rank + k] = update.scale * factors.b[o * update.r + k];
  }
  const name = `${files.sha256} peft ${key} continued`;
  return {
    files: {
      ...files,
      sha256: await sha256(new TextEncoder().encode(name)),
      baseSha256: files.sha256,
      adapter: facts,
      initial,
    },
  };
}
