// AssemblyScript kernels: block Jacobi on pairs of blocks of 16 rows (contract/svd.ts). Inner products are in single precision over runs of
// 256 numbers and in double precision across them; the 32 × 32 rotations are in double precision, and are applied with matmul's tiles.
import { fma2, fma4, fnma2 } from './fma';
import { sum4 } from './lanes';
import { tile } from './matmul';
import { storeSpare } from './matmul-few';

const BLOCK: i32 = 16;
const PAIR: i32 = 32;
const SQUARE: i32 = 1024;
/** Length of the runs; 32 rows of a run stay in the L1 cache. */
const RUN: i32 = 256;
/** Columns of x packed at a time by `svdApply`. */
const PANEL: i32 = 64;

/** Bytes of scratch that suffice for each of the three kernels. */
export function svdScratch(): usize {
  return <usize>SQUARE * 16 + <usize>PAIR * 16 + <usize>PAIR * PANEL * 4 + <usize>SQUARE * 4 + 256;
}

/** Number of rows of a block that are below n. */
function live(block: i32, n: i32): i32 {
  return max(0, min(BLOCK, n - block * BLOCK));
}

/** Byte address of row k (0 … 31) of a pair. */
function rowAt(x: usize, i: i32, j: i32, k: i32, stride: i32): usize {
  const row = k < BLOCK ? i * BLOCK + k : j * BLOCK + k - BLOCK;
  return x + <usize>row * stride * 4;
}

/** Adds the inner products of four rows with two to to[0..4][0..2], over `count` numbers (a multiple of 4); `to` is in an f64 [32, 32]. */
function tile42(a0: usize, a1: usize, a2: usize, a3: usize, b0: usize, b1: usize, count: i32, to: usize): void {
  let s00 = f32x4.splat(0);
  let s01 = s00;
  let s10 = s00;
  let s11 = s00;
  let s20 = s00;
  let s21 = s00;
  let s30 = s00;
  let s31 = s00;
  const end = <usize>count * 4;
  for (let at: usize = 0; at < end; at += 16) {
    const y0 = v128.load(b0 + at);
    const y1 = v128.load(b1 + at);
    let x = v128.load(a0 + at);
    s00 = fma4(x, y0, s00);
    s01 = fma4(x, y1, s01);
    x = v128.load(a1 + at);
    s10 = fma4(x, y0, s10);
    s11 = fma4(x, y1, s11);
    x = v128.load(a2 + at);
    s20 = fma4(x, y0, s20);
    s21 = fma4(x, y1, s21);
    x = v128.load(a3 + at);
    s30 = fma4(x, y0, s30);
    s31 = fma4(x, y1, s31);
  }
  const row: usize = PAIR * 8;
  store<f64>(to, load<f64>(to) + <f64>sum4(s00));
  store<f64>(to, load<f64>(to, 8) + <f64>sum4(s01), 8);
  store<f64>(to + row, load<f64>(to + row) + <f64>sum4(s10));
  store<f64>(to + row, load<f64>(to + row, 8) + <f64>sum4(s11), 8);
  store<f64>(to + 2 * row, load<f64>(to + 2 * row) + <f64>sum4(s20));
  store<f64>(to + 2 * row, load<f64>(to + 2 * row, 8) + <f64>sum4(s21), 8);
  store<f64>(to + 3 * row, load<f64>(to + 3 * row) + <f64>sum4(s30));
  store<f64>(to + 3 * row, load<f64>(to + 3 * row, 8) + <f64>sum4(s31), 8);
}

/** Σ a·b over `count` numbers, for partial tiles. */
function edge(a: usize, b: usize, count: i32): f64 {
  let total: f64 = 0;
  for (let j = 0; j < count; j++) total += <f64>load<f32>(a + <usize>j * 4) * <f64>load<f32>(b + <usize>j * 4);
  return total;
}

