// The SIMD kernels that singular vectors are made with (kernels/svd.ts): rotations of pairs of rows, and of pairs of blocks.
import type { KernelName } from '../contract.ts';
import { runCut } from './cut.ts';
import { F, MOVED, type SimdProgram } from './simd.ts';

/** A pair of blocks has 32 rows. */
const SVD_SQUARE = 32 * 32;

export const SVD_PROGRAMS: { readonly [K in KernelName]?: SimdProgram<K> } = {
  jacobi_round: (simd, [a, v, pairs, off], { m, nv, count: of, pairOff, tol }) => {
    const args = (from: number, count: number) => [
      ...[a, v, pairs + (pairOff + from) * 2 * F, off + (pairOff + from) * F],
      ...[m, nv, count, tol],
    ];
    runCut(simd, 'jacobiRound', { of, cost: (m + nv) * MOVED, args });
    return true;
  },
  svd_gram: (simd, [x, pairs, gram], { n, m, stride, slices, count: of, pairOff }) => {
    const args = (from: number, count: number) => [
      ...[x, pairs + (pairOff + from) * 2 * F, gram + from * slices * SVD_SQUARE * F],
      ...[n, m, stride, slices, count],
    ];
    const scratch = simd.wasm.svdScratch() >>> 0;
    runCut(simd, 'svdGram', { of, cost: m * SVD_SQUARE, args, scratch });
    return true;
  },
  svd_turn: (simd, [gram, q, report], { slices, sweeps, count: of, pairOff, tol, floor }) => {
    const args = (from: number, count: number) => [
      ...[gram + from * slices * SVD_SQUARE * F, q + from * SVD_SQUARE * F, report + (pairOff + from) * 3 * F],
      ...[slices, sweeps, count, tol, floor],
    ];
    const scratch = simd.wasm.svdScratch() >>> 0;
    runCut(simd, 'svdTurn', { of, cost: sweeps * 32 * SVD_SQUARE, args, scratch });
    return true;
  },
  svd_apply: (simd, [x, q, pairs, report], { n, stride, count: of, pairOff }) => {
    const args = (from: number, count: number) => [
      ...[x, q + from * SVD_SQUARE * F, pairs + (pairOff + from) * 2 * F, report + (pairOff + from) * 3 * F],
      ...[n, stride, count],
    ];
    const scratch = simd.wasm.svdScratch() >>> 0;
    runCut(simd, 'svdApply', { of, cost: stride * SVD_SQUARE, args, scratch });
    return true;
  },
};
