// Maps each kernel's buffers and parameters to a call of the WebAssembly function of the same name, and says how the call can be split
// among threads. A kernel that is missing here, or returns `false` for a shape that SIMD does not support, runs as the reference kernel on
// the same memory. late-programs.ts has the kernels of linear layers.
import { uniformAt } from '../../rng/threefry.ts';
import { camelCase, KERNEL_NAMES, type KernelName, type KernelParams } from '../contract.ts';
import { type Cut, runCut } from './cut.ts';
import type { ExportName } from './generated/simd.ts';
import { FEW_ROWS } from './panels.ts';
import type { Views } from './reference.ts';
import type { Simd } from './simd.ts';

/** Returns the call and its split, true if all work is done already, or false if SIMD does not support the shape. `heap.scratch` may
 *  detach every view, so views must be created after it. */
export type SimdProgram<K extends KernelName> = (
  /** Byte address of each buffer. */
  at: readonly number[],
  params: KernelParams<K>,
  simd: Simd,
  views: () => Views<K>,
) => Cut | boolean;

/** Bytes of an element. */
export const F = 4;
// Costs (Cut.cost) of reading and writing an element, and of an exponential.
export const MOVED = 3;
export const EXP = 12;
/** Elements of the 32 × 32 matrix of a pair of blocks. */
const SVD_SQUARE = 32 * 32;

export const cut = (of: number, cost: number, args: Cut['args'], more: Pick<Cut, 'unit' | 'scratch'> = {}): Cut => ({
  of,
  cost,
  args,
  ...more,
});

/** Unpacks elements that share a scale per block; split between blocks. */
function unpackScaled([src, scale, dst]: readonly number[], { n, srcOff, block }: KernelParams<'unpack_q8'>): Cut {
  return cut(n, MOVED, [src, scale, [dst, F], 'count', [srcOff, 1], block], { unit: block });
}

const scaledProduct =
  (unpack: 'unpackQ8h' | 'unpackQ4h'): SimdProgram<'matmul_q8h'> =>
  ([a, b, scale, c], { m, n, k, aOff, bOff, cOff, beta, block }, simd) =>
    unpackedFirst(simd, [a + aOff * F, c + cOff * F, m, n, k, beta], unpack, (whole) =>
      unpackScaled([b, scale, whole], { n: n * k, srcOff: bOff, block }),
    );

/** `scratchOf`: bytes of scratch if a row has at most `longest` keys. */
const attending =
  (scratchOf: (wasm: Simd['wasm'], longest: number, p: KernelParams<'attention'>) => number) =>
  (
    [q, k, v, ranges, o, stats]: readonly number[],
    p: KernelParams<'attention'>,
    { wasm }: Simd,
    views: () => readonly [unknown, unknown, unknown, Uint32Array, ...unknown[]],
  ): Cut | boolean => {
    const { rows, heads, kvHeads, headDim, grow } = p;
    if (headDim % 4 !== 0) return false;
    const { longest, total } = keysOf(views()[3], rows, grow);
    const wide = heads * headDim;
    const pointers = [[q, wide * F], k, v, [ranges, 4 * F], [o, wide * F], [stats, heads * 2 * F]] as const;
    const args = [...pointers, 'count', heads, kvHeads, headDim, grow] as const;
    const scratch = scratchOf(wasm, longest, p) >>> 0;
    return cut(rows, (total / rows) * (2 * wide + heads * EXP), args, { unit: 4, scratch });
  };

export type SimdPrograms = { readonly [K in KernelName]?: SimdProgram<K> };

