// What a SIMD kernel is behind the contract (simd-programs.ts, simd-svd.ts): from buffers and parameters to calls of the module.
import type { KernelName, KernelParams } from '../contract.ts';
import type { Views } from './reference.ts';
import type { Simd } from './simd.ts';

/** `heap.scratch` may detach every view: take scratch first, views after. */
export type SimdProgram<K extends KernelName> = (
  simd: Simd,
  /** Byte address of each buffer. */
  at: readonly number[],
  params: KernelParams<K>,
  views: () => Views<K>,
) => boolean;

/** Bytes of an element. */
export const F = 4;
/** Cost (Cut.cost) of an element that is read and written. */
export const MOVED = 3;
