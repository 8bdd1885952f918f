// AssemblyScript kernels: attention's backward pass to the queries, and the row sums (delta) that both backward passes need.
// Probabilities are recomputed from the stored log-sum-exp; lanes are arrays in scratch as in attention.ts.
import { keyCount, laneBytes, longestOwn, packKeys, sharedRows } from './attention-keys';
import { addRows, clearRow, dotRows, scaleRow } from './attention-tiles';
import { fma4 } from './fma';
import { exp4, sum4 } from './lanes';

export function attentionDelta(dO: usize, o: usize, stats: usize, rows: i32, heads: i32, headDim: i32): void {
  const bytes = <usize>headDim * 4;
  const count = rows * heads;
  for (let i = 0; i < count; i++) {
    let s = f32x4.splat(0);
    for (let d: usize = 0; d < bytes; d += 16) s = fma4(v128.load(dO + d), v128.load(o + d), s);
    store<f32>(stats, sum4(s), 4);
    stats += 8;
    dO += bytes;
    o += bytes;
  }
}

/** In place: scores s_j of `count` keys → p_j·(g_j − delta), with p_j = exp(s_j − lse) and g_j = dO·v_j from `grads`. */
function slopes(at: usize, count: i32, grads: usize, stats: usize): void {
  const end = at + <usize>count * 4;
  const lse = v128.load32_splat(stats);
  const delta = v128.load32_splat(stats, 4);
  for (; at < end; at += 16) {
    const p = exp4(f32x4.sub(v128.load(at), lse));
    v128.store(at, f32x4.mul(p, f32x4.sub(v128.load(grads), delta)));
    grads += 16;
  }
}

/** Bytes of scratch of `attentionDq`, if a row has at most `longest` keys: four arrays of one number per key, and the keys and
 *  values of one head. */
export function attentionDqScratch(longest: i32, headDim: i32): usize {
  return 4 * laneBytes(longest) + <usize>longest * headDim * 8;
}

/** Scratch: attentionDqScratch(…) bytes. */
export function attentionDq(
  q: usize,
  k: usize,
  v: usize,
  ranges: usize,
  stats: usize,
  dO: usize,
  dq: usize,
  rows: i32,
  heads: i32,
  kvHeads: i32,
  headDim: i32,
  scratch: usize,
): void {
  const bytes = <usize>headDim * 4;
  const stride = bytes * kvHeads;
  const scale = f32x4.splat(<f32>(1 / sqrt<f64>(headDim)));
  const one = f32x4.splat(1);
  const group = heads / kvHeads;
  for (let i = 0; i < rows; ) {
    const range = ranges + <usize>i * 16;
    const n = sharedRows(ranges, i, rows);
    const a = <usize>load<u32>(range) * stride;
    const b = <usize>load<u32>(range, 8) * stride;
    const aCount = <i32>(load<u32>(range, 4) - load<u32>(range));
    const bCount = longestOwn(range, n);
    const lane = laneBytes(aCount + bCount);
    const grads = scratch + 2 * lane;
    const keys = scratch + 4 * lane;
    for (let kvHead = 0; kvHead < kvHeads; kvHead++) {
      const part = <usize>kvHead * bytes;
      const values = packKeys(k + part + a, aCount, k + part + b, bCount, stride, bytes, keys);
      packKeys(v + part + a, aCount, v + part + b, bCount, stride, bytes, values);
      const items = n * group;
      for (let t = 0; t < items; t += 2) {
        const t2 = min(t + 1, items - 1);
        const r = i + t / group;
        const r2 = i + t2 / group;
        const first = <usize>r * heads + kvHead * group + (t % group);
        const step = <usize>r2 * heads + kvHead * group + (t2 % group) - first;
        const apart = t2 > t ? lane : 0;
        const count = keyCount(ranges + <usize>r * 16, 0);
        const count2 = keyCount(ranges + <usize>r2 * 16, 0);
        const most = max(count, count2);
        const to = dq + first * bytes;
        const next = step * bytes;
        const statsAt = stats + first * 8;
        dotRows(q + first * bytes, next, keys, bytes, most, bytes, scale, scratch, apart);
        dotRows(dO + first * bytes, next, values, bytes, most, bytes, one, grads, apart);
        slopes(scratch, count, grads, statsAt);
        if (apart) slopes(scratch + lane, count2, grads + lane, statsAt + step * 8);
        clearRow(to, bytes);
        clearRow(to + next, bytes);
        addRows(scratch, apart, keys, bytes, count, count2, bytes, to, next);
        scaleRow(to, bytes, scale);
        if (next) scaleRow(to + next, bytes, scale);
      }
    }
    i += n;
  }
}
