// AssemblyScript: attention's backward pass to the queries, and the row sums (delta) that both backward passes need.
// Probabilities are rebuilt from the stored log-sum-exp; rows, lanes and keys are as in attention.ts.
import { keyCount, laneBytes, longestOwn, packKeys, sharedRows } from './attention-keys';
import { addRows, clearRow, dotRows, scaleRow } from './attention-tiles';
import { exp4, sum4 } from './lanes';

export function attentionDelta(dO: usize, o: usize, stats: usize, rows: i32, heads: i32, headDim: i32): void {
  const bytes = <usize>headDim * 4;
  const count = rows * heads;
  for (let i = 0; i < count; i++) {
    let s = f32x4.splat(0);
    for (let d: usize = 0; d < bytes; d += 16) s = f32x4.add(s, f32x4.mul(v128.load(dO + d), v128.load(o + d)));
    store<f32>(stats, sum4(s), 4);
    stats += 8;
    dO += bytes;
    o += bytes;
  }
}

/** Scores s_j of `count` keys → p_j·(g_j − delta) in place, p_j = exp(s_j − lse), g_j = dO·v_j from `grads`. */
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

/** Bytes of scratch that `attentionDq` needs, `longest` being the most keys of a row: four lanes, and the keys and values
 *  of one head. */
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
    const a0 = <usize>load<u32>(range);
    const b0 = <usize>load<u32>(range, 8);
    const aCount = <i32>(load<u32>(range, 4) - <u32>a0);
    const most = longestOwn(range, n);
    const lane = laneBytes(aCount + most);
    const grads = scratch + 2 * lane;
    for (let kvHead = 0; kvHead < kvHeads; kvHead++) {
      let aKeys = k + a0 * stride + <usize>kvHead * bytes;
      let aValues = v + a0 * stride + <usize>kvHead * bytes;
      const bKeys = k + b0 * stride + <usize>kvHead * bytes;
      const bValues = v + b0 * stride + <usize>kvHead * bytes;
      let step = stride;
      if (n > 1) {
        const keys = scratch + 4 * lane;
        const values = packKeys(aKeys, aCount, bKeys, most, stride, bytes, keys);
        packKeys(aValues, aCount, bValues, most, stride, bytes, values);
        aKeys = keys;
        aValues = values;
        step = bytes;
      }
      const items = n * group;
      for (let t = 0; t < items; t += 2) {
        const t2 = min(t + 1, items - 1);
        const r = i + t / group;
        const r2 = i + t2 / group;
        const first = <usize>r * heads + kvHead * group + (t % group);
        const step2 = <usize>r2 * heads + kvHead * group + (t2 % group) - first;
        const apart = t2 > t ? lane : 0;
        const count = keyCount(ranges + <usize>r * 16, 0);
        const count2 = keyCount(ranges + <usize>r2 * 16, 0);
        const aRun = n > 1 ? max(count, count2) : aCount;
        const bRun = n > 1 ? 0 : count - aCount;
        const own = <usize>aRun * 4;
        const qAt = q + first * bytes;
        const oAt = dO + first * bytes;
        const to = dq + first * bytes;
        const next = step2 * bytes;
        const statsAt = stats + first * 8;
        dotRows(qAt, next, aKeys, step, aRun, bytes, scale, scratch, apart);
        dotRows(qAt, next, bKeys, step, bRun, bytes, scale, scratch + own, apart);
        dotRows(oAt, next, aValues, step, aRun, bytes, one, grads, apart);
        dotRows(oAt, next, bValues, step, bRun, bytes, one, grads + own, apart);
        slopes(scratch, count, grads, statsAt);
        if (apart) slopes(scratch + lane, count2, grads + lane, statsAt + step2 * 8);
        clearRow(to, bytes);
        clearRow(to + next, bytes);
        addRows(scratch, apart, aKeys, step, min(aRun, count), min(aRun, count2), bytes, to, next);
        addRows(scratch + own, apart, bKeys, step, bRun, bRun, bytes, to, next);
        scaleRow(to, bytes, scale);
        if (next) scaleRow(to + next, bytes, scale);
      }
    }
    i += n;
  }
}
