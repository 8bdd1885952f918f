// The type of reference kernels: they take the contract's buffers as flat typed arrays, and its parameters. A reference
// kernel is simple code that accumulates in double precision in a fixed order and rounds only when it stores. On
// Float64Arrays it does not round, so finite differences can check the backward kernels.
import type { KERNELS, KernelName, KernelParams } from '../contract.ts';
import type { FloatArray } from '../device.ts';

type ViewOf<B> = B extends { dtype: 'u32' } ? Uint32Array : FloatArray;

type MapViews<T extends readonly unknown[]> = { readonly [I in keyof T]: ViewOf<T[I]> };

/** One typed array per buffer, in binding order. */
export type Views<K extends KernelName> = MapViews<(typeof KERNELS)[K]['buffers']>;
export type Reference<K extends KernelName> = (views: Views<K>, params: KernelParams<K>) => void;