export const SIMD_PROGRAMS: SimdPrograms = {
  matmul: ([a, b, c], { m, n, k, aOff, bOff, cOff, ta, tb, beta }, simd) => {
    const panels = m <= FEW_ROWS && tb === 1 && bOff === 0 ? simd.panels.of(b, n, k) : 0;
    return product(simd, [a + aOff * F, b + bOff * F, c + cOff * F, m, n, k, ta, tb, beta], panels);
  },
  // The engine does not call this on the CPU, where it unpacks first, since panels are packed from f32 anyway.
  matmul_f16: ([a, b, c], { m, n, k, aOff, bOff, cOff, beta }, simd) =>
    unpackedFirst(simd, [a + aOff * F, c + cOff * F, m, n, k, beta], 'unpackF16', (whole) =>
      cut(n * k, MOVED, [[b + bOff * 2, 2], [whole, F], 'count'], { unit: 8 }),
    ),
  matmul_q8h: scaledProduct('unpackQ8h'),
  matmul_q4h: scaledProduct('unpackQ4h'),
  bias_add: ([x, bias], { rows, cols }) => cut(rows, cols * MOVED, [[x, cols * F], bias, 'count', cols]),
  col_sum: ([x, out], { rows, cols, beta }) => cut(cols, rows, [x, out, rows, cols, beta, 'from', 'end'], { unit: 16 }),
  scale_rows: ([src, s, dst], { rows, cols, sOff }) =>
    cut(rows, cols * MOVED, [[src, cols * F], [s + sOff * F, F], [dst, cols * F], 'count', cols]),
  add: ([x, y], { n, xOff, yOff }) => cut(n, MOVED, [[x + xOff * F, F], [y + yOff * F, F], 'count'], { unit: 4 }),
  sumsq: ([x, out], { n, off, outOff }) => cut(1, n, [x + off * F, out + outOff * F, n]),
  gather_rows: ([src, index, dst], { rows, dim }) =>
    cut(rows, dim * MOVED, [src, [index, F], [dst, dim * F], 'count', dim]),
  scatter_rows: ([src, index, dst], { rows, dim, shift, add }) =>
    cut(rows, dim * MOVED, [[src, dim * F], [index, F], dst, 'count', dim, shift, add]),
  embed_grad: ([dy, starts, order, dTable], { vocab, dim }, _, views) => {
    const rows = views()[2].length;
    return cut(vocab, (rows / vocab) * dim * MOVED, [dy, [starts, F], order, [dTable, dim * F], 'count', dim]);
  },
  unpack_f16: ([src, dst], { n, srcOff }) => cut(n, MOVED, [[src + srcOff * 2, 2], [dst, F], 'count'], { unit: 8 }),
  unpack_q8: unpackScaled,
  unpack_q8h: unpackScaled,
  unpack_q4h: unpackScaled,
  rmsnorm: ([x, w, y, rstd], { rows, dim, eps }) =>
    cut(rows, dim * MOVED, [[x, dim * F], w, [y, dim * F], [rstd, F], 'count', dim, eps]),
  rmsnorm_dx: ([x, w, rstd, dy, dx], { rows, dim, beta }) => {
    const wide = dim * F;
    return cut(rows, dim * 2 * MOVED, [[x, wide], w, [rstd, F], [dy, wide], [dx, wide], 'count', dim, beta]);
  },
  rmsnorm_dw: ([x, rstd, dy, dw], { rows, dim, beta }) =>
    cut(dim, rows * 2, [x, rstd, dy, dw, rows, dim, beta, 'from', 'end'], { unit: 16 }),
  rope: ([x, cos, sin, pos], { rows, heads, headDim, shift, inverse, rest }) => {
    const wide = heads * (headDim + rest);
    return cut(rows, wide * MOVED, [[x, wide * F], cos, sin, [pos, F], 'count', heads, headDim, shift, inverse, rest]);
  },
  swiglu: ([gate, up, out], { n, upOff }) =>
    cut(n, EXP, [[gate, F], [up + upOff * F, F], [out, F], 'count'], { unit: 4 }),
  swiglu_grad: (buffers, { n }) =>
    cut(n, EXP + MOVED, [...buffers.map((at) => [at, F] as const), 'count'], { unit: 4 }),
  sigmoid_gate: (buffers, { n }) => cut(n, EXP, [...buffers.map((at) => [at, F] as const), 'count'], { unit: 4 }),
  sigmoid_gate_grad: (buffers, { n }) =>
    cut(n, EXP + MOVED, [...buffers.map((at) => [at, F] as const), 'count'], { unit: 4 }),
  attention: attending(({ attentionScratch }, longest, { heads, headDim }) =>
    attentionScratch(longest, heads, headDim),
  ),
  attention_f16: attending(({ attentionF16Scratch }, longest, { heads, kvHeads, headDim }) =>
    attentionF16Scratch(longest, heads, kvHeads, headDim),
  ),
  attention_delta: ([dO, o, stats], { rows, heads, headDim }) => {
    if (headDim % 4 !== 0) return false;
    const wide = heads * headDim;
    const pointers = [
      [dO, wide * F],
      [o, wide * F],
      [stats, heads * 2 * F],
    ] as const;
    return cut(rows, wide * MOVED, [...pointers, 'count', heads, headDim]);
  },
  attention_dq: ([q, k, v, ranges, stats, dO, dq], { rows, heads, kvHeads, headDim }, { wasm }, views) => {
    if (headDim % 4 !== 0) return false;
    const { longest, total } = keysOf(views()[3], rows, 0);
    const wide = heads * headDim;
    const given = [[q, wide * F], k, v, [ranges, 4 * F], [stats, heads * 2 * F], [dO, wide * F]] as const;
    const args = [...given, [dq, wide * F], 'count', heads, kvHeads, headDim] as const;
    const scratch = wasm.attentionDqScratch(longest, headDim) >>> 0;
    return cut(rows, (total / rows) * (3 * wide + heads * EXP), args, { unit: 4, scratch });
  },
  attention_dkv: ([q, k, v, stats, dO, qEnd, dk, dv], { rows, heads, kvHeads, headDim }, { wasm }, views) => {
    if (headDim % 4 !== 0) return false;
    const total = queriesOf(views()[5], rows);
    const wide = heads * headDim * F;
    const kvWide = kvHeads * headDim * F;
    const given = [
      [q, wide],
      [k, kvWide],
      [v, kvWide],
      [stats, heads * 2 * F],
      [dO, wide],
      [qEnd, F],
    ] as const;
    const args = [...given, [dk, kvWide], [dv, kvWide], 'count', heads, kvHeads, headDim, 'from'] as const;
    const scratch = wasm.attentionDkvScratch(heads, kvHeads, headDim) >>> 0;
    return cut(rows, (total / rows) * heads * (4 * headDim + EXP), args, { unit: 4, scratch });
  },
  logprob: (at, { rows, vocab, rowOff }) =>
    cut(rows, vocab * EXP, [...targetPointers(at, vocab, rowOff), 'count', vocab]),
  logprob_grad: (at, { rows, vocab, rowOff }) =>
    cut(rows, vocab * EXP, [...targetPointers(at, vocab, rowOff), 'count', vocab]),
  logprob_entropy_grad: (at, { rows, vocab, rowOff }) =>
    cut(rows, vocab * EXP, [...targetPointers(at, vocab, rowOff), 'count', vocab]),
  reverse_kl: (at, { rows, vocab, rowOff }) =>
    cut(rows, 2 * vocab * EXP, [...divergencePointers(at, vocab, rowOff), 'count', vocab]),
  reverse_kl_grad: (at, { rows, vocab, rowOff }) =>
    cut(rows, 2 * vocab * EXP, [...divergencePointers(at, vocab, rowOff), 'count', vocab]),
  sample: (at, { rows, vocab, t, maxNew, temperature, endA, endB, padToken, ends, endsAt }, { wasm, heap }, views) => {
    const scratch = heap.scratch(wasm.sampleScratch(vocab) >>> 0);
    const [, slots, keys, done, tokens, logps, next, starts] = views();
    for (let i = 0; i < rows; i++) {
      const slot = slots[i];
      const n = starts[i] + t;
      const to = slot * maxNew + n;
      let token = padToken;
      if (done[slot]) {
        logps[to] = 0;
      } else {
        const u = uniformAt([keys[slot * 2], keys[slot * 2 + 1]], n);
        token = wasm.sampleRow(at[0] + i * vocab * F, vocab, temperature, u, at[5] + to * F, scratch);
        if (token === endA || token === endB || keys.subarray(endsAt, endsAt + ends).includes(token)) done[slot] = 1;
      }
      tokens[to] = token;
      next[i] = token;
    }
    return true;
  },
  adapter_grad: ([p, q, out], { rows, r, rowOff, outOff, beta }) => {
    const skip = rowOff * r * F;
    return cut(r, rows * 2, [p + skip, q + skip, out + outOff * F, rows, r, beta, 'from', 'end'], { unit: 16 });
  },
  row_dot: ([a, b, out], { r, cols, outOff, beta }) =>
    cut(r, cols * 2, [[a, cols * F], [b, cols * F], [out + outOff * F, F], 'count', cols, beta]),
  jacobi_round: ([a, v, pairs, off], { m, nv, count, pairOff, tol }) => {
    const pointers = [a, v, [pairs + pairOff * 2 * F, 2 * F], [off + pairOff * F, F]] as const;
    return cut(count, (m + nv) * MOVED, [...pointers, m, nv, 'count', tol]);
  },
  svd_gram: ([x, pairs, gram], { n, m, stride, slices, count, pairOff }, { wasm }) => {
    const pointers = [x, [pairs + pairOff * 2 * F, 2 * F], [gram, slices * SVD_SQUARE * F]] as const;
    const scratch = wasm.svdScratch() >>> 0;
    return cut(count, m * SVD_SQUARE, [...pointers, n, m, stride, slices, 'count'], { scratch });
  },
  svd_turn: ([gram, q, report], { slices, sweeps, count, pairOff, tol, floor }, { wasm }) => {
    const squares = [
      [gram, slices * SVD_SQUARE * F],
      [q, SVD_SQUARE * F],
    ] as const;
    const args = [...squares, [report + pairOff * 3 * F, 3 * F], slices, sweeps, 'count', tol, floor] as const;
    return cut(count, sweeps * 32 * SVD_SQUARE, args, { scratch: wasm.svdScratch() >>> 0 });
  },
  svd_apply: ([x, q, pairs, report], { n, stride, count, pairOff }, { wasm }) => {
    const ofPair = [
      [pairs + pairOff * 2 * F, 2 * F],
      [report + pairOff * 3 * F, 3 * F],
    ] as const;
    const args = [x, [q, SVD_SQUARE * F], ...ofPair, n, stride, 'count'] as const;
    return cut(count, stride * SVD_SQUARE, args, { scratch: wasm.svdScratch() >>> 0 });
  },
  adamw: (buffers, { n, lr, beta1, beta2, eps, wd, bc1, bc2, gScale }) => {
    const rates = [lr, beta1, 1 - beta1, beta2, 1 - beta2, eps, wd, bc1, bc2, gScale];
    return cut(n, 4 * MOVED, [...buffers.map((at) => [at, F] as const), 'count', ...rates], { unit: 4 });
  },
};

