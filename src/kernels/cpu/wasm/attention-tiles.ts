// AssemblyScript helpers: the tiles of attention, forward and backward: dot products of two rows with four others, and weighted
// sums of shared rows into two outputs. Processing two rows at once loads each shared row once and uses eight registers for
// sums; a single row takes both places (steps of 0: the same result is computed and stored twice). Sums have a fixed order (a
// dot product in four partial sums over d, then `sums`; a weighted sum over ascending rows), so no result depends on the rest
// of its tile.
import { fma4 } from './fma';
import { sums } from './lanes';

/** to[j] = factor · x·y_j for `count` rows from y, `stride` bytes apart; also for the row at x + pitch, into to + lane. Writes
 *  whole vectors, so up to 3 numbers past the end. */
export function dotRows(
  x: usize,
  pitch: usize,
  y: usize,
  stride: usize,
  count: i32,
  bytes: usize,
  factor: v128,
  to: usize,
  lane: usize,
): void {
  for (let j = 0; j < count; j += 4) {
    const last = count - 1 - j;
    let y0 = y;
    let y1 = y + <usize>min(1, last) * stride;
    let y2 = y + <usize>min(2, last) * stride;
    let y3 = y + <usize>min(3, last) * stride;
    let a0 = f32x4.splat(0);
    let a1 = a0;
    let a2 = a0;
    let a3 = a0;
    let b0 = a0;
    let b1 = a0;
    let b2 = a0;
    let b3 = a0;
    const end = x + bytes;
    for (let at = x; at < end; at += 16) {
      const a = v128.load(at);
      const b = v128.load(at + pitch);
      let shared = v128.load(y0);
      a0 = fma4(a, shared, a0);
      b0 = fma4(b, shared, b0);
      shared = v128.load(y1);
      a1 = fma4(a, shared, a1);
      b1 = fma4(b, shared, b1);
      shared = v128.load(y2);
      a2 = fma4(a, shared, a2);
      b2 = fma4(b, shared, b2);
      shared = v128.load(y3);
      a3 = fma4(a, shared, a3);
      b3 = fma4(b, shared, b3);
      y0 += 16;
      y1 += 16;
      y2 += 16;
      y3 += 16;
    }
    v128.store(to, f32x4.mul(factor, sums(a0, a1, a2, a3)));
    v128.store(to + lane, f32x4.mul(factor, sums(b0, b1, b2, b3)));
    to += 16;
    y += stride * 4;
  }
}

/** out += Σ_j weights[j] · y_j over `count` rows from y, `stride` bytes apart; also for weights + lane into out + pitch, over
 *  `count2` rows. */
export function addRows(
  weights: usize,
  lane: usize,
  y: usize,
  stride: usize,
  count: i32,
  count2: i32,
  bytes: usize,
  out: usize,
  pitch: usize,
): void {
  const both = min(count, count2);
  addBoth(weights, lane, y, stride, both, bytes, out, pitch);
  if (count == count2) return;
  const behind = weights + <usize>both * 4;
  const rest = y + <usize>both * stride;
  if (count > both) addBoth(behind, 0, rest, stride, count - both, bytes, out, 0);
  else addBoth(behind + lane, 0, rest, stride, count2 - both, bytes, out + pitch, 0);
}

function addBoth(
  weights: usize,
  lane: usize,
  y: usize,
  stride: usize,
  count: i32,
  bytes: usize,
  out: usize,
  pitch: usize,
): void {
  const end = weights + <usize>count * 4;
  let d: usize = 0;
  for (; d + 64 <= bytes; d += 64) {
    const to = out + d;
    const to2 = to + pitch;
    let s0 = v128.load(to);
    let s1 = v128.load(to, 16);
    let s2 = v128.load(to, 32);
    let s3 = v128.load(to, 48);
    let t0 = v128.load(to2);
    let t1 = v128.load(to2, 16);
    let t2 = v128.load(to2, 32);
    let t3 = v128.load(to2, 48);
    let row = y + d;
    for (let at = weights; at < end; at += 4) {
      const s = v128.load32_splat(at);
      const t = v128.load32_splat(at + lane);
      let shared = v128.load(row);
      s0 = fma4(s, shared, s0);
      t0 = fma4(t, shared, t0);
      shared = v128.load(row, 16);
      s1 = fma4(s, shared, s1);
      t1 = fma4(t, shared, t1);
      shared = v128.load(row, 32);
      s2 = fma4(s, shared, s2);
      t2 = fma4(t, shared, t2);
      shared = v128.load(row, 48);
      s3 = fma4(s, shared, s3);
      t3 = fma4(t, shared, t3);
      row += stride;
    }
    v128.store(to, s0);
    v128.store(to, s1, 16);
    v128.store(to, s2, 32);
    v128.store(to, s3, 48);
    v128.store(to2, t0);
    v128.store(to2, t1, 16);
    v128.store(to2, t2, 32);
    v128.store(to2, t3, 48);
  }
  for (; d < bytes; d += 16) {
    let s = v128.load(out + d);
    let t = v128.load(out + pitch + d);
    let row = y + d;
    for (let at = weights; at < end; at += 4) {
      const shared = v128.load(row);
      s = fma4(v128.load32_splat(at), shared, s);
      t = fma4(v128.load32_splat(at + lane), shared, t);
      row += stride;
    }
    v128.store(out + d, s);
    v128.store(out + pitch + d, t);
  }
}

export function clearRow(x: usize, bytes: usize): void {
  const end = x + bytes;
  for (; x < end; x += 16) v128.store(x, f32x4.splat(0));
}

/** x ← factor · x over `bytes` bytes. */
export function scaleRow(x: usize, bytes: usize, factor: v128): void {
  const end = x + bytes;
  for (; x < end; x += 16) v128.store(x, f32x4.mul(factor, v128.load(x)));
}

/** Copies `count` rows of `bytes` bytes, `stride` apart, contiguously to `to`; returns the end address. */
export function packRows(from: usize, stride: usize, count: i32, bytes: usize, to: usize): usize {
  for (let j = 0; j < count; j++) {
    for (let d: usize = 0; d < bytes; d += 16) v128.store(to + d, v128.load(from + d));
    from += stride;
    to += bytes;
  }
  return to;
}
