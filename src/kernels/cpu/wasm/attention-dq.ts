// AssemblyScript: attention's backward pass to the queries. Probabilities are rebuilt from the stored log-sum-exp; rows,
// lanes and keys are as in attention.ts.
import { laneBytes, longestOwn, packKeys, sharedRows } from './attention-keys';
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

/** Scores s_j from `at` to `end` → p_j·(g_j − delta) in place, p_j = exp(s_j − lse), g_j = dO·v_j from `grads`. */
function slopes(at: usize, end: usize, grads: usize, stats: usize): void {
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
      for (let r = i; r < i + n; r++) {
        const count = aCount + <i32>(load<u32>(ranges + <usize>r * 16, 12) - <u32>b0);
        const aRun = n > 1 ? count : aCount;
        const bRun = count - aRun;
        const own = <usize>aRun * 4;
        const end = scratch + <usize>count * 4;
        const first = <usize>r * heads + kvHead * group;
        let qAt = q + first * bytes;
        let oAt = dO + first * bytes;
        let to = dq + first * bytes;
        let statsAt = stats + first * 8;
        clearRow(to, <usize>group * bytes);
        for (let g = 0; g < group; g += 2) {
          const two = g + 1 < group;
          const next = two ? bytes : 0;
          const apart = two ? lane : 0;
          dotRows(qAt, next, aKeys, step, aRun, bytes, scale, scratch, apart);
          dotRows(qAt, next, bKeys, step, bRun, bytes, scale, scratch + own, apart);
          dotRows(oAt, next, aValues, step, aRun, bytes, one, grads, apart);
          dotRows(oAt, next, bValues, step, bRun, bytes, one, grads + own, apart);
          slopes(scratch, end, grads, statsAt);
          if (two) slopes(scratch + lane, end + lane, grads + lane, statsAt + 8);
          addRows(scratch, apart, aKeys, step, aRun, bytes, to, next);
          addRows(scratch + own, apart, bKeys, step, bRun, bytes, to, next);
          scaleRow(to, bytes + next, scale);
          qAt += 2 * bytes;
          oAt += 2 * bytes;
          to += 2 * bytes;
          statsAt += 16;
        }
      }
    }
    i += n;
  }
}
