// AssemblyScript: attention over packed ragged rows, forward. headDim is a multiple of 4. A row's scores, then its weights,
// lie in a lane of scratch memory; two heads of a group are done at a time (attention-tiles.ts), on packed keys where
// neighbours share them (attention-keys.ts).
import { laneBytes, longestOwn, sharedRows } from './attention-keys';
import { addRows, addRows2, clearRow, dotRun, dotRun2, packRows, scaleRow } from './attention-tiles';
import { exp4, sum4 } from './lanes';

/** The largest of the scores from `at` to `end` (whole vectors). */
function highestOf(at: usize, end: usize): f32 {
  let a = f32x4.splat(-Infinity);
  let b = a;
  for (; at + 16 < end; at += 32) {
    a = f32x4.pmax(a, v128.load(at));
    b = f32x4.pmax(b, v128.load(at, 16));
  }
  if (at < end) a = f32x4.pmax(a, v128.load(at));
  a = f32x4.pmax(a, b);
  return max(
    max(f32x4.extract_lane(a, 0), f32x4.extract_lane(a, 1)),
    max(f32x4.extract_lane(a, 2), f32x4.extract_lane(a, 3)),
  );
}

/** Scores → exp(score − the highest) in place, the log-sum-exp to `lse`; returns what makes the weights sum to one. */
function softmax(scores: usize, end: usize, lse: usize): f32 {
  v128.store(end, f32x4.splat(-Infinity));
  const top = highestOf(scores, end);
  const tops = f32x4.splat(top);
  let total = f32x4.splat(0);
  for (let at = scores; at < end; at += 16) {
    const e = exp4(f32x4.sub(v128.load(at), tops));
    total = f32x4.add(total, e);
    v128.store(at, e);
  }
  const sum = sum4(total);
  store<f32>(lse, <f32>(<f64>top + Math.log(<f64>sum)));
  return <f32>1 / sum;
}

/** Bytes of scratch that `attention` needs, `longest` being the most keys of a row: two lanes, and the keys and values of
 *  one head. */
export function attentionScratch(longest: i32, headDim: i32): usize {
  return 2 * laneBytes(longest) + <usize>longest * headDim * 8;
}

/** Scratch: attentionScratch(…) bytes. */
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
  for (let i = 0; i < rows; ) {
    const range = ranges + <usize>i * 16;
    const n = sharedRows(ranges, i, rows);
    const a0 = <usize>load<u32>(range);
    const b0 = <usize>load<u32>(range, 8);
    const aCount = <i32>(load<u32>(range, 4) - <u32>a0);
    const most = longestOwn(range, n) + grow;
    const lane = laneBytes(aCount + most);
    for (let kvHead = 0; kvHead < kvHeads; kvHead++) {
      // The keys: two runs where they lie, or one of packed ones.
      let aKeys = k + a0 * stride + <usize>kvHead * bytes;
      let aValues = v + a0 * stride + <usize>kvHead * bytes;
      const bKeys = k + b0 * stride + <usize>kvHead * bytes;
      const bValues = v + b0 * stride + <usize>kvHead * bytes;
      let step = stride;
      if (n > 1) {
        const packed = scratch + 2 * lane;
        const values = packRows(bKeys, stride, most, bytes, packRows(aKeys, stride, aCount, bytes, packed));
        packRows(bValues, stride, most, bytes, packRows(aValues, stride, aCount, bytes, values));
        aKeys = packed;
        aValues = values;
        step = bytes;
      }
      for (let r = i; r < i + n; r++) {
        const count = aCount + <i32>(load<u32>(ranges + <usize>r * 16, 12) - <u32>b0) + grow;
        const aRun = n > 1 ? count : aCount;
        const bRun = count - aRun;
        const own = scratch + <usize>aRun * 4;
        const end = scratch + <usize>count * 4;
        const first = <usize>r * heads + kvHead * group;
        let qAt = q + first * bytes;
        let oAt = o + first * bytes;
        let lse = stats + first * 8;
        clearRow(oAt, <usize>group * bytes);
        let left = group;
        for (; left >= 2; left -= 2) {
          dotRun2(qAt, bytes, aKeys, step, aRun, bytes, scale, scratch, lane);
          dotRun2(qAt, bytes, bKeys, step, bRun, bytes, scale, own, lane);
          const factor0 = f32x4.splat(softmax(scratch, end, lse));
          const factor1 = f32x4.splat(softmax(scratch + lane, end + lane, lse + 8));
          addRows2(scratch, lane, aValues, step, aRun, bytes, oAt, bytes);
          addRows2(own, lane, bValues, step, bRun, bytes, oAt, bytes);
          scaleRow(oAt, bytes, factor0);
          scaleRow(oAt + bytes, bytes, factor1);
          qAt += 2 * bytes;
          oAt += 2 * bytes;
          lse += 16;
        }
        if (left) {
          dotRun(qAt, aKeys, step, aRun, bytes, scale, scratch);
          dotRun(qAt, bKeys, step, bRun, bytes, scale, own);
          const factor = f32x4.splat(softmax(scratch, end, lse));
          addRows(scratch, aValues, step, aRun, bytes, oAt);
          addRows(own, bValues, step, bRun, bytes, oAt);
          scaleRow(oAt, bytes, factor);
        }
      }
    }
    i += n;
  }
}
