// How many elements each buffer of a kernel must have for given parameters, in the contract's binding order, and the
// check that both the wrappers (ops.ts) and the CPU device make before anything is dispatched. A source of gathered
// rows may be longer or shorter; its indices are checked where they can be read (cpu/indices.ts).
import { ShapeError } from '../lib/errors.ts';
import { type BufferSpec, KERNELS, type KernelName, type KernelParams, type ParamType } from './contract.ts';
import type { DeviceBuffer } from './device.ts';

type Extents = { readonly [K in KernelName]: (p: KernelParams<K>) => number[] };

export const EXTENTS: Extents = {
  matmul: (p) => [p.aOff + p.m * p.k, p.bOff + p.k * p.n, p.cOff + p.m * p.n],
  bias_add: (p) => [p.rows * p.cols, p.cols],
  col_sum: (p) => [p.rows * p.cols, p.cols],
  scale_rows: (p) => [p.rows * p.cols, p.sOff + p.rows, p.rows * p.cols],
  add: (p) => [p.xOff + p.n, p.yOff + p.n],
  copy: (p) => [p.srcOff + p.n, p.dstOff + p.n],
  fill: (p) => [p.off + p.n],
  sumsq: (p) => [p.off + p.n, p.outOff + 1],
  gather_rows: (p) => [0, p.rows, p.rows * p.dim],
  scatter_rows: (p) => [p.rows * p.dim, p.rows, 0],
  embed_grad: (p) => [0, p.vocab + 1, 0, p.vocab * p.dim],
  unpack_f16: (p) => [Math.ceil((p.srcOff + p.n) / 2), p.n],
  unpack_q8: (p) => [Math.ceil((p.srcOff + p.n) / 4), Math.ceil((p.srcOff + p.n) / p.block), p.n],
  unpack_q8h: (p) => [Math.ceil((p.srcOff + p.n) / 4), Math.ceil((p.srcOff + p.n) / p.block / 2), p.n],
  matmul_f16: (p) => [p.aOff + p.m * p.k, Math.ceil((p.bOff + p.k * p.n) / 2), p.cOff + p.m * p.n],
  matmul_q8h: (p) => {
    const end = p.bOff + p.k * p.n;
    return [p.aOff + p.m * p.k, Math.ceil(end / 4), Math.ceil(end / p.block / 2), p.cOff + p.m * p.n];
  },
  gather_part: (p) => [p.count * p.dim, p.rows, p.rows * p.dim],
  gather_f16: (p) => [Math.ceil((p.count * p.dim) / 2), p.rows, p.rows * p.dim],
  gather_q8: (p) => {
    const n = p.count * p.dim;
    return [Math.ceil(n / 4), Math.ceil(n / p.block), p.rows, p.rows * p.dim];
  },
  gather_q8h: (p) => {
    const n = p.count * p.dim;
    return [Math.ceil(n / 4), Math.ceil(n / p.block / 2), p.rows, p.rows * p.dim];
  },
  move_cols: (p) =>
    p.rows === 0 || p.cols === 0
      ? [0, 0]
      : [p.srcOff + (p.rows - 1) * p.srcStride + p.cols, p.dstOff + (p.rows - 1) * p.dstStride + p.cols],
  rmsnorm: (p) => [p.rows * p.dim, p.dim, p.rows * p.dim, p.rows],
  rmsnorm_dx: (p) => [p.rows * p.dim, p.dim, p.rows, p.rows * p.dim, p.rows * p.dim],
  rmsnorm_dw: (p) => [p.rows * p.dim, p.rows, p.rows * p.dim, p.dim],
  rope: (p) => [p.rows * p.heads * p.headDim, 0, 0, p.rows],
  swiglu: (p) => [p.n, p.n, p.n],
  swiglu_grad: (p) => [p.n, p.n, p.n, p.n, p.n],
  attention: (p) => {
    const q = p.rows * p.heads * p.headDim;
    return [q, 0, 0, p.rows * 4, q, p.rows * p.heads * 2];
  },
  attention_delta: (p) => {
    const q = p.rows * p.heads * p.headDim;
    return [q, q, p.rows * p.heads * 2];
  },
  attention_dq: (p) => {
    const q = p.rows * p.heads * p.headDim;
    return [q, 0, 0, p.rows * 4, p.rows * p.heads * 2, q, q];
  },
  attention_dkv: (p) => {
    const q = p.rows * p.heads * p.headDim;
    const kv = p.rows * p.kvHeads * p.headDim;
    return [q, kv, kv, p.rows * p.heads * 2, q, p.rows, kv, kv];
  },
  logprob: (p) => [p.rows * p.vocab, p.rowOff + p.rows, (p.rowOff + p.rows) * 3],
  logprob_grad: (p) => [p.rows * p.vocab, p.rowOff + p.rows, (p.rowOff + p.rows) * 3, p.rowOff + p.rows],
  reverse_kl: (p) => {
    const stats = (p.rowOff + p.rows) * 3;
    return [p.rows * p.vocab, p.rows * p.vocab, stats, stats, p.rowOff + p.rows];
  },
  reverse_kl_grad: (p) => {
    const stats = (p.rowOff + p.rows) * 3;
    return [p.rows * p.vocab, p.rows * p.vocab, stats, stats, p.rowOff + p.rows, p.rowOff + p.rows];
  },
  sample: (p) => [p.rows * p.vocab, p.rows, 0, 0, 0, 0, p.rows, p.rows],
  knob_grad: (p) => [(p.rowOff + p.rows) * p.r, (p.rowOff + p.rows) * p.r, p.outOff + p.r],
  row_dot: (p) => [p.r * p.cols, p.r * p.cols, p.outOff + p.r],
  jacobi_round: (p) => [0, 0, (p.pairOff + p.count) * 2, p.pairOff + p.count],
  project: (p) => [0, 0, p.modules * 5, 0, 0, 0],
  adamw: (p) => [p.n, p.n, p.n, p.n],
  svd_gram: (p) => [p.n * p.stride, (p.pairOff + p.count) * 2, p.count * p.slices * 1024],
  svd_turn: (p) => [p.count * p.slices * 1024, p.count * 1024, (p.pairOff + p.count) * 3],
  svd_apply: (p) => [p.n * p.stride, p.count * 1024, (p.pairOff + p.count) * 2, (p.pairOff + p.count) * 3],
};

