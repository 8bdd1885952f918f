// The WebAssembly SIMD kernels behind the contract: instantiates the module (generated/simd.ts, sources in wasm/) and
// translates each kernel's buffers and parameters into its call. What is missing here, or refused (`false`: a shape
// that the lanes cannot take), runs as the plain twin on the same memory.
import { DeviceError } from '../../lib/errors.ts';
import { uniformAt } from '../../rng/threefry.ts';
import type { KernelName, KernelParams } from '../contract.ts';
import { SIMD_WASM } from './generated/simd.ts';
import { createMemory, WasmHeap } from './heap.ts';
import type { Views } from './twin.ts';

type Call = (...args: number[]) => number;
type ExportName =
  | 'adamw'
  | 'add'
  | 'attention'
  | 'attentionDelta'
  | 'attentionDkv'
  | 'attentionDkvScratch'
  | 'attentionDq'
  | 'attentionDqScratch'
  | 'attentionScratch'
  | 'biasAdd'
  | 'colSum'
  | 'embedGrad'
  | 'gatherRows'
  | 'heapBase'
  | 'jacobiRound'
  | 'knobGrad'
  | 'logprob'
  | 'logprobGrad'
  | 'matmul'
  | 'matmulScratch'
  | 'reverseKl'
  | 'reverseKlGrad'
  | 'rmsnorm'
  | 'rmsnormDw'
  | 'rmsnormDx'
  | 'rope'
  | 'rowDot'
  | 'sampleRow'
  | 'scaleRows'
  | 'scatterRows'
  | 'sumsq'
  | 'svdApply'
  | 'svdGram'
  | 'svdScratch'
  | 'svdTurn'
  | 'swiglu'
  | 'swigluGrad'
  | 'unpackF16'
  | 'unpackQ8'
  | 'unpackQ8h';

export interface Simd {
  wasm: Record<ExportName, Call>;
  heap: WasmHeap;
}

/** `heap.scratch` may detach every view: take scratch first, views after. */
export type SimdProgram<K extends KernelName> = (
  simd: Simd,
  /** Byte address of each buffer. */
  at: readonly number[],
  params: KernelParams<K>,
  views: () => Views<K>,
) => boolean;

let compiled: Promise<WebAssembly.Module> | undefined;

/** Compiles the module once, and gives each device its own memory. Throws DeviceError where there is no SIMD. */
export async function instantiateSimd(): Promise<Simd> {
  try {
    compiled ??= WebAssembly.compile(Uint8Array.from(atob(SIMD_WASM), (char) => char.charCodeAt(0)));
    const { memory, limit } = createMemory();
    const instance = await WebAssembly.instantiate(await compiled, { env: { memory } });
    const wasm = instance.exports as unknown as Record<ExportName, Call>;
    return { wasm, heap: new WasmHeap(memory, wasm.heapBase(), limit) };
  } catch (cause) {
    throw new DeviceError(
      `The WebAssembly SIMD kernels cannot run here: ${cause instanceof Error ? cause.message : cause}.`,
      'Use a current browser or Node, and allow wasm-unsafe-eval where a Content-Security-Policy is set.',
      { cause },
    );
  }
}

const F = 4; // bytes of an element

