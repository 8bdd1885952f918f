// AssemblyScript helpers: the keys to which the rows of an attention call attend. A row's range (a0, a1, b0, b1) is two runs of
// key rows. Consecutive rows of a sequence, whose ranges differ only in b1, share keys: those of one head are packed
// contiguously once and serve every row and head of the group from the CPU cache.
import { packRows } from './attention-tiles';
import { unpackF16 } from './packed';

/** Bytes of a lane, a scratch array for `count` numbers: whole vectors, and one more after them. */
export function laneBytes(count: i32): usize {
  return (<usize>count * 4 + 31) & ~15;
}

/** Number of consecutive rows, from row i, whose ranges differ only in b1. */
export function sharedRows(ranges: usize, i: i32, rows: i32): i32 {
  const first = ranges + <usize>i * 16;
  let n = 1;
  for (; i + n < rows; n++) {
    const at = first + <usize>n * 16;
    if (load<u64>(at) != load<u64>(first) || load<u32>(at, 8) != load<u32>(first, 8)) break;
  }
  return n;
}

/** Number of keys to which a row attends, `grow` more than in its range. */
export function keyCount(range: usize, grow: i32): i32 {
  return <i32>(load<u32>(range, 4) - load<u32>(range) + (load<u32>(range, 12) - load<u32>(range, 8))) + grow;
}

/** The largest b1 of n rows, minus b0. */
export function longestOwn(range: usize, n: i32): i32 {
  let longest: u32 = 0;
  for (let i = 0; i < n; i++) longest = max(longest, load<u32>(range + <usize>i * 16, 12));
  return <i32>(longest - load<u32>(range, 8));
}

/** Copies one head's rows of k (or v), aCount from `a` and bCount from `b`, contiguously to `to`; returns the end
 *  address. */
export function packKeys(
  a: usize,
  aCount: i32,
  b: usize,
  bCount: i32,
  stride: usize,
  bytes: usize,
  to: usize,
): usize {
  return packRows(b, stride, bCount, bytes, packRows(a, stride, aCount, bytes, to));
}

/** packKeys with f16 input: `a`, `b`, `stride` and `bytes` are offsets and sizes as in f32, relative to `all`. */
export function packHalves(
  all: usize,
  a: usize,
  aCount: i32,
  b: usize,
  bCount: i32,
  stride: usize,
  bytes: usize,
  to: usize,
): usize {
  const n = <i32>(bytes / 4);
  for (let j = 0; j < aCount + bCount; j++) {
    const from = j < aCount ? a + <usize>j * stride : b + <usize>(j - aCount) * stride;
    unpackF16(all + from / 2, to, n);
    to += bytes;
  }
  return to;
}
