// The SIMD kernels behind the contract: each kernel's buffers and parameters as a call of the module, and where it may be cut among
// threads. What is missing here, or refused (`false`: a shape that the lanes cannot take), runs as the reference kernel on the same memory.
import { uniformAt } from '../../rng/threefry.ts';
import type { KernelName } from '../contract.ts';
import { runCut } from './cut.ts';
import { F, MOVED, type SimdProgram } from './simd.ts';
import { SIMD_PRODUCTS } from './simd-products.ts';
import { SVD_PROGRAMS } from './simd-svd.ts';

// Costs (Cut.cost) of one element: an exponential.
const EXP = 12;

export const SIMD_PROGRAMS: { readonly [K in KernelName]?: SimdProgram<K> } = {
  ...SIMD_PRODUCTS,
  bias_add: (simd, [x, bias], { rows, cols }) => {
    const args = (from: number, count: number) => [x + from * cols * F, bias, count, cols];
    runCut(simd, 'biasAdd', { of: rows, cost: cols * MOVED, args });
    return true;
  },
  col_sum: (simd, [x, out], { rows, cols, beta }) => {
    const args = (from: number, count: number) => [x, out, rows, cols, beta, from, from + count];
    runCut(simd, 'colSum', { of: cols, unit: 16, cost: rows, args });
    return true;
  },
  scale_rows: (simd, [src, s, dst], { rows, cols, sOff }) => {
    const args = (from: number, count: number) => [
      ...[src + from * cols * F, s + (sOff + from) * F, dst + from * cols * F],
      ...[count, cols],
    ];
    runCut(simd, 'scaleRows', { of: rows, cost: cols * MOVED, args });
    return true;
  },
  add: (simd, [x, y], { n, xOff, yOff }) => {
    const args = (from: number, count: number) => [x + (xOff + from) * F, y + (yOff + from) * F, count];
    runCut(simd, 'add', { of: n, unit: 4, cost: MOVED, args });
    return true;
  },
  sumsq: ({ wasm }, [x, out], { n, off, outOff }) => {
    wasm.sumsq(x + off * F, out + outOff * F, n);
    return true;
  },
  gather_rows: (simd, [src, index, dst], { rows, dim }) => {
    const args = (from: number, count: number) => [src, index + from * F, dst + from * dim * F, count, dim];
    runCut(simd, 'gatherRows', { of: rows, cost: dim * MOVED, args });
    return true;
  },
  scatter_rows: (simd, [src, index, dst], { rows, dim, shift, add }) => {
    const args = (from: number, count: number) => [src + from * dim * F, index + from * F, dst, count, dim, shift, add];
    runCut(simd, 'scatterRows', { of: rows, cost: dim * MOVED, args });
    return true;
  },
  embed_grad: (simd, [dy, starts, order, dTable], { vocab, dim }, views) => {
    const rows = views()[2].length;
    const args = (from: number, count: number) => [dy, starts + from * F, order, dTable + from * dim * F, count, dim];
    runCut(simd, 'embedGrad', { of: vocab, cost: (rows / vocab) * dim * MOVED, args });
    return true;
  },
  unpack_f16: (simd, [src, dst], { n, srcOff }) => {
    const args = (from: number, count: number) => [src + (srcOff + from) * 2, dst + from * F, count];
    runCut(simd, 'unpackF16', { of: n, unit: 8, cost: MOVED, args });
    return true;
  },
  unpack_q8: (simd, [src, scale, dst], { n, srcOff, block }) => {
    const args = (from: number, count: number) => [src, scale, dst + from * F, count, srcOff + from, block];
    runCut(simd, 'unpackQ8', { of: n, unit: block, cost: MOVED, args });
    return true;
  },
  unpack_q8h: (simd, [src, scale, dst], { n, srcOff, block }) => {
    const args = (from: number, count: number) => [src, scale, dst + from * F, count, srcOff + from, block];
    runCut(simd, 'unpackQ8h', { of: n, unit: block, cost: MOVED, args });
    return true;
  },
  rmsnorm: (simd, [x, w, y, rstd], { rows, dim, eps }) => {
    const args = (from: number, count: number) => [
      ...[x + from * dim * F, w, y + from * dim * F, rstd + from * F],
      ...[count, dim, eps],
    ];
    runCut(simd, 'rmsnorm', { of: rows, cost: dim * MOVED, args });
    return true;
  },
  rmsnorm_dx: (simd, [x, w, rstd, dy, dx], { rows, dim, beta }) => {
    const args = (from: number, count: number) => [
      ...[x + from * dim * F, w, rstd + from * F, dy + from * dim * F, dx + from * dim * F],
      ...[count, dim, beta],
    ];
    runCut(simd, 'rmsnormDx', { of: rows, cost: dim * 2 * MOVED, args });
    return true;
  },
  rmsnorm_dw: (simd, [x, rstd, dy, dw], { rows, dim, beta }) => {
    const args = (from: number, count: number) => [x, rstd, dy, dw, rows, dim, beta, from, from + count];
    runCut(simd, 'rmsnormDw', { of: dim, unit: 16, cost: rows * 2, args });
    return true;
  },
  rope: (simd, [x, cos, sin, pos], { rows, heads, headDim, shift, inverse }) => {
    const wide = heads * headDim;
    const args = (from: number, count: number) => [
      ...[x + from * wide * F, cos, sin, pos + from * F],
      ...[count, heads, headDim, shift, inverse],
    ];
    runCut(simd, 'rope', { of: rows, cost: wide * MOVED, args });
    return true;
  },
  swiglu: (simd, [gate, up, out], { n }) => {
    const args = (from: number, count: number) => [gate + from * F, up + from * F, out + from * F, count];
    runCut(simd, 'swiglu', { of: n, unit: 4, cost: EXP, args });
    return true;
  },
  swiglu_grad: (simd, buffers, { n }) => {
    const args = (from: number, count: number) => [...buffers.map((at) => at + from * F), count];
    runCut(simd, 'swigluGrad', { of: n, unit: 4, cost: EXP + MOVED, args });
    return true;
  },
  attention: (simd, [q, k, v, ranges, o, stats], { rows, heads, kvHeads, headDim, grow }, views) => {
    if (headDim % 4 !== 0) return false;
    const { longest, total } = keysOf(views()[3], rows, grow);
    const wide = heads * headDim;
    const args = (from: number, count: number) => [
      ...[q + from * wide * F, k, v, ranges + from * 4 * F, o + from * wide * F, stats + from * heads * 2 * F],
      ...[count, heads, kvHeads, headDim, grow],
    ];
    const cost = (total / rows) * (2 * wide + heads * EXP);
    const scratch = simd.wasm.attentionScratch(longest, heads, headDim) >>> 0;
    runCut(simd, 'attention', { of: rows, unit: 4, cost, args, scratch });
    return true;
  },
  attention_delta: (simd, [dO, o, stats], { rows, heads, headDim }) => {
    if (headDim % 4 !== 0) return false;
    const wide = heads * headDim;
    const args = (from: number, count: number) => [
      ...[dO + from * wide * F, o + from * wide * F, stats + from * heads * 2 * F],
      ...[count, heads, headDim],
    ];
    runCut(simd, 'attentionDelta', { of: rows, cost: wide * MOVED, args });
    return true;
  },
  attention_dq: (simd, [q, k, v, ranges, stats, dO, dq], { rows, heads, kvHeads, headDim }, views) => {
    if (headDim % 4 !== 0) return false;
    const { longest, total } = keysOf(views()[3], rows, 0);
    const wide = heads * headDim;
    const args = (from: number, count: number) => [
      ...[q + from * wide * F, k, v, ranges + from * 4 * F, stats + from * heads * 2 * F],
      ...[dO + from * wide * F, dq + from * wide * F],
      ...[count, heads, kvHeads, headDim],
    ];
    const cost = (total / rows) * (3 * wide + heads * EXP);
    const scratch = simd.wasm.attentionDqScratch(longest, headDim) >>> 0;
    runCut(simd, 'attentionDq', { of: rows, unit: 4, cost, args, scratch });
    return true;
  },
  attention_dkv: (simd, [q, k, v, stats, dO, qEnd, dk, dv], { rows, heads, kvHeads, headDim }, views) => {
    if (headDim % 4 !== 0) return false;
    const total = queriesOf(views()[5], rows);
    const wide = heads * headDim * F;
    const kvWide = kvHeads * headDim * F;
    const args = (from: number, count: number) => [
      ...[q + from * wide, k + from * kvWide, v + from * kvWide, stats + from * heads * 2 * F],
      ...[dO + from * wide, qEnd + from * F, dk + from * kvWide, dv + from * kvWide],
      ...[count, heads, kvHeads, headDim, from],
    ];
    const cost = (total / rows) * heads * (4 * headDim + EXP);
    const scratch = simd.wasm.attentionDkvScratch(heads, kvHeads, headDim) >>> 0;
    runCut(simd, 'attentionDkv', { of: rows, unit: 4, cost, args, scratch });
    return true;
  },
  logprob: (simd, [logits, targets, stats], { rows, vocab, rowOff }) => {
    const args = (from: number, count: number) => [
      ...[logits + from * vocab * F, targets + (rowOff + from) * F, stats + (rowOff + from) * 3 * F],
      ...[count, vocab],
    ];
    runCut(simd, 'logprob', { of: rows, cost: vocab * EXP, args });
    return true;
  },
  logprob_grad: (simd, [logits, targets, stats, coef], { rows, vocab, rowOff }) => {
    const args = (from: number, count: number) => {
      const row = rowOff + from;
      return [logits + from * vocab * F, targets + row * F, stats + row * 3 * F, coef + row * F, count, vocab];
    };
    runCut(simd, 'logprobGrad', { of: rows, cost: vocab * EXP, args });
    return true;
  },
  reverse_kl: (simd, [logits, teacher, stats, teacherStats, kl], { rows, vocab, rowOff }) => {
    const args = (from: number, count: number) => {
      const row = rowOff + from;
      const [skip, at] = [row * 3 * F, from * vocab * F];
      return [logits + at, teacher + at, stats + skip, teacherStats + skip, kl + row * F, count, vocab];
    };
    runCut(simd, 'reverseKl', { of: rows, cost: 2 * vocab * EXP, args });
    return true;
  },
  reverse_kl_grad: (simd, [logits, teacher, stats, teacherStats, kl, coef], { rows, vocab, rowOff }) => {
    const args = (from: number, count: number) => {
      const row = rowOff + from;
      const [skip, at] = [row * 3 * F, from * vocab * F];
      return [
        ...[logits + at, teacher + at, stats + skip, teacherStats + skip, kl + row * F, coef + row * F],
        ...[count, vocab],
      ];
    };
    runCut(simd, 'reverseKlGrad', { of: rows, cost: 2 * vocab * EXP, args });
    return true;
  },
  sample: ({ wasm, heap }, at, { rows, vocab, t, maxNew, temperature, endA, endB, padToken }, views) => {
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
        if (token === endA || token === endB) done[slot] = 1;
      }
      tokens[to] = token;
      next[i] = token;
    }
    return true;
  },
  adapter_grad: (simd, [p, q, out], { rows, r, rowOff, outOff, beta }) => {
    const fixed = [p + rowOff * r * F, q + rowOff * r * F, out + outOff * F, rows, r, beta];
    const args = (from: number, count: number) => [...fixed, from, from + count];
    runCut(simd, 'adapterGrad', { of: r, unit: 16, cost: rows * 2, args });
    return true;
  },
  row_dot: (simd, [a, b, out], { r, cols, outOff, beta }) => {
    const args = (from: number, count: number) => [
      ...[a + from * cols * F, b + from * cols * F, out + (outOff + from) * F],
      ...[count, cols, beta],
    ];
    runCut(simd, 'rowDot', { of: r, cost: cols * 2, args });
    return true;
  },
  ...SVD_PROGRAMS,
  adamw: (simd, [p, g, m, v], { n, lr, beta1, beta2, eps, wd, bc1, bc2, gScale }) => {
    const args = (from: number, count: number) => [
      ...[p + from * F, g + from * F, m + from * F, v + from * F, count],
      ...[lr, beta1, 1 - beta1, beta2, 1 - beta2, eps, wd, bc1, bc2, gScale],
    ];
    runCut(simd, 'adamw', { of: n, unit: 4, cost: 4 * MOVED, args });
    return true;
  },
};

/** Keys that the rows attend: the most of one row, and of all. */
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

/** Query rows that attend the key rows, in all. */
function queriesOf(qEnd: Uint32Array, rows: number): number {
  let total = 0;
  for (let j = 0; j < rows; j++) total += Math.max(0, qEnd[j] - j);
  return total;
}