/** C = op(A) op(B) + beta·C. `of`: addresses of A, B and C, m, n, k, ta, tb and beta, in the function's order. `panels`: address of the
 *  packed B, or 0. */
function product(simd: Simd, of: readonly number[], panels: number): Cut {
  const [, , , m, n, k] = of;
  // Every piece packs all of the operand that is not split, so the smaller one is not split.
  const byRows = m > n;
  return {
    ...(byRows ? { of: m, unit: 4, cost: n * k } : { of: n, unit: 8, cost: m * k }),
    args: [...of, ...(byRows ? (['from', 'end', 0, n] as const) : ([0, m, 'from', 'end'] as const)), panels],
    scratch: simd.wasm.matmulScratch(m, n, k) >>> 0,
    each: 1,
  };
}

/** Unpacks a matrix [n, k] into temporary memory and computes its product [m, n] with a. */
function unpackedFirst(
  simd: Simd,
  [a, c, m, n, k, beta]: number[],
  unpack: ExportName,
  into: (to: number) => Cut,
): boolean {
  const whole = simd.heap.allocate(n * k * F);
  try {
    runCut(simd, unpack, into(whole));
    runCut(simd, 'matmul', product(simd, [a, whole, c, m, n, k, 0, 1, beta], 0));
  } finally {
    simd.heap.release(whole);
  }
  return true;
}