/** `pairs` points to the round's first pair. */
export function svdGram(
  x: usize,
  pairs: usize,
  gram: usize,
  n: i32,
  m: i32,
  stride: i32,
  slices: i32,
  count: i32,
  scratch: usize,
): void {
  const length = (m + slices - 1) / slices;
  for (let pair = 0; pair < count; pair++) {
    const i = load<i32>(pairs);
    const j = load<i32>(pairs, 4);
    pairs += 8;
    for (let s = 0; s < slices; s++) {
      memory.fill(scratch, 0, <usize>SQUARE * 8);
      const end = min(m, (s + 1) * length);
      for (let from = s * length; from < end; from += RUN)
        addRun(x + <usize>from * 4, i, j, n, stride, min(RUN, end - from), scratch);
      for (let p = 0; p < PAIR; p++)
        for (let q = p; q < PAIR; q++) {
          const value = <f32>load<f64>(scratch + <usize>(p * PAIR + q) * 8);
          store<f32>(gram + <usize>(p * PAIR + q) * 4, value);
          store<f32>(gram + <usize>(q * PAIR + p) * 4, value);
        }
      gram += <usize>SQUARE * 4;
    }
  }
}

/** Adds inner products over `count` numbers from x to g, f64 [32, 32]; entries with q < p may be missing. */
function addRun(x: usize, i: i32, j: i32, n: i32, stride: i32, count: i32, g: usize): void {
  const whole = count & ~3;
  const liveI = live(i, n);
  const liveJ = live(j, n);
  const step = <usize>stride * 4;
  for (let p = 0; p < PAIR; p += 4) {
    const a = rowAt(x, i, j, p, stride);
    const rowsA = p < BLOCK ? liveI - p : liveJ - (p - BLOCK);
    for (let q = p; q < PAIR; q += 2) {
      const b = rowAt(x, i, j, q, stride);
      const rowsB = q < BLOCK ? liveI - q : liveJ - (q - BLOCK);
      const to = g + <usize>(p * PAIR + q) * 8;
      if (rowsA >= 4 && rowsB >= 2) tile42(a, a + step, a + 2 * step, a + 3 * step, b, b + step, whole, to);
      if (rowsA >= 4 && rowsB >= 2 && whole == count) continue;
      // Adds existing rows and numbers that no full tile covers.
      const skip = rowsA >= 4 && rowsB >= 2 ? whole : 0;
      for (let y = 0; y < min(4, rowsA); y++)
        for (let z = 0; z < min(2, rowsB); z++) {
          const at = to + <usize>(y * PAIR + z) * 8;
          const sum = edge(a + <usize>y * step + <usize>skip * 4, b + <usize>z * step + <usize>skip * 4, count - skip);
          store<f64>(at, load<f64>(at) + sum);
        }
    }
  }
}

/** Rotates rows p and q of x, f64 [32, 32], by (c, s). */
function turnRows(x: usize, p: i32, q: i32, c: f64, s: f64): void {
  const cs = f64x2.splat(c);
  const ss = f64x2.splat(s);
  let a = x + <usize>p * PAIR * 8;
  let b = x + <usize>q * PAIR * 8;
  const end = a + <usize>PAIR * 8;
  while (a < end) {
    const u = v128.load(a);
    const v = v128.load(b);
    v128.store(a, fnma2(ss, v, f64x2.mul(cs, u)));
    v128.store(b, fma2(cs, v, f64x2.mul(ss, u)));
    const u1 = v128.load(a, 16);
    const v1 = v128.load(b, 16);
    v128.store(a, fnma2(ss, v1, f64x2.mul(cs, u1)), 16);
    v128.store(b, fma2(cs, v1, f64x2.mul(ss, u1)), 16);
    a += 32;
    b += 32;
  }
}

function at64(g: usize, p: i32, q: i32): usize {
  return g + <usize>(p * PAIR + q) * 8;
}

