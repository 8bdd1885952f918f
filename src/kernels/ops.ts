// The kernels as functions, such as `ops.matmul(device, { a, b, c, m, n, k })`, with buffers and parameters by the names of the
// contract, which documents each kernel. Shapes are checked before anything is dispatched. The engine uses devices through these.
import { checkCall } from './check.ts';
import {
  type CamelCase,
  camelCase,
  KERNEL_NAMES,
  type KERNELS,
  type KernelName,
  type KernelParams,
  specOf,
} from './contract.ts';
import type { Device, DeviceBuffer } from './device.ts';

type Params<K extends KernelName> = (typeof KERNELS)[K]['params'];
/** Offsets and flags default to 0. */
type Optional<K extends KernelName> = {
  [P in keyof Params<K>]: Params<K>[P] extends 'offset' | 'flag' ? P : never;
}[keyof Params<K>];

type BufferArgs<K extends KernelName> = { [B in (typeof KERNELS)[K]['buffers'][number] as B['name']]: DeviceBuffer };
type ParamArgs<K extends KernelName> = { [P in Exclude<keyof KernelParams<K>, Optional<K>>]: number } & {
  [P in Optional<K>]?: number;
};
export type OpArgs<K extends KernelName> = BufferArgs<K> & ParamArgs<K>;
/** Throws ShapeError if a length, a dtype or a parameter does not fit. */
type Op<K extends KernelName> = (device: Device, args: OpArgs<K>) => void;
type Ops = { readonly [K in KernelName as CamelCase<K>]: Op<K> };

function op<K extends KernelName>(kernel: K): Op<K> {
  const { buffers: specs, params: types } = specOf(kernel);
  const bufferNames = specs.map((buffer) => buffer.name);
  const paramNames = Object.keys(types);
  const optional = new Set(paramNames.filter((name) => types[name] === 'offset' || types[name] === 'flag'));
  return (device, args) => {
    const given = args as Record<string, DeviceBuffer | number | undefined>;
    const buffers = bufferNames.map((name) => given[name] as DeviceBuffer);
    const params: Record<string, number> = {};
    for (const name of paramNames) params[name] = (given[name] ?? (optional.has(name) ? 0 : Number.NaN)) as number;
    checkCall(kernel, buffers, params as KernelParams<K>);
    device.run(kernel, buffers, params as KernelParams<K>);
  };
}

/** The cast is needed because Object.fromEntries loses the relation between key and value types. */
export const ops = Object.fromEntries(KERNEL_NAMES.map((kernel) => [camelCase(kernel), op(kernel)])) as unknown as Ops;
