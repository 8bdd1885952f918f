// A kernel's contract, shared by both devices, the wrappers, the checks and the tests: its buffers in binding order,
// its scalar parameters in the order of the WGSL uniform struct, and how long each buffer must be.

type Access = 'r' | 'w' | 'rw';
export interface BufferSpec {
  readonly name: string;
  readonly dtype: 'f32' | 'u32';
  /** r = read, w = written, rw = both. */
  readonly access: Access;
}
/** `offset`: an unsigned integer that is 0 when left out. `flag`: 0 or 1, 0 when left out. In WGSL both are u32. */
export type ParamType = 'u32' | 'f32' | 'offset' | 'flag';
type ParamTypes = Readonly<Record<string, ParamType>>;

export interface KernelSpec<
  Buffers extends readonly BufferSpec[] = readonly BufferSpec[],
  Params extends ParamTypes = ParamTypes,
> {
  readonly buffers: Buffers;
  readonly params: Params;
  /** Elements that each buffer must have, in binding order. A source of gathered rows may be longer or shorter (0 here): its
   *  indices are checked where they can be read (cpu/indices.ts). */
  readonly extents: (p: { readonly [P in keyof Params]: number }) => { readonly [B in keyof Buffers]: number };
  /** Returns what is wrong with a combination of parameters that are valid one by one, else null. */
  readonly refuse?: (p: { readonly [P in keyof Params]: number }) => string | null;
  /** Number of invocations, for a shader with one invocation per element. */
  readonly invocations?: (p: { readonly [P in keyof Params]: number }) => number;
}

export const f = <const N extends string>(name: N, access: Access = 'r') => ({ name, dtype: 'f32', access }) as const;
export const u = <const N extends string>(name: N, access: Access = 'r') => ({ name, dtype: 'u32', access }) as const;

/** Infers the buffers' names and number, so that a wrong number of extents does not compile. */
export function kernel<const Buffers extends readonly BufferSpec[], const Params extends ParamTypes>(
  spec: KernelSpec<Buffers, Params>,
): KernelSpec<Buffers, Params> {
  return spec;
}

/** A kernel with one invocation per element, from which its grid follows. */
export function flat<const Buffers extends readonly BufferSpec[], const Params extends ParamTypes>(
  spec: Flat<Buffers, Params>,
): Flat<Buffers, Params> {
  return spec;
}

type Flat<Buffers extends readonly BufferSpec[], Params extends ParamTypes> = KernelSpec<Buffers, Params> &
  Required<Pick<KernelSpec<Buffers, Params>, 'invocations'>>;