function largestCosine(g: usize, floor: f64): f64 {
  let largest: f64 = 0;
  for (let p = 0; p < PAIR; p++) {
    const alpha = load<f64>(at64(g, p, p));
    if (!(alpha > floor)) continue;
    for (let q = p + 1; q < PAIR; q++) {
      const beta = load<f64>(at64(g, q, q));
      if (beta > floor) largest = max(largest, abs(load<f64>(at64(g, p, q))) / (sqrt(alpha) * sqrt(beta)));
    }
  }
  return largest;
}

function rotatePair(g: usize, turn: usize, p: i32, q: i32, tol: f64, floor: f64): void {
  const alpha = load<f64>(at64(g, p, p));
  const beta = load<f64>(at64(g, q, q));
  const gamma = load<f64>(at64(g, p, q));
  if (!(alpha > floor && beta > floor && abs(gamma) > tol * (sqrt(alpha) * sqrt(beta)))) return;
  const zeta = (beta - alpha) / (2 * gamma);
  const t = (zeta >= 0 ? 1.0 : -1.0) / (abs(zeta) + sqrt(1 + zeta * zeta));
  const c = 1 / sqrt(1 + t * t);
  turnRows(g, p, q, c, c * t);
  turnRows(turn, p, q, c, c * t);
  for (let k = 0; k < PAIR; k++) {
    store<f64>(at64(g, k, p), load<f64>(at64(g, p, k)));
    store<f64>(at64(g, k, q), load<f64>(at64(g, q, k)));
  }
  store<f64>(at64(g, p, p), alpha - t * gamma);
  store<f64>(at64(g, q, q), beta + t * gamma);
  store<f64>(at64(g, p, q), 0);
  store<f64>(at64(g, q, p), 0);
}

/** `report` points to the round's first pair. */
export function svdTurn(
  gram: usize,
  q: usize,
  report: usize,
  slices: i32,
  sweeps: i32,
  count: i32,
  tol: f64,
  floor: f64,
  scratch: usize,
): void {
  const g = scratch;
  const turn = g + <usize>SQUARE * 8;
  const keys = turn + <usize>SQUARE * 8;
  const order = keys + <usize>PAIR * 8;
  for (let pair = 0; pair < count; pair++) {
    memory.fill(g, 0, <usize>SQUARE * 8);
    for (let s = 0; s < slices; s++) {
      for (let k = 0; k < SQUARE; k++) {
        const at = g + <usize>k * 8;
        store<f64>(at, load<f64>(at) + <f64>load<f32>(gram + <usize>k * 4));
      }
      gram += <usize>SQUARE * 4;
    }
    const cosine = largestCosine(g, floor);
    let top = load<f64>(g);
    for (let p = 1; p < PAIR; p++) top = max(top, load<f64>(at64(g, p, p)));
    const turned = cosine > tol;
    store<f32>(report, <f32>cosine);
    store<f32>(report, <f32>top, 4);
    store<f32>(report, turned ? 1 : 0, 8);
    report += 12;
    if (turned) {
      memory.fill(turn, 0, <usize>SQUARE * 8);
      for (let p = 0; p < PAIR; p++) store<f64>(at64(turn, p, p), 1);
      for (let sweep = 0; sweep < sweeps; sweep++)
        for (let round = 0; round < PAIR - 1; round++)
          for (let k = 0; k < BLOCK; k++) {
            const a = k == 0 ? PAIR - 1 : (round + k) % (PAIR - 1);
            const b = (round + PAIR - 1 - k) % (PAIR - 1);
            rotatePair(g, turn, min(a, b), max(a, b), tol, floor);
          }
      sortRows(g, turn, q, keys, order);
    }
    q += <usize>SQUARE * 4;
  }
}

