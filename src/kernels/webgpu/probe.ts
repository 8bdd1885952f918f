// What measurements of kernels on a device (tune.ts, tune-packed.ts) have in common: what they ask of it, and the numbers that go in.
import type { KernelName } from '../contract.ts';
import type { Device } from '../device.ts';
import type { MatmulChoice } from './matmul.ts';
import type { PackedChoice } from './packed-products.ts';
import type { Shader } from './shader.ts';

/** What is asked of the device: its variants of kernels can be chosen, and shaders compiled ahead. */
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

/** What takes so many times the fastest's is not asked again: an integrated GPU is not to be held up for it. */
export const HOPELESS = 2;

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
