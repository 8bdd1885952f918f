// A kernel call with its data, and generators of random data.
import type { CounterRng } from '../../rng/index.ts';
import type { KernelName, KernelParams } from '../contract.ts';

export interface KernelCase<K extends KernelName = KernelName> {
  readonly kernel: K;
  readonly buffers: readonly (Float32Array | Uint32Array)[];
  readonly params: KernelParams<K>;
}

export function floats(random: CounterRng, length: number, scale = 1): Float32Array {
  return Float32Array.from({ length }, () => scale * random.normal());
}

/** Sums of three uniform numbers, in (−1.5, 1.5)·scale, for bit-exact tests: they use no function whose rounding depends on the
 *  JavaScript engine. */
export function uniformSums(random: CounterRng, length: number, scale: number): Float32Array {
  return Float32Array.from({ length }, () => scale * (random.uniform() + random.uniform() + random.uniform() - 1.5));
}

export function indices(random: CounterRng, length: number, below: number): Uint32Array {
  return Uint32Array.from({ length }, () => random.int(below));
}

/** `length` distinct numbers below `below`. */
export function distinct(random: CounterRng, length: number, below: number): Uint32Array {
  return Uint32Array.from(random.shuffle(Array.from({ length: below }, (_, i) => i)).slice(0, length));
}

export function make<K extends KernelName>(
  kernel: K,
  buffers: readonly (Float32Array | Uint32Array)[],
  params: KernelParams<K>,
): KernelCase<K> {
  return { kernel, buffers, params };
}
