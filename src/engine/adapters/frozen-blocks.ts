// The frozen A0 and B0 of two LoRA blocks (blocks.ts), for code that computes the update without a device.
import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import { loraParts } from '../adapter-layout.ts';
import type { AdapterLayout } from '../types.ts';

/** One seed for all runs, so that compared conditions start from the same model. */
const SEED = 1;

/** A0 and B0 of every module, [layout.total]. */
export function frozenBlocks(layout: AdapterLayout): Float32Array {
  const factors = new Float32Array(layout.total);
  layout.modules.forEach((module, m) => {
    const { rank, a, b } = loraParts(module);
    const rng = new CounterRng(keyFor(SEED, STREAMS.lora, m));
    for (let i = a[0]; i < a[1]; i++) factors[i] = rng.normal() / Math.sqrt(module.dIn);
    for (let i = b[0]; i < b[1]; i++) factors[i] = rng.normal() / Math.sqrt(rank);
  });
  return factors;
}
