// AssemblyScript: attention over packed ragged rows, forward, and what its backward (attention-grad.ts) shares with it.
// headDim is a multiple of 4. Four keys are scored at a time, one lane each; a row's weights go through scratch memory.
import { exp4, sum4, sums } from './lanes';

/** Four dot products x·y_i, i = 0..3, over `bytes` bytes. */
export function dots(x: usize, y0: usize, y1: usize, y2: usize, y3: usize, bytes: usize): v128 {
  let s0 = f32x4.splat(0);
  let s1 = s0;
  let s2 = s0;
  let s3 = s0;
  for (let d: usize = 0; d < bytes; d += 16) {
    const v = v128.load(x + d);
    s0 = f32x4.add(s0, f32x4.mul(v, v128.load(y0 + d)));
    s1 = f32x4.add(s1, f32x4.mul(v, v128.load(y1 + d)));
    s2 = f32x4.add(s2, f32x4.mul(v, v128.load(y2 + d)));
    s3 = f32x4.add(s3, f32x4.mul(v, v128.load(y3 + d)));
  }
  return sums(s0, s1, s2, s3);
}

/** scores[j] = scale · q·k_j for `count` rows from k; writes whole vectors, so up to 3 lanes too far. */
function scoreRun(q: usize, k: usize, stride: usize, count: i32, bytes: usize, scale: v128, scores: usize): void {
  for (let j = 0; j < count; j += 4) {
    const last = count - 1 - j;
    const s = dots(
      q,
      k,
      k + <usize>min(1, last) * stride,
      k + <usize>min(2, last) * stride,
      k + <usize>min(3, last) * stride,
      bytes,
    );
    v128.store(scores + <usize>j * 4, f32x4.mul(s, scale));
    k += stride * 4;
  }
}

/** out = factor · Σ_j weights[j] · rows_j, over the run of aCount rows from a, then the bCount rows from b. */
export function combine(
  weights: usize,
  a: usize,
  aCount: i32,
  b: usize,
  bCount: i32,
  stride: usize,
  bytes: usize,
  factor: v128,
  out: usize,
): void {
  let d: usize = 0;
  for (; d + 128 <= bytes; d += 128) {
    let s0 = f32x4.splat(0);
    let s1 = s0;
    let s2 = s0;
    let s3 = s0;
    let s4 = s0;
    let s5 = s0;
    let s6 = s0;
    let s7 = s0;
    let at = weights;
    for (let run = 0; run < 2; run++) {
      let row = (run ? b : a) + d;
      const end = at + <usize>(run ? bCount : aCount) * 4;
      for (; at < end; at += 4) {
        const w = v128.load32_splat(at);
        s0 = f32x4.add(s0, f32x4.mul(w, v128.load(row)));
        s1 = f32x4.add(s1, f32x4.mul(w, v128.load(row, 16)));
        s2 = f32x4.add(s2, f32x4.mul(w, v128.load(row, 32)));
        s3 = f32x4.add(s3, f32x4.mul(w, v128.load(row, 48)));
        s4 = f32x4.add(s4, f32x4.mul(w, v128.load(row, 64)));
        s5 = f32x4.add(s5, f32x4.mul(w, v128.load(row, 80)));
        s6 = f32x4.add(s6, f32x4.mul(w, v128.load(row, 96)));
        s7 = f32x4.add(s7, f32x4.mul(w, v128.load(row, 112)));
        row += stride;
      }
    }
    const to = out + d;
    v128.store(to, f32x4.mul(factor, s0));
    v128.store(to, f32x4.mul(factor, s1), 16);
    v128.store(to, f32x4.mul(factor, s2), 32);
    v128.store(to, f32x4.mul(factor, s3), 48);
    v128.store(to, f32x4.mul(factor, s4), 64);
    v128.store(to, f32x4.mul(factor, s5), 80);
    v128.store(to, f32x4.mul(factor, s6), 96);
    v128.store(to, f32x4.mul(factor, s7), 112);
  }
  for (; d < bytes; d += 16) {
    let s = f32x4.splat(0);
    let at = weights;
    for (let run = 0; run < 2; run++) {
      let row = (run ? b : a) + d;
      const end = at + <usize>(run ? bCount : aCount) * 4;
      for (; at < end; at += 4) {
        s = f32x4.add(s, f32x4.mul(v128.load32_splat(at), v128.load(row)));
        row += stride;
      }
    }
    v128.store(out + d, f32x4.mul(factor, s));
  }
}

/** Scratch: (longest row + 4) floats. */
export function attention(
  q: usize,
  k: usize,
  v: usize,
  ranges: usize,
  o: usize,
  stats: usize,
  rows: i32,
  heads: i32,
  kvHeads: i32,
  headDim: i32,
  grow: i32,
  scratch: usize,
): void {
  const bytes = <usize>headDim * 4;
  const stride = bytes * kvHeads;
  const scale = f32x4.splat(<f32>(1 / sqrt<f64>(headDim)));
  const group = heads / kvHeads;
  for (let i = 0; i < rows; i++) {
    const a0 = <usize>load<u32>(ranges);
    const aCount = <i32>(load<u32>(ranges, 4) - <u32>a0);
    const b0 = <usize>load<u32>(ranges, 8);
    const bCount = <i32>(load<u32>(ranges, 12) - <u32>b0) + grow;
    const count = aCount + bCount;
    ranges += 16;
    for (let h = 0; h < heads; h++) {
      const head = <usize>(h / group) * bytes;
      scoreRun(q, k + a0 * stride + head, stride, aCount, bytes, scale, scratch);
      scoreRun(q, k + b0 * stride + head, stride, bCount, bytes, scale, scratch + <usize>aCount * 4);
      const end = scratch + <usize>count * 4;
      v128.store(end, f32x4.splat(-Infinity));
      let highest = f32x4.splat(-Infinity);
      for (let at = scratch; at < end; at += 16) highest = f32x4.max(highest, v128.load(at));
      const top = max(
        max(f32x4.extract_lane(highest, 0), f32x4.extract_lane(highest, 1)),
        max(f32x4.extract_lane(highest, 2), f32x4.extract_lane(highest, 3)),
      );
      const tops = f32x4.splat(top);
      let total = f32x4.splat(0);
      for (let at = scratch; at < end; at += 16) {
        const e = exp4(f32x4.sub(v128.load(at), tops));
        total = f32x4.add(total, e);
        v128.store(at, e);
      }
      const sum = sum4(total);
      const factor = f32x4.splat(<f32>1 / sum);
      combine(scratch, v + a0 * stride + head, aCount, v + b0 * stride + head, bCount, stride, bytes, factor, o);
      store<f32>(stats, <f32>(<f64>top + Math.log(<f64>sum)));
      stats += 8;
      q += bytes;
      o += bytes;
    }
  }
}
