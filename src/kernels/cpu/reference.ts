// The type of a kernel's reference kernel: the contract's buffers as flat typed arrays, and its parameters. A reference kernel is the
// readable reference of its kernel: it accumulates in doubles in a fixed order and rounds only when it stores. On a
// Float64Array nothing is rounded at all, which is how the backward reference kernels are checked by finite differences.
import type { KERNELS, KernelName, KernelParams } from '../contract.ts';
import type { FloatArray } from '../device.ts';

type ViewOf<B> = B extends { dtype: 'u32' } ? Uint32Array : FloatArray;

type MapViews<T extends readonly unknown[]> = { readonly [I in keyof T]: ViewOf<T[I]> };

/** One typed array per buffer, in binding order. */
export type Views<K extends KernelName> = MapViews<(typeof KERNELS)[K]['buffers']>;
export type Reference<K extends KernelName> = (views: Views<K>, params: KernelParams<K>) => void;
