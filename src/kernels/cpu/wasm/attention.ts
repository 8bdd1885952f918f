// AssemblyScript: attention over packed ragged rows, forward. headDim is a multiple of 4. The scores of a row's head, then its
// weights, lie in a lane of scratch memory; two lanes are done at a time (attention-tiles.ts), on packed keys where
// neighbours share them (attention-keys.ts).
import { keyCount, laneBytes, longestOwn, packKeys, sharedRows } from './attention-keys';
import { addRows, clearRow, dotRows, scaleRow } from './attention-tiles';
import { exp4, sum4 } from './lanes';

function highest(x: v128): f32 {
  return max(
    max(f32x4.extract_lane(x, 0), f32x4.extract_lane(x, 1)),
    max(f32x4.extract_lane(x, 2), f32x4.extract_lane(x, 3)),
  );
}

/** Scores of `count` keys, and of count2 a lane further → exp(score − the row's highest) in place; the rows' log-sum-exps
 *  to lse and lse + step. Returns what makes each row's weights sum to one: (first, second, ·, ·). */
function softmax(scores: usize, lane: usize, count: i32, count2: i32, lse: usize, step: usize): v128 {
  const none = f32x4.splat(-Infinity);
  const end = scores + <usize>max(count, count2) * 4;
  // What is behind the shorter row's keys weighs nothing, nor do the last vectors' spare lanes.
  for (let at = scores + <usize>count * 4; at < end; at += 4) store<f32>(at, -Infinity);
  for (let at = scores + <usize>count2 * 4; at < end; at += 4) store<f32>(at + lane, -Infinity);
  v128.store(end, none);
  v128.store(end + lane, none);
  let a = none;
  let b = none;
  for (let at = scores; at < end; at += 16) {
    a = f32x4.pmax(a, v128.load(at));
    b = f32x4.pmax(b, v128.load(at + lane));
  }
  const topA = highest(a);
  const topB = highest(b);
  a = f32x4.splat(topA);
  b = f32x4.splat(topB);
  let totalA = f32x4.splat(0);
  let totalB = totalA;
  for (let at = scores; at < end; at += 16) {
    const eA = exp4(f32x4.sub(v128.load(at), a));
    const eB = exp4(f32x4.sub(v128.load(at + lane), b));
    totalA = f32x4.add(totalA, eA);
    totalB = f32x4.add(totalB, eB);
    v128.store(at, eA);
    v128.store(at + lane, eB);
  }
  const sumA = sum4(totalA);
  const sumB = sum4(totalB);
  store<f32>(lse, <f32>(<f64>topA + Math.log(<f64>sumA)));
  store<f32>(lse + step, <f32>(<f64>topB + Math.log(<f64>sumB)));
  return f32x4.div(f32x4.splat(1), f32x4.replace_lane(f32x4.splat(sumA), 1, sumB));
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
        const keys = scratch + 2 * lane;
        const values = packKeys(aKeys, aCount, bKeys, most, stride, bytes, keys);
        packKeys(aValues, aCount, bValues, most, stride, bytes, values);
        aKeys = keys;
        aValues = values;
        step = bytes;
      }
      // Two at a time of the rows' heads that share these keys; a last one that is alone goes as both.
      const items = n * group;
      for (let t = 0; t < items; t += 2) {
        const t2 = min(t + 1, items - 1);
        const r = i + t / group;
        const r2 = i + t2 / group;
        const first = <usize>r * heads + kvHead * group + (t % group);
        const step2 = <usize>r2 * heads + kvHead * group + (t2 % group) - first;
        const apart = t2 > t ? lane : 0;
        const count = keyCount(ranges + <usize>r * 16, grow);
        const count2 = keyCount(ranges + <usize>r2 * 16, grow);
        const aRun = n > 1 ? max(count, count2) : aCount;
        const bRun = n > 1 ? 0 : count - aCount;
        const own = scratch + <usize>aRun * 4;
        const qAt = q + first * bytes;
        const oAt = o + first * bytes;
        const next = step2 * bytes;
        dotRows(qAt, next, aKeys, step, aRun, bytes, scale, scratch, apart);
        dotRows(qAt, next, bKeys, step, bRun, bytes, scale, own, apart);
        const factors = softmax(scratch, apart, count, count2, stats + first * 8, step2 * 8);
        clearRow(oAt, bytes);
        clearRow(oAt + next, bytes);
        addRows(scratch, apart, aValues, step, min(aRun, count), min(aRun, count2), bytes, oAt, next);
        addRows(own, apart, bValues, step, bRun, bRun, bytes, oAt, next);
        scaleRow(oAt, bytes, v128.shuffle<f32>(factors, factors, 0, 0, 0, 0));
        if (next) scaleRow(oAt + next, bytes, v128.shuffle<f32>(factors, factors, 1, 1, 1, 1));
      }
    }
    i += n;
  }
}
