// The kernels as functions: `matmul(dev, { a, b, c, m, n, k })` — buffers and parameters by the names of contract.ts
// (which documents each kernel), shapes checked before anything is dispatched. The engine calls devices through these.
import { KERNELS, type KernelName, type KernelParams } from './contract.ts';
import type { Device, DeviceBuffer } from './device.ts';
import { checkCall } from './extents.ts';

/** Offsets and flags, 0 when left out. */
type Optional = `${string}Off` | 'off' | 'ta' | 'tb' | 'beta' | 'shift' | 'grow' | 'add' | 'inverse';

type BufferArgs<K extends KernelName> = { [B in (typeof KERNELS)[K]['buffers'][number] as B['name']]: DeviceBuffer };
type ParamArgs<K extends KernelName> = { [P in Exclude<keyof KernelParams<K>, Optional>]: number } & {
  [P in Extract<keyof KernelParams<K>, Optional>]?: number;
};
export type OpArgs<K extends KernelName> = BufferArgs<K> & ParamArgs<K>;
/** Throws ShapeError when a length, a dtype or a parameter does not fit. */
export type Op<K extends KernelName> = (device: Device, args: OpArgs<K>) => void;

function op<K extends KernelName>(kernel: K): Op<K> {
  const bufferNames = KERNELS[kernel].buffers.map((buffer) => buffer.name);
  const paramNames = Object.keys(KERNELS[kernel].params);
  const optional = new Set(paramNames.filter((name) => /Off$|^(off|ta|tb|beta|shift|grow|add|inverse)$/.test(name)));
  return (device, args) => {
    const given = args as Record<string, DeviceBuffer | number | undefined>;
    const buffers = bufferNames.map((name) => given[name] as DeviceBuffer);
    const params: Record<string, number> = {};
    for (const name of paramNames) params[name] = (given[name] ?? (optional.has(name) ? 0 : Number.NaN)) as number;
    checkCall(kernel, buffers, params as KernelParams<K>);
    device.run(kernel, buffers, params as KernelParams<K>);
  };
}

export const matmul = op('matmul');
export const biasAdd = op('bias_add');
export const colSum = op('col_sum');
export const scaleRows = op('scale_rows');
export const add = op('add');
export const copy = op('copy');
export const fill = op('fill');
export const sumsq = op('sumsq');

export const gatherRows = op('gather_rows');
export const scatterRows = op('scatter_rows');
export const embedGrad = op('embed_grad');

export const unpackF16 = op('unpack_f16');
export const unpackQ8 = op('unpack_q8');
export const unpackQ8h = op('unpack_q8h');
export const matmulF16 = op('matmul_f16');
export const matmulQ8h = op('matmul_q8h');
export const gatherPart = op('gather_part');
export const gatherF16 = op('gather_f16');
export const gatherQ8 = op('gather_q8');
export const gatherQ8h = op('gather_q8h');
export const moveCols = op('move_cols');

export const rmsnorm = op('rmsnorm');
export const rmsnormDx = op('rmsnorm_dx');
export const rmsnormDw = op('rmsnorm_dw');
export const rope = op('rope');
export const swiglu = op('swiglu');
export const swigluGrad = op('swiglu_grad');

export const attention = op('attention');
export const attentionDelta = op('attention_delta');
export const attentionDq = op('attention_dq');
export const attentionDkv = op('attention_dkv');

export const logprob = op('logprob');
export const logprobGrad = op('logprob_grad');
export const reverseKl = op('reverse_kl');
export const reverseKlGrad = op('reverse_kl_grad');
export const sample = op('sample');

export const knobGrad = op('knob_grad');
export const rowDot = op('row_dot');
export const jacobiRound = op('jacobi_round');
export const project = op('project');
export const adamw = op('adamw');

export const svdGram = op('svd_gram');
export const svdTurn = op('svd_turn');
export const svdApply = op('svd_apply');
