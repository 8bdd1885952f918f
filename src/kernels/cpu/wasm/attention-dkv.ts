// AssemblyScript kernel: attention's backward pass to keys and values. Key row j is attended by query rows [j, qEnd[j]). An item is one
// head of the group in one such query row; sums run over items by row, then head. Consecutive key rows with the same qEnd share
// items, so the items are packed in chunks, and each chunk is processed for two key rows at a time.
import { laneBytes } from './attention-keys';
import { addRows, clearRow, dotRows, packRows, scaleRow } from './attention-tiles';
import { exp4 } from './lanes';

/** Floats of q (and of dO) in a chunk, so that both stay in the L1 cache. */
const CHUNK: i32 = 3072;

function chunkRows(group: i32, headDim: i32): i32 {
  return max(1, CHUNK / (group * headDim));
}

/** Bytes of scratch of `attentionDkv`: a chunk's q and dO, its statistics, and four arrays of one number per item (lanes). */
export function attentionDkvScratch(heads: i32, kvHeads: i32, headDim: i32): usize {
  const items = chunkRows(heads / kvHeads, headDim) * (heads / kvHeads);
  return <usize>items * headDim * 8 + 6 * laneBytes(items);
}

/** Splits the (log-sum-exp, delta) pairs of `count` rows' items into two arrays. */
function packStats(stats: usize, stride: usize, count: i32, group: i32, lse: usize, delta: usize): void {
  for (let i = 0; i < count; i++) {
    for (let g = 0; g < group; g++) {
      store<f32>(lse, load<f32>(stats + <usize>g * 8));
      store<f32>(delta, load<f32>(stats + <usize>g * 8, 4));
      lse += 4;
      delta += 4;
    }
    stats += stride;
  }
}

/** In place: a key's scores s_i in [at, end) → p_i = exp(s_i − lse_i), and g_i = dO_i·v at `grads` → p_i·(g_i − delta_i). */
function slopes(at: usize, end: usize, grads: usize, lse: usize, delta: usize): void {
  for (; at < end; at += 16) {
    const p = exp4(f32x4.sub(v128.load(at), v128.load(lse)));
    v128.store(at, p);
    v128.store(grads, f32x4.mul(p, f32x4.sub(v128.load(grads), v128.load(delta))));
    grads += 16;
    lse += 16;
    delta += 16;
  }
}

/** All pointers are to the first of the `rows` key rows, which is row `first` of the batch; qEnd holds row numbers of the batch.
 *  Scratch: attentionDkvScratch(…) bytes. */
export function attentionDkv(
  q: usize,
  k: usize,
  v: usize,
  stats: usize,
  dO: usize,
  qEnd: usize,
  dk: usize,
  dv: usize,
  rows: i32,
  heads: i32,
  kvHeads: i32,
  headDim: i32,
  first: i32,
  scratch: usize,
): void {
  const bytes = <usize>headDim * 4;
  const stride = bytes * kvHeads;
  const qStride = bytes * heads;
  const scale = f32x4.splat(<f32>(1 / sqrt<f64>(headDim)));
  const one = f32x4.splat(1);
  const group = heads / kvHeads;
  const chunk = chunkRows(group, headDim);
  const lane = laneBytes(chunk * group);
  const qs = scratch + 6 * lane;
  const dOs = qs + <usize>(chunk * group) * bytes;
  const grads = scratch + 2 * lane;
  const lse = scratch + 4 * lane;
  const delta = lse + lane;
  clearRow(dk, <usize>rows * stride);
  clearRow(dv, <usize>rows * stride);
  for (let j0 = 0, j1 = 0; j0 < rows; j0 = j1) {
    const absolute = load<u32>(qEnd + <usize>j0 * 4);
    while (j1 < rows && load<u32>(qEnd + <usize>j1 * 4) == absolute) j1++;
    const stop = <i32>absolute - first;
    for (let kvHead = 0; kvHead < kvHeads; kvHead++) {
      const part = <usize>kvHead * bytes;
      for (let i0 = j0; i0 < stop; i0 += chunk) {
        const i1 = min(i0 + chunk, stop);
        const from = <usize>i0 * qStride + part * group;
        packRows(q + from, qStride, i1 - i0, bytes * group, qs);
        packRows(dO + from, qStride, i1 - i0, bytes * group, dOs);
        packStats(stats + <usize>(i0 * heads + kvHead * group) * 8, <usize>heads * 8, i1 - i0, group, lse, delta);
        for (let j = j0; j < min(j1, i1); j += 2) {
          const at = <usize>j * stride + part;
          const skip = max(0, j - i0) * group;
          const count = (i1 - i0) * group - skip;
          const end = scratch + <usize>count * 4;
          const qAt = qs + <usize>skip * bytes;
          const oAt = dOs + <usize>skip * bytes;
          const lseAt = lse + <usize>skip * 4;
          const deltaAt = delta + <usize>skip * 4;
          // A single last key row takes both places.
          const two = j + 1 < j1;
          const next = two ? stride : 0;
          const apart = two ? lane : 0;
          dotRows(k + at, next, qAt, bytes, count, bytes, scale, scratch, apart);
          dotRows(v + at, next, oAt, bytes, count, bytes, one, grads, apart);
          slopes(scratch, end, grads, lseAt, deltaAt);
          if (two) slopes(scratch + lane, end + lane, grads + lane, lseAt, deltaAt);
          // Query row j attends to key row j but not to j + 1.
          const alone = two && j >= i0 ? group : 0;
          const both = <usize>alone * 4;
          const rowsAt = <usize>alone * bytes;
          const rest = count - alone;
          addRows(grads, 0, qAt, bytes, alone, alone, bytes, dk + at, 0);
          addRows(scratch, 0, oAt, bytes, alone, alone, bytes, dv + at, 0);
          addRows(grads + both, apart, qAt + rowsAt, bytes, rest, rest, bytes, dk + at, next);
          addRows(scratch + both, apart, oAt + rowsAt, bytes, rest, rest, bytes, dv + at, next);
        }
      }
    }
  }
  scaleRow(dk, <usize>rows * stride, scale);
}