export const SIMD_PROGRAMS: { readonly [K in KernelName]?: SimdProgram<K> } = {
  matmul: ({ wasm, heap }, [a, b, c], { m, n, k, aOff, bOff, cOff, ta, tb, beta }) => {
    const scratch = heap.scratch(wasm.matmulScratch(m, n, k) >>> 0);
    wasm.matmul(a + aOff * F, b + bOff * F, c + cOff * F, m, n, k, ta, tb, beta, scratch);
    return true;
  },
  bias_add: ({ wasm }, [x, bias], { rows, cols }) => {
    wasm.biasAdd(x, bias, rows, cols);
    return true;
  },
  col_sum: ({ wasm }, [x, out], { rows, cols, beta }) => {
    wasm.colSum(x, out, rows, cols, beta);
    return true;
  },
  scale_rows: ({ wasm }, [src, s, dst], { rows, cols, sOff }) => {
    wasm.scaleRows(src, s + sOff * F, dst, rows, cols);
    return true;
  },
  add: ({ wasm }, [x, y], { n, xOff, yOff }) => {
    wasm.add(x + xOff * F, y + yOff * F, n);
    return true;
  },
  sumsq: ({ wasm }, [x, out], { n, off, outOff }) => {
    wasm.sumsq(x + off * F, out + outOff * F, n);
    return true;
  },
  gather_rows: ({ wasm }, [src, index, dst], { rows, dim }) => {
    wasm.gatherRows(src, index, dst, rows, dim);
    return true;
  },
  scatter_rows: ({ wasm }, [src, index, dst], { rows, dim, shift, add }) => {
    wasm.scatterRows(src, index, dst, rows, dim, shift, add);
    return true;
  },
  embed_grad: ({ wasm }, [dy, starts, order, dTable], { vocab, dim }) => {
    wasm.embedGrad(dy, starts, order, dTable, vocab, dim);
    return true;
  },
  unpack_f16: ({ wasm }, [src, dst], { n, srcOff }) => {
    wasm.unpackF16(src + srcOff * 2, dst, n);
    return true;
  },
  unpack_q8: ({ wasm }, [src, scale, dst], { n, srcOff, block }) => {
    wasm.unpackQ8(src, scale, dst, n, srcOff, block);
    return true;
  },
  unpack_q8h: ({ wasm }, [src, scale, dst], { n, srcOff, block }) => {
    wasm.unpackQ8h(src, scale, dst, n, srcOff, block);
    return true;
  },
  rmsnorm: ({ wasm }, [x, w, y, rstd], { rows, dim, eps }) => {
    wasm.rmsnorm(x, w, y, rstd, rows, dim, eps);
    return true;
  },
  rmsnorm_dx: ({ wasm }, [x, w, rstd, dy, dx], { rows, dim, beta }) => {
    wasm.rmsnormDx(x, w, rstd, dy, dx, rows, dim, beta);
    return true;
  },
  rmsnorm_dw: ({ wasm }, [x, rstd, dy, dw], { rows, dim, beta }) => {
    wasm.rmsnormDw(x, rstd, dy, dw, rows, dim, beta);
    return true;
  },
  rope: ({ wasm }, [x, cos, sin, pos], { rows, heads, headDim, shift, inverse }) => {
    wasm.rope(x, cos, sin, pos, rows, heads, headDim, shift, inverse);
    return true;
  },
  swiglu: ({ wasm }, [gate, up, out], { n }) => {
    wasm.swiglu(gate, up, out, n);
    return true;
  },
  swiglu_grad: ({ wasm }, [gate, up, dOut, dGate, dUp], { n }) => {
    wasm.swigluGrad(gate, up, dOut, dGate, dUp, n);
    return true;
  },
  attention: ({ wasm, heap }, [q, k, v, ranges, o, stats], { rows, heads, kvHeads, headDim, grow }, views) => {
    if (headDim % 4 !== 0) return false;
    const scratch = heap.scratch(wasm.attentionScratch(longestRow(views()[3], rows, grow), heads, headDim) >>> 0);
    wasm.attention(q, k, v, ranges, o, stats, rows, heads, kvHeads, headDim, grow, scratch);
    return true;
  },
  attention_delta: ({ wasm }, [dO, o, stats], { rows, heads, headDim }) => {
    if (headDim % 4 !== 0) return false;
    wasm.attentionDelta(dO, o, stats, rows, heads, headDim);
    return true;
  },
  attention_dq: ({ wasm, heap }, [q, k, v, ranges, stats, dO, dq], { rows, heads, kvHeads, headDim }, views) => {
    if (headDim % 4 !== 0) return false;
    const scratch = heap.scratch(wasm.attentionDqScratch(longestRow(views()[3], rows, 0), headDim) >>> 0);
    wasm.attentionDq(q, k, v, ranges, stats, dO, dq, rows, heads, kvHeads, headDim, scratch);
    return true;
  },
  attention_dkv: ({ wasm, heap }, [q, k, v, stats, dO, qEnd, dk, dv], { rows, heads, kvHeads, headDim }) => {
    if (headDim % 4 !== 0) return false;
    const scratch = heap.scratch(wasm.attentionDkvScratch(heads, kvHeads, headDim) >>> 0);
    wasm.attentionDkv(q, k, v, stats, dO, qEnd, dk, dv, rows, heads, kvHeads, headDim, 0, scratch);
    return true;
  },
  logprob: ({ wasm }, [logits, targets, stats], { rows, vocab, rowOff }) => {
    wasm.logprob(logits, targets + rowOff * F, stats + rowOff * 3 * F, rows, vocab);
    return true;
  },
  logprob_grad: ({ wasm }, [logits, targets, stats, coef], { rows, vocab, rowOff }) => {
    wasm.logprobGrad(logits, targets + rowOff * F, stats + rowOff * 3 * F, coef + rowOff * F, rows, vocab);
    return true;
  },
  reverse_kl: ({ wasm }, [logits, teacher, stats, teacherStats, kl], { rows, vocab, rowOff }) => {
    const skip = rowOff * 3 * F;
    wasm.reverseKl(logits, teacher, stats + skip, teacherStats + skip, kl + rowOff * F, rows, vocab);
    return true;
  },
  reverse_kl_grad: ({ wasm }, [logits, teacher, stats, teacherStats, kl, coef], { rows, vocab, rowOff }) => {
    const skip = rowOff * 3 * F;
    const row = rowOff * F;
    wasm.reverseKlGrad(logits, teacher, stats + skip, teacherStats + skip, kl + row, coef + row, rows, vocab);
    return true;
  },
  sample: ({ wasm, heap }, at, { rows, vocab, t, maxNew, temperature, endA, endB, padToken }, views) => {
    const scratch = heap.scratch((vocab + 4) * F);
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
        if (token === endA || token === endB) done[slot] = 1;
      }
      tokens[to] = token;
      next[i] = token;
    }
    return true;
  },
  knob_grad: ({ wasm }, [p, q, out], { rows, r, rowOff, outOff, beta }) => {
    wasm.knobGrad(p + rowOff * r * F, q + rowOff * r * F, out + outOff * F, rows, r, beta);
    return true;
  },
  row_dot: ({ wasm }, [a, b, out], { r, cols, outOff, beta }) => {
    wasm.rowDot(a, b, out + outOff * F, r, cols, beta);
    return true;
  },
  jacobi_round: ({ wasm }, [a, v, pairs, off], { m, nv, count, pairOff, tol }) => {
    wasm.jacobiRound(a, v, pairs + pairOff * 2 * F, off + pairOff * F, m, nv, count, tol);
    return true;
  },
  svd_gram: ({ wasm, heap }, [x, pairs, gram], { n, m, stride, slices, count, pairOff }) => {
    wasm.svdGram(x, pairs + pairOff * 2 * F, gram, n, m, stride, slices, count, heap.scratch(wasm.svdScratch() >>> 0));
    return true;
  },
  svd_turn: ({ wasm, heap }, [gram, q, report], { slices, sweeps, count, pairOff, tol, floor }) => {
    const scratch = heap.scratch(wasm.svdScratch() >>> 0);
    wasm.svdTurn(gram, q, report + pairOff * 3 * F, slices, sweeps, count, tol, floor, scratch);
    return true;
  },
  svd_apply: ({ wasm, heap }, [x, q, pairs, report], { n, stride, count, pairOff }) => {
    const scratch = heap.scratch(wasm.svdScratch() >>> 0);
    wasm.svdApply(x, q, pairs + pairOff * 2 * F, report + pairOff * 3 * F, n, stride, count, scratch);
    return true;
  },
  adamw: ({ wasm }, [p, g, m, v], { n, lr, beta1, beta2, eps, wd, bc1, bc2, gScale }) => {
    wasm.adamw(p, g, m, v, n, lr, beta1, 1 - beta1, beta2, 1 - beta2, eps, wd, bc1, bc2, gScale);
    return true;
  },
};

function longestRow(ranges: Uint32Array, rows: number, grow: number): number {
  let longest = 0;
  for (let i = 0; i < rows; i++)
    longest = Math.max(longest, ranges[i * 4 + 1] - ranges[i * 4] + ranges[i * 4 + 3] + grow - ranges[i * 4 + 2]);
  return longest;
}
