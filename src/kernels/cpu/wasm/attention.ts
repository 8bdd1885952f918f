// AssemblyScript kernel: attention over packed rows, forward; headDim is a multiple of 4. The scores, then weights, of one head of a
// row are in a lane (an array in scratch); two lanes are processed at a time (attention-tiles.ts). Consecutive rows that share
// keys use packed copies (attention-keys.ts); a row with its own keys (decoding) reads them in place.
import { keyCount, laneBytes, longestOwn, packHalves, packKeys, sharedRows } from './attention-keys';
import { addRows, clearRow, dotRows, scaleRow } from './attention-tiles';
import { exp4, sum4 } from './lanes';
import { unpackF16 } from './packed';

function highest(x: v128): f32 {
  return max(
    max(f32x4.extract_lane(x, 0), f32x4.extract_lane(x, 1)),
    max(f32x4.extract_lane(x, 2), f32x4.extract_lane(x, 3)),
  );
}

/** In place: scores of `count` keys, and of `count2` keys one lane further → exp(score − maximum). Stores the two
 *  log-sum-exps at lse and lse + step. Returns the factors that normalise the two rows' weights: (first, second, ·, ·). */
function softmax(scores: usize, lane: usize, count: i32, count2: i32, lse: usize, step: usize): v128 {
  const none = f32x4.splat(-Infinity);
  const end = scores + <usize>max(count, count2) * 4;
  // Scores past the shorter row's keys, and the unused end of the last vectors, get weight 0.
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

/** Number of rows from which packing, which copies keys and values, is faster. */
const LEAST_ROWS = 4;
/** Number of keys that a single row processes at a time for all heads, so that memory is read sequentially: 16 KiB, but at least
 *  16 keys. */
function keysAtOnce(stride: usize): i32 {
  return max(16, <i32>(16384 / stride) & ~3);
}

/** Bytes of scratch of `attention`, if a row has at most `longest` keys: a lane and a factor per head, and the keys and values of
 *  one head. */
export function attentionScratch(longest: i32, heads: i32, headDim: i32): usize {
  return <usize>max(heads, 2) * (laneBytes(longest) + 16) + <usize>longest * headDim * 8;
}

/** Bytes of scratch of `attentionF16`, where a single row also unpacks keysAtOnce keys. */
export function attentionF16Scratch(longest: i32, heads: i32, kvHeads: i32, headDim: i32): usize {
  const stride = <usize>(kvHeads * headDim) * 4;
  const atOnce = unpackedAt(longest, heads) + <usize>keysAtOnce(stride) * stride;
  return max(atOnce, attentionScratch(longest, heads, headDim));
}

/** Offset of the unpacked keys in the scratch. */
function unpackedAt(longest: i32, heads: i32): usize {
  return <usize>max(heads, 2) * (laneBytes(longest) + 16);
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
  attend(q, k, v, ranges, o, stats, rows, heads, kvHeads, headDim, grow, false, scratch);
}

/** Attention with k and v in f16, unpacked just before use. Scratch: attentionF16Scratch(…) bytes. */
export function attentionF16(
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
  attend(q, k, v, ranges, o, stats, rows, heads, kvHeads, headDim, grow, true, scratch);
}

function attend(
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
  half: bool,
  scratch: usize,
): void {
  const bytes = <usize>headDim * 4;
  const rowBytes = bytes * heads;
  const scale = f32x4.splat(<f32>(1 / sqrt<f64>(headDim)));
  for (let i = 0; i < rows; ) {
    const shared = sharedRows(ranges, i, rows);
    const n = shared < LEAST_ROWS ? 1 : shared;
    const range = ranges + <usize>i * 16;
    const skip = <usize>i * rowBytes;
    const to = stats + <usize>i * heads * 8;
    if (n > 1) together(q + skip, k, v, range, o + skip, to, n, heads, kvHeads, bytes, grow, scale, half, scratch);
    else alone(q + skip, k, v, range, o + skip, to, heads, kvHeads, bytes, grow, scale, half, scratch);
    i += n;
  }
}

/** Attention of n rows that share their keys. */
function together(
  q: usize,
  k: usize,
  v: usize,
  range: usize,
  o: usize,
  stats: usize,
  n: i32,
  heads: i32,
  kvHeads: i32,
  bytes: usize,
  grow: i32,
  scale: v128,
  half: bool,
  scratch: usize,
): void {
  const stride = bytes * kvHeads;
  const group = heads / kvHeads;
  const a = <usize>load<u32>(range) * stride;
  const b = <usize>load<u32>(range, 8) * stride;
  const aCount = <i32>(load<u32>(range, 4) - load<u32>(range));
  const bCount = longestOwn(range, n) + grow;
  const lane = laneBytes(aCount + bCount);
  const keys = scratch + 2 * lane;
  for (let kvHead = 0; kvHead < kvHeads; kvHead++) {
    const part = <usize>kvHead * bytes;
    let values: usize;
    if (half) {
      values = packHalves(k, part + a, aCount, part + b, bCount, stride, bytes, keys);
      packHalves(v, part + a, aCount, part + b, bCount, stride, bytes, values);
    } else {
      values = packKeys(k + part + a, aCount, k + part + b, bCount, stride, bytes, keys);
      packKeys(v + part + a, aCount, v + part + b, bCount, stride, bytes, values);
    }
    // Items are (row, head) pairs that share these keys, processed two at a time; a single last item takes both places.
    const items = n * group;
    for (let t = 0; t < items; t += 2) {
      const t2 = min(t + 1, items - 1);
      const r = t / group;
      const r2 = t2 / group;
      const first = <usize>r * heads + kvHead * group + (t % group);
      const step = <usize>r2 * heads + kvHead * group + (t2 % group) - first;
      const apart = t2 > t ? lane : 0;
      const count = keyCount(range + <usize>r * 16, grow);
      const count2 = keyCount(range + <usize>r2 * 16, grow);
      const to = o + first * bytes;
      const next = step * bytes;
      dotRows(q + first * bytes, next, keys, bytes, max(count, count2), bytes, scale, scratch, apart);
      const factors = softmax(scratch, apart, count, count2, stats + first * 8, step * 8);
      clearRow(to, bytes);
      clearRow(to + next, bytes);
      addRows(scratch, apart, values, bytes, count, count2, bytes, to, next);
      scaleRow(to, bytes, v128.shuffle<f32>(factors, factors, 0, 0, 0, 0));
      if (next) scaleRow(to + next, bytes, v128.shuffle<f32>(factors, factors, 1, 1, 1, 1));
    }
  }
}

/** Attention of one row: all heads over a few keys, then over the next few. */
function alone(
  q: usize,
  k: usize,
  v: usize,
  range: usize,
  o: usize,
  stats: usize,
  heads: i32,
  kvHeads: i32,
  bytes: usize,
  grow: i32,
  scale: v128,
  half: bool,
  scratch: usize,
): void {
  const stride = bytes * kvHeads;
  const group = heads / kvHeads;
  const aCount = <i32>(load<u32>(range, 4) - load<u32>(range));
  const count = keyCount(range, grow);
  const lane = laneBytes(count);
  const factors = scratch + <usize>heads * lane;
  const unpacked = scratch + unpackedAt(count, heads);
  const most = keysAtOnce(stride);
  for (let j = 0; j < count; ) {
    const n = min(most, (j < aCount ? aCount : count) - j);
    const from = rowsFrom(k, <usize>keyRow(range, j, aCount) * stride, n, stride, half, unpacked);
    for (let h = 0; h < heads; ) {
      const two = (h % group) + 1 < group;
      const keys = from + <usize>(h / group) * bytes;
      const to = scratch + <usize>h * lane + <usize>j * 4;
      dotRows(q + <usize>h * bytes, two ? bytes : 0, keys, stride, n, bytes, scale, to, two ? lane : 0);
      h += two ? 2 : 1;
    }
    j += n;
  }
  for (let h = 0; h < heads; h += 2) {
    const two = h + 1 < heads;
    const scores = scratch + <usize>h * lane;
    const to = factors + <usize>h * 4;
    v128.store(to, softmax(scores, two ? lane : 0, count, count, stats + <usize>h * 8, two ? 8 : 0));
  }
  clearRow(o, bytes * heads);
  for (let j = 0; j < count; ) {
    const n = min(most, (j < aCount ? aCount : count) - j);
    const from = rowsFrom(v, <usize>keyRow(range, j, aCount) * stride, n, stride, half, unpacked);
    for (let h = 0; h < heads; ) {
      const two = (h % group) + 1 < group;
      const values = from + <usize>(h / group) * bytes;
      const weights = scratch + <usize>h * lane + <usize>j * 4;
      addRows(weights, two ? lane : 0, values, stride, n, n, bytes, o + <usize>h * bytes, two ? bytes : 0);
      h += two ? 2 : 1;
    }
    j += n;
  }
  for (let h = 0; h < heads; h++) scaleRow(o + <usize>h * bytes, bytes, v128.load32_splat(factors + <usize>h * 4));
}

/** Address of n rows of k or v, `at` bytes (as f32) from the first. f16 rows are unpacked to `unpacked` first. */
function rowsFrom(all: usize, at: usize, n: i32, stride: usize, half: bool, unpacked: usize): usize {
  if (!half) return all + at;
  unpackF16(all + at / 2, unpacked, n * <i32>(stride / 4));
  return unpacked;
}

/** Row number in k and v of a row's key j. */
function keyRow(range: usize, j: i32, aCount: i32): u32 {
  return j < aCount ? load<u32>(range) + j : load<u32>(range, 8) + (j - aCount);
}
