// Shared by the measurements of kernel variants on a device (tune.ts, tune-packed.ts, tune-subgroups.ts): the device's
// interface, the input values, and the timing.
import type { KernelName } from '../contract.ts';
import type { Device } from '../device.ts';
import type { MatmulChoice } from './matmul.ts';
import type { PackedChoice } from './packed-products.ts';
import type { Shader } from './shader.ts';

/** A device whose variants of kernels can be chosen, and whose shaders can be compiled ahead. */
export interface Tunable extends Device {
  matmulChoice: MatmulChoice;
  packedChoice: PackedChoice;
  subgroup: number;
  workPerSubmit: number;
  attentionCost: number;
  readonly subgroupSizes: readonly number[];
  compile(shaders: readonly Shader[]): Promise<void>;
  compiles(kernels: readonly KernelName[]): Promise<boolean>;
}

/** A variant that takes this many times as long as the fastest is not measured again, to save time on an integrated GPU. */
const HOPELESS = 2;

/**
 * Returns the fastest variant and its milliseconds. Each variant's time is the best of a few rounds, which alternate between variants, since an
 * adapter that was idle is slow at first. `warm`: number of rounds before those, which do not count.
 */
export async function fastest<Way>(
  device: Tunable,
  ways: readonly Way[],
  call: (way: Way) => void,
  { calls, rounds, warm = 0 }: { calls: number; rounds: number; warm?: number },
): Promise<{ way: Way; took: number }> {
  const best = ways.map(() => Number.POSITIVE_INFINITY);
  for (let round = -warm; round < rounds; round++)
    for (const [i, way] of ways.entries()) {
      if (best[i] < Number.POSITIVE_INFINITY && best[i] > HOPELESS * Math.min(...best)) continue;
      const start = performance.now();
      for (let n = 0; n < calls; n++) call(way);
      await device.sync();
      if (round >= 0) best[i] = Math.min(best[i], performance.now() - start);
    }
  const took = Math.min(...best);
  return { way: ways[best.indexOf(took)], took };
}

/** Values that show a difference in order or rounding: 24-bit fractions with signs, from a fixed congruence. */
export function probeValues(length: number, seed: number): Float32Array {
  const values = new Float32Array(length);
  let state = seed >>> 0;
  for (let i = 0; i < length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    values[i] = (state >>> 8) / 2 ** 23 - 1;
  }
  return values;
}