/** Number of keys to which rows attend: the maximum of a row, and the total. */
function keysOf(ranges: Uint32Array, rows: number, grow: number): { longest: number; total: number } {
  let longest = 0;
  let total = 0;
  for (let i = 0; i < rows; i++) {
    const keys = ranges[i * 4 + 1] - ranges[i * 4] + ranges[i * 4 + 3] + grow - ranges[i * 4 + 2];
    longest = Math.max(longest, keys);
    total += keys;
  }
  return { longest, total };
}

/** Total number of (query row, key row) pairs. */
function queriesOf(qEnd: Uint32Array, rows: number): number {
  let total = 0;
  for (let j = 0; j < rows; j++) total += Math.max(0, qEnd[j] - j);
  return total;
}

/** Pointers (with steps per row) of logits, targets, stats, and buffers with one number per row. */
function targetPointers(at: readonly number[], vocab: number, rowOff: number) {
  const [logits, targets, stats, ...numbers] = at;
  return [
    [logits, vocab * F] as const,
    [targets + rowOff * F, F] as const,
    [stats + rowOff * 3 * F, 3 * F] as const,
    ...numbers.map((first) => [first + rowOff * F, F] as const),
  ];
}

/** Pointers (with steps per row) of student's and teacher's logits and stats, and of buffers with one number per row. */
function divergencePointers(at: readonly number[], vocab: number, rowOff: number) {
  const [logits, teacher, stats, teacherStats, ...numbers] = at;
  return [
    ...[logits, teacher].map((first) => [first, vocab * F] as const),
    ...[stats, teacherStats].map((first) => [first + rowOff * 3 * F, 3 * F] as const),
    ...numbers.map((first) => [first + rowOff * F, F] as const),
  ];
}

const NAMES = Object.fromEntries(KERNEL_NAMES.map((kernel) => [kernel, camelCase(kernel)])) as Record<
  KernelName,
  ExportName
>;

/** Runs a kernel with SIMD. Returns false if the reference kernel must run instead. */
export function runSimd<K extends KernelName>(
  programs: SimdPrograms,
  kernel: K,
  simd: Simd,
  at: readonly number[],
  params: KernelParams<K>,
  views: () => Views<K>,
): boolean {
  const program = programs[kernel] as SimdProgram<K> | undefined;
  const made = program?.(at, params, simd, views) ?? false;
  if (typeof made === 'boolean') return made;
  runCut(simd, NAMES[kernel], made);
  return true;
}
