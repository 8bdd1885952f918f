// The kernels' contract, which both devices implement:
//   shaders/<family>/<kernel>.wgsl + src/kernels/webgpu/programs.ts      and      src/kernels/cpu/<family>.ts (reference kernels)
// Wrappers (ops.ts), checks (check.ts), WGSL declarations and the tests' list of kernels are derived from this table.
// All matrices are row-major; every `…Off` is an offset in elements. u32 parameters are non-negative integers.
// Determinism: every reduction has a fixed order, without atomics. Each output element of a row-wise kernel depends only on
// its own row, so a result does not depend on the rest of the batch.
import { ADAPTER } from './contract/adapter.ts';
import { ATTENTION } from './contract/attention.ts';
import { DECODING } from './contract/decoding.ts';
import { DELTA } from './contract/delta.ts';
import { HEAD } from './contract/head.ts';
import { INTEGERS } from './contract/integers.ts';
import type { KernelSpec } from './contract/kernel.ts';
import { LINEAR } from './contract/linear.ts';
import { NORM } from './contract/norm.ts';
import { PACKED } from './contract/packed.ts';
import { ROWS } from './contract/rows.ts';
import { SVD } from './contract/svd.ts';

export const KERNELS = {
  ...LINEAR,
  ...ROWS,
  ...PACKED,
  ...NORM,
  ...ATTENTION,
  ...DELTA,
  ...HEAD,
  ...ADAPTER,
  ...SVD,
  ...DECODING,
  ...INTEGERS,
} as const;

export type KernelName = keyof typeof KERNELS;
export type KernelParams<K extends KernelName> = { [P in keyof (typeof KERNELS)[K]['params']]: number };

/** `rmsnorm_dx` → `rmsnormDx`: a kernel's name in TypeScript. */
export type CamelCase<S extends string> = S extends `${infer A}_${infer B}` ? `${A}${Capitalize<CamelCase<B>>}` : S;

export function camelCase<K extends KernelName>(kernel: K): CamelCase<K> {
  return kernel.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()) as CamelCase<K>;
}

export const KERNEL_NAMES = Object.keys(KERNELS) as readonly KernelName[];

/** A kernel's entry with a general type, for code that iterates over all kernels. The cast drops the specific parameter names. */
export function specOf(kernel: KernelName): KernelSpec {
  return KERNELS[kernel] as unknown as KernelSpec;
}
