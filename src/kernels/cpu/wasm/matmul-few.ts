// AssemblyScript kernel: C = A Bᵀ with few rows of A (decoding). Packing B would cost as much as the product, so B is read as stored, four
// rows at a time, and the rows of A are packed instead, eight to a panel. Each element has the same bits as from matmul.ts: one
// accumulator over ascending k.
import { fma4 } from './fma';
import { packPanels } from './matmul-pack';

/** With fewer rows, most of a panel's lanes would be empty. */
export const FEWEST_ROWS: i32 = 3;
/** With more rows, packing the matrix is faster. */
export const MOST_ROWS: i32 = 16;

/** Bytes of scratch: the panels of m rows, and a temporary tile. */
export function fewScratch(m: i32, k: i32): usize {
  return <usize>((m + 7) >> 3) * k * 32 + 256;
}

/** Columns [left, right) of C = A Bᵀ + beta·C, with m rows. */
export function fewRows(
  a: usize,
  b: usize,
  c: usize,
  m: i32,
  n: i32,
  k: i32,
  beta: i32,
  left: i32,
  right: i32,
  scratch: usize,
): void {
  const panel = <usize>k * 32;
  const stride = <usize>k * 4;
  const ldc = <usize>n * 4;
  const spare = scratch + <usize>((m + 7) >> 3) * panel;
  packPanels(a, scratch, m, k, 1);
  for (let j = left; j < right; j += 4) {
    const wide = min(4, right - j);
    const from = b + <usize>j * stride;
    // Missing columns repeat the last one.
    const b1 = from + <usize>min(1, wide - 1) * stride;
    const b2 = from + <usize>min(2, wide - 1) * stride;
    const b3 = from + <usize>min(3, wide - 1) * stride;
    for (let i = 0; i < m; i += 8) {
      const to = c + <usize>i * ldc + <usize>j * 4;
      const high = min(8, m - i);
      const at = scratch + <usize>(i >> 3) * panel;
      if (wide == 4 && high == 8) tileAcross(at, from, b1, b2, b3, k, to, ldc, beta);
      else {
        tileAcross(at, from, b1, b2, b3, k, spare, 32, 0);
        storeSpare(spare, to, ldc, high, wide, beta);
      }
    }
  }
}

/** A tile [8][4] of C from a panel [k][8] of A and four rows of B. Vector lanes hold rows of C until the tile is stored. */
function tileAcross(
  a: usize,
  b0: usize,
  b1: usize,
  b2: usize,
  b3: usize,
  k: i32,
  c: usize,
  ldc: usize,
  beta: i32,
): void {
  let s00 = f32x4.splat(0);
  let s01 = s00;
  let s10 = s00;
  let s11 = s00;
  let s20 = s00;
  let s21 = s00;
  let s30 = s00;
  let s31 = s00;
  const end = a + <usize>k * 32;
  while (a < end) {
    const x0 = v128.load(a);
    const x1 = v128.load(a, 16);
    let y = v128.load32_splat(b0);
    s00 = fma4(y, x0, s00);
    s01 = fma4(y, x1, s01);
    y = v128.load32_splat(b1);
    s10 = fma4(y, x0, s10);
    s11 = fma4(y, x1, s11);
    y = v128.load32_splat(b2);
    s20 = fma4(y, x0, s20);
    s21 = fma4(y, x1, s21);
    y = v128.load32_splat(b3);
    s30 = fma4(y, x0, s30);
    s31 = fma4(y, x1, s31);
    a += 32;
    b0 += 4;
    b1 += 4;
    b2 += 4;
    b3 += 4;
  }
  storeAcross(s00, s10, s20, s30, c, ldc, beta);
  storeAcross(s01, s11, s21, s31, c + 4 * ldc, ldc, beta);
}

/** Stores four columns of four rows of C. */
function storeAcross(s0: v128, s1: v128, s2: v128, s3: v128, c: usize, ldc: usize, beta: i32): void {
  const low01 = v128.shuffle<f32>(s0, s1, 0, 4, 1, 5);
  const low23 = v128.shuffle<f32>(s2, s3, 0, 4, 1, 5);
  const high01 = v128.shuffle<f32>(s0, s1, 2, 6, 3, 7);
  const high23 = v128.shuffle<f32>(s2, s3, 2, 6, 3, 7);
  storeRow(c, v128.shuffle<f64>(low01, low23, 0, 2), beta);
  storeRow(c + ldc, v128.shuffle<f64>(low01, low23, 1, 3), beta);
  storeRow(c + 2 * ldc, v128.shuffle<f64>(high01, high23, 0, 2), beta);
  storeRow(c + 3 * ldc, v128.shuffle<f64>(high01, high23, 1, 3), beta);
}

function storeRow(c: usize, sums: v128, beta: i32): void {
  v128.store(c, beta ? f32x4.add(sums, v128.load(c)) : sums);
}

/** Stores the part of a temporary tile that is inside C. */
export function storeSpare(spare: usize, c: usize, ldc: usize, high: i32, wide: i32, beta: i32): void {
  for (let y = 0; y < high; y++)
    for (let x = 0; x < wide; x++) {
      const at = c + <usize>y * ldc + x * 4;
      const sum = load<f32>(spare + y * 32 + x * 4);
      store<f32>(at, beta ? sum + load<f32>(at) : sum);
    }
}