/** Copies the rows of `turn` to q, sorted by decreasing diagonal of G; negatives count as 0, and the sort is stable. */
function sortRows(g: usize, turn: usize, q: usize, keys: usize, order: usize): void {
  for (let p = 0; p < PAIR; p++) {
    const key = max(0.0, load<f64>(at64(g, p, p)));
    let at = p;
    // Insertion sort of 32 keys.
    for (; at > 0 && load<f64>(keys + <usize>(at - 1) * 8) < key; at--) {
      store<f64>(keys + <usize>at * 8, load<f64>(keys + <usize>(at - 1) * 8));
      store<i32>(order + <usize>at * 4, load<i32>(order + <usize>(at - 1) * 4));
    }
    store<f64>(keys + <usize>at * 8, key);
    store<i32>(order + <usize>at * 4, p);
  }
  for (let p = 0; p < PAIR; p++) {
    const from = load<i32>(order + <usize>p * 4);
    for (let k = 0; k < PAIR; k++) {
      store<f32>(q, <f32>load<f64>(at64(turn, from, k)));
      q += 4;
    }
  }
}

/** `pairs` and `report` point to the round's first pair. */
export function svdApply(
  x: usize,
  q: usize,
  pairs: usize,
  report: usize,
  n: i32,
  stride: i32,
  count: i32,
  scratch: usize,
): void {
  const packedQ = scratch;
  const packedX = packedQ + <usize>SQUARE * 4;
  const spare = packedX + <usize>PAIR * PANEL * 4;
  const step = <usize>stride * 4;
  for (let pair = 0; pair < count; pair++) {
    const i = load<i32>(pairs);
    const j = load<i32>(pairs, 4);
    const turned = load<f32>(report, 8) != 0;
    const from = q;
    pairs += 8;
    report += 12;
    q += <usize>SQUARE * 4;
    if (!turned) continue;
    // Packs q into panels of 4 rows, [k][4], as the tile reads them.
    for (let p = 0; p < PAIR; p++)
      for (let k = 0; k < PAIR; k++)
        store<f32>(packedQ + <usize>(((p >> 2) * PAIR + k) * 4 + (p & 3)) * 4, load<f32>(from + <usize>(p * PAIR + k) * 4));
    for (let col = 0; col < stride; col += PANEL) {
      const cols = min(PANEL, stride - col);
      for (let k = 0; k < PAIR; k++) {
        const there = k < BLOCK ? k < live(i, n) : k - BLOCK < live(j, n);
        packRow(packedX + <usize>k * 32, there ? rowAt(x, i, j, k, stride) + <usize>col * 4 : 0, cols);
      }
      for (let p = 0; p < PAIR; p += 4) {
        const high = min(4, p < BLOCK ? live(i, n) - p : live(j, n) - (p - BLOCK));
        if (high <= 0) continue;
        const row = rowAt(x, i, j, p, stride) + <usize>col * 4;
        const a = packedQ + <usize>(p >> 2) * PAIR * 16;
        for (let c = 0; c < cols; c += 8) {
          const b = packedX + <usize>(c >> 3) * PAIR * 32;
          const to = row + <usize>c * 4;
          const wide = min(8, cols - c);
          if (high == 4 && wide == 8) {
            tile(a, b, PAIR, to, step, 0);
          } else {
            tile(a, b, PAIR, spare, 32, 0);
            storeSpare(spare, to, step, high, wide, 0);
          }
        }
      }
    }
  }
}

/** Packs `cols` numbers of a row (from = 0: zeros) into panels of 8 columns, [32][8] each. */
function packRow(to: usize, from: usize, cols: i32): void {
  for (let c = 0; c < cols; c += 8) {
    if (from != 0 && c + 8 <= cols) {
      v128.store(to, v128.load(from));
      v128.store(to, v128.load(from, 16), 16);
    } else {
      for (let k = 0; k < 8; k++) store<f32>(to + <usize>k * 4, from != 0 && c + k < cols ? load<f32>(from + <usize>k * 4) : 0);
    }
    if (from != 0) from += 32;
    to += <usize>PAIR * 32;
  }
}
