// AssemblyScript kernel: C = op(A) op(B) + beta·C in f32. op(A) is packed into panels of 4 rows ([k][4]) and op(B) into
// panels of 8 columns ([k][8]), so that one 4 × 8 tile of C stays in eight v128 registers over all k. Each element
// has a single accumulator over ascending k, so a row's result does not depend on the number of rows.
import { fma4 } from './fma';
import { FEWEST_ROWS, fewRows, fewScratch, MOST_ROWS, storeSpare } from './matmul-few';
import { packA, packB } from './matmul-pack';

/** Bytes packed at a time: rows of op(A) that fit the L2 cache, columns of op(B) that fit the L3 cache. */
const BLOCK_A_BYTES: i32 = 262144;
const BLOCK_B_BYTES: i32 = 4194304;

function blockRows(m: i32, k: i32): i32 {
  return min(max((BLOCK_A_BYTES / (k * 4 + 4)) & ~3, 32), (m + 3) & ~3);
}

function blockCols(n: i32, k: i32): i32 {
  return min(max((BLOCK_B_BYTES / (k * 4 + 4)) & ~7, 64), (n + 7) & ~7);
}

/** Bytes of scratch of `matmul`: a block of packed B, a block of packed A, and a temporary tile; or fewScratch if that is larger. */
export function matmulScratch(m: i32, n: i32, k: i32): usize {
  const packed = (<usize>blockCols(n, k) * k + <usize>blockRows(m, k) * k + 32) * 4;
  return m <= MOST_ROWS ? max(packed, fewScratch(m, k)) : packed;
}

/** One 4 × 8 tile: c[4][8] (row stride ldc bytes) = Σ_k a[k][4]·b[k][8] (+ c when beta). */
export function tile(a: usize, b: usize, k: i32, c: usize, ldc: usize, beta: i32): void {
  let c00 = f32x4.splat(0);
  let c01 = c00;
  let c10 = c00;
  let c11 = c00;
  let c20 = c00;
  let c21 = c00;
  let c30 = c00;
  let c31 = c00;
  const end = b + <usize>k * 32;
  while (b < end) {
    const b0 = v128.load(b);
    const b1 = v128.load(b, 16);
    let x = v128.load32_splat(a);
    c00 = fma4(x, b0, c00);
    c01 = fma4(x, b1, c01);
    x = v128.load32_splat(a, 4);
    c10 = fma4(x, b0, c10);
    c11 = fma4(x, b1, c11);
    x = v128.load32_splat(a, 8);
    c20 = fma4(x, b0, c20);
    c21 = fma4(x, b1, c21);
    x = v128.load32_splat(a, 12);
    c30 = fma4(x, b0, c30);
    c31 = fma4(x, b1, c31);
    a += 16;
    b += 32;
  }
  const r1 = c + ldc;
  const r2 = r1 + ldc;
  const r3 = r2 + ldc;
  if (beta) {
    c00 = f32x4.add(c00, v128.load(c));
    c01 = f32x4.add(c01, v128.load(c, 16));
    c10 = f32x4.add(c10, v128.load(r1));
    c11 = f32x4.add(c11, v128.load(r1, 16));
    c20 = f32x4.add(c20, v128.load(r2));
    c21 = f32x4.add(c21, v128.load(r2, 16));
    c30 = f32x4.add(c30, v128.load(r3));
    c31 = f32x4.add(c31, v128.load(r3, 16));
  }
  v128.store(c, c00);
  v128.store(c, c01, 16);
  v128.store(r1, c10);
  v128.store(r1, c11, 16);
  v128.store(r2, c20);
  v128.store(r2, c21, 16);
  v128.store(r3, c30);
  v128.store(r3, c31, 16);
}

/** Computes rows [top, bottom) and columns [left, right) of C; top is a multiple of 4 and left of 8. Pointers are to the whole matrices;
 *  scratch has matmulScratch(m, n, k) bytes. `panels`: output of packPanels for b, or 0. */
export function matmul(
  a: usize,
  b: usize,
  c: usize,
  m: i32,
  n: i32,
  k: i32,
  ta: i32,
  tb: i32,
  beta: i32,
  top: i32,
  bottom: i32,
  left: i32,
  right: i32,
  panels: usize,
  scratch: usize,
): void {
  if (m >= FEWEST_ROWS && m <= MOST_ROWS && tb && !ta && !panels) {
    fewRows(a + <usize>top * k * 4, b, c + <usize>top * n * 4, bottom - top, n, k, beta, left, right, scratch);
    return;
  }
  const mc = blockRows(m, k);
  const nc = blockCols(n, k);
  const packedB = scratch;
  const packedA = packedB + <usize>nc * k * 4;
  const spare = packedA + <usize>mc * k * 4;
  const panelA = <usize>k * 16;
  const panelB = <usize>k * 32;
  const ldc = <usize>n * 4;
  for (let j0 = left; j0 < right; j0 += nc) {
    const columns = min(nc, right - j0);
    const ready = panels ? panels + <usize>(j0 >> 3) * panelB : packedB;
    if (!panels) for (let j = 0; j < columns; j += 8) packB(packedB + <usize>(j >> 3) * panelB, b, j0 + j, n, k, tb);
    for (let i0 = top; i0 < bottom; i0 += mc) {
      const rows = min(mc, bottom - i0);
      for (let i = 0; i < rows; i += 4) packA(packedA + <usize>(i >> 2) * panelA, a, i0 + i, m, k, ta);
      for (let j = 0; j < columns; j += 8) {
        const bAt = ready + <usize>(j >> 3) * panelB;
        const wide = min(8, columns - j);
        for (let i = 0; i < rows; i += 4) {
          const aAt = packedA + <usize>(i >> 2) * panelA;
          const to = c + <usize>(i0 + i) * ldc + <usize>(j0 + j) * 4;
          const high = min(4, rows - i);
          if (wide == 8 && high == 4) {
            tile(aAt, bAt, k, to, ldc, beta);
          } else {
            tile(aAt, bAt, k, spare, 32, 0);
            storeSpare(spare, to, ldc, high, wide, beta);
          }
        }
      }
    }
  }
}