/** What checkCall looks at, worked out once per kernel: it runs before every call. */
interface Plan {
  readonly buffers: readonly BufferSpec[];
  readonly u32Params: readonly string[];
  readonly f32Params: readonly string[];
  readonly flags: readonly string[];
}

function planOf(kernel: KernelName): Plan {
  const params: Readonly<Record<string, ParamType>> = KERNELS[kernel].params;
  const names = Object.keys(params);
  return {
    buffers: KERNELS[kernel].buffers,
    u32Params: names.filter((name) => params[name] === 'u32'),
    f32Params: names.filter((name) => params[name] === 'f32'),
    flags: names.filter((name) => ['beta', 'ta', 'tb', 'add', 'inverse'].includes(name)),
  };
}

const PLANS = new Map((Object.keys(KERNELS) as KernelName[]).map((kernel) => [kernel, planOf(kernel)]));

/** Throws ShapeError, naming the numbers, unless count, dtypes, lengths and parameters fit the contract. */
export function checkCall<K extends KernelName>(
  kernel: K,
  buffers: readonly DeviceBuffer[],
  params: KernelParams<K>,
): void {
  const plan = PLANS.get(kernel)!;
  if (buffers.length !== plan.buffers.length)
    throw new ShapeError(
      `${kernel} takes ${plan.buffers.length} buffers, got ${buffers.length}.`,
      'See src/kernels/contract.ts for the binding order.',
    );
  checkParams(kernel, plan, params);
  const needed = EXTENTS[kernel](params);
  for (let i = 0; i < buffers.length; i++) {
    const buffer = buffers[i];
    const { name, dtype, access } = plan.buffers[i];
    if (buffer.dtype !== dtype)
      throw new ShapeError(
        `${kernel}: ${name} must be ${dtype}, but "${buffer.label}" is ${buffer.dtype}.`,
        'Pass the buffers in the contract’s order.',
      );
    if (buffer.length < needed[i])
      throw new ShapeError(
        `${kernel}: ${name} needs ${needed[i]} elements, but "${buffer.label}" has ${buffer.length} ` +
          `(${Object.entries(params)
            .map(([key, value]) => `${key} ${value}`)
            .join(', ')}).`,
        'Allocate the buffer for the largest shape it will hold.',
      );
    if (access !== 'r')
      for (let j = 0; j < buffers.length; j++)
        if (j !== i && buffers[j] === buffer)
          throw new ShapeError(
            `${kernel}: "${buffer.label}" is written as ${name} and bound again as ${plan.buffers[j].name}.`,
            'WebGPU refuses this aliasing; use a second buffer.',
          );
  }
}

function checkParams(kernel: KernelName, plan: Plan, p: Readonly<Record<string, number>>): void {
  for (const name of plan.u32Params)
    if (p[name] >>> 0 !== p[name])
      throw new ShapeError(
        `${kernel}: ${name} must be an unsigned 32-bit integer, got ${p[name]}.`,
        'See src/kernels/contract.ts for the parameters.',
      );
  for (const name of plan.f32Params)
    if (typeof p[name] !== 'number' || Number.isNaN(p[name]))
      throw new ShapeError(
        `${kernel}: ${name} must be a number, got ${p[name]}.`,
        'See src/kernels/contract.ts for the parameters.',
      );
  for (const name of plan.flags)
    if (p[name] > 1) throw new ShapeError(`${kernel}: ${name} must be 0 or 1, got ${p[name]}.`, 'Pass 0 or 1.');
  const remedy = 'Check the model shape that was given to the engine.';
  if (p.block === 0) throw new ShapeError(`${kernel}: a block of 0 elements.`, remedy);
  if (kernel === 'rope' && p.headDim % 2 !== 0)
    throw new ShapeError(`rope: headDim ${p.headDim} is odd, rotate-half needs pairs.`, remedy);
  if (p.stride !== undefined && p.m !== undefined && p.m > p.stride)
    throw new ShapeError(
      `${kernel}: vectors of ${p.m} numbers in rows of ${p.stride}.`,
      'Rows hold the vectors whole.',
    );
  if (p.slices === 0) throw new ShapeError(`${kernel}: 0 slices.`, 'Pass at least one.');
  if (p.kvHeads !== undefined && (p.kvHeads === 0 || p.heads % p.kvHeads !== 0))
    throw new ShapeError(`${kernel}: ${p.heads} query heads do not divide among ${p.kvHeads} key/value heads.`, remedy);
}
