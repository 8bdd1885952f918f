// AssemblyScript kernels: the short causal convolution of a gated DeltaNet layer with silu, the layer's gates, and the gradients of both
// (contract/delta.ts). Channels are processed 16 at a time, a cache line of each row.
import { fma4 } from './fma';
import { exp1 } from './lanes';
import { sigmoid4, siluSlope } from './norm';
import { RUN_BYTES, runAfter, runBefore, runChildren, runFrom, runTo } from './runs';

const WIDE: usize = 64;

/** Transposes w [channels, taps] to [taps, 16]. */
function turn(w: usize, taps: i32, channels: i32, to: usize): void {
  for (let c = 0; c < channels; c++)
    for (let j = 0; j < taps; j++) store<f32>(to + <usize>j * WIDE + <usize>c * 4, load<f32>(w + <usize>(c * taps + j) * 4));
}

/** Address of row t of a run; rows before its first are in `past`. Returns 0 if the row does not exist. */
@inline
function rowAt(m: usize, past: usize, t: i32, back: i32, stride: usize): usize {
  if (t >= 0) return m + <usize>t * stride;
  return past == 0 ? <usize>0 : past + <usize>(t + back) * stride;
}

/** Σ_j w_j · m_{t − back + j} of four channels, at byte offset `at`. */
@inline
function tapped(m: usize, past: usize, t: i32, back: i32, stride: usize, w: usize, at: usize): v128 {
  let sum = f32x4.splat(0);
  for (let j = 0; j <= back; j++) {
    const row = rowAt(m, past, t - back + j, back, stride);
    if (row != 0) sum = fma4(v128.load(w + <usize>j * WIDE + at), v128.load(row + at), sum);
  }
  return sum;
}

export function convScratch(taps: i32, longest: i32): usize {
  return <usize>(taps + longest) * WIDE;
}

/** Computes channels [left, right) of the cols; m, w and past point to the first of the cols. Scratch: convScratch(taps, 0) bytes. */
export function convSilu(
  m: usize,
  w: usize,
  runs: usize,
  past: usize,
  out: usize,
  width: i32,
  cols: i32,
  taps: i32,
  count: i32,
  left: i32,
  right: i32,
  scratch: usize,
): void {
  const back = taps - 1;
  const stride = <usize>width * 4;
  const slot = stride * back;
  for (let r = 0; r < count; r++, runs += RUN_BYTES) {
    const n = runTo(runs) - runFrom(runs);
    for (let c = left; c < right; c += 16) {
      const channels = min(16, right - c);
      const bytes = <usize>channels * 4;
      const column = <usize>c * 4;
      turn(w + <usize>(c * taps) * 4, taps, channels, scratch);
      const rows = m + <usize>runFrom(runs) * stride + column;
      const before = runBefore(runs) < 0 ? <usize>0 : past + <usize>runBefore(runs) * slot + column;
      let to = out + <usize>(runFrom(runs) * cols) * 4 + column;
      for (let t = 0; t < n; t++) {
        for (let i: usize = 0; i < bytes; i += 16) {
          const sum = tapped(rows, before, t, back, stride, scratch, i);
          v128.store(to + i, f32x4.mul(sum, sigmoid4(sum)));
        }
        to += <usize>cols * 4;
      }
      const after = past + <usize>runAfter(runs) * slot + column;
      for (let b = 0; b < back; b++) {
        const row = rowAt(rows, before, n - back + b, back, stride);
        for (let i: usize = 0; i < bytes; i += 16) {
          v128.store(after + <usize>b * stride + i, row == 0 ? f32x4.splat(0) : v128.load(row + i));
        }
      }
    }
  }
}

/** Computes channels [left, right). Scratch: convScratch(taps, longest) bytes, for the gradients of a run's sums. */
export function convSiluGrad(
  m: usize,
  w: usize,
  runs: usize,
  past: usize,
  dOut: usize,
  dM: usize,
  width: i32,
  cols: i32,
  taps: i32,
  count: i32,
  left: i32,
  right: i32,
  scratch: usize,
): void {
  const back = taps - 1;
  const stride = <usize>width * 4;
  const slot = stride * back;
  const slopes = scratch + <usize>taps * WIDE;
  for (let r = 0; r < count; r++, runs += RUN_BYTES) {
    const n = runTo(runs) - runFrom(runs);
    for (let c = left; c < right; c += 16) {
      const channels = min(16, right - c);
      const bytes = <usize>channels * 4;
      const column = <usize>c * 4;
      turn(w + <usize>(c * taps) * 4, taps, channels, scratch);
      const first = <usize>runFrom(runs) * stride + column;
      const before = runBefore(runs) < 0 ? <usize>0 : past + <usize>runBefore(runs) * slot + column;
      let from = dOut + <usize>(runFrom(runs) * cols) * 4 + column;
      for (let t = 0; t < n; t++) {
        for (let i: usize = 0; i < bytes; i += 16) {
          const sum = tapped(m + first, before, t, back, stride, scratch, i);
          v128.store(slopes + <usize>t * WIDE + i, f32x4.mul(v128.load(from + i), siluSlope(sum, sigmoid4(sum))));
        }
        from += <usize>cols * 4;
      }
      const after = past + <usize>runAfter(runs) * slot + column;
      for (let t = -back; t < n; t++) {
        const to = t < 0 ? after + <usize>(t + back) * stride : dM + first + <usize>t * stride;
        for (let i: usize = 0; i < bytes; i += 16) {
          let sum = f32x4.splat(0);
          for (let s = max(t, 0); s <= min(t + back, n - 1); s++) {
            sum = fma4(v128.load(scratch + <usize>(back + t - s) * WIDE + i), v128.load(slopes + <usize>s * WIDE + i), sum);
          }
          // The last rows of the run (or rows before a short one) are in the past of its children.
          const b = t - n + back;
          if (b >= 0) {
            for (let child = 1; child <= runChildren(runs); child++) {
              sum = f32x4.add(sum, v128.load(after + <usize>child * slot + <usize>b * stride + i));
            }
          }
          v128.store(to + i, sum);
        }
      }
    }
  }
}

/** Computes channels [left, right); dW points to the first of the cols. Scratch: convScratch(taps, taps) bytes, for the weights and their
 *  gradients [taps, 16]. */
export function convSiluDw(
  m: usize,
  w: usize,
  runs: usize,
  past: usize,
  dOut: usize,
  dW: usize,
  width: i32,
  cols: i32,
  taps: i32,
  count: i32,
  left: i32,
  right: i32,
  scratch: usize,
): void {
  const back = taps - 1;
  const stride = <usize>width * 4;
  const sums = scratch + <usize>taps * WIDE;
  for (let c = left; c < right; c += 16) {
    const channels = min(16, right - c);
    const bytes = <usize>channels * 4;
    const column = <usize>c * 4;
    turn(w + <usize>(c * taps) * 4, taps, channels, scratch);
    memory.fill(sums, 0, <usize>taps * WIDE);
    let run = runs;
    for (let r = 0; r < count; r++, run += RUN_BYTES) {
      const n = runTo(run) - runFrom(run);
      const rows = m + <usize>runFrom(run) * stride + column;
      const before = runBefore(run) < 0 ? <usize>0 : past + <usize>runBefore(run) * stride * back + column;
      let from = dOut + <usize>(runFrom(run) * cols) * 4 + column;
      for (let t = 0; t < n; t++) {
        for (let i: usize = 0; i < bytes; i += 16) {
          const sum = tapped(rows, before, t, back, stride, scratch, i);
          const slope = f32x4.mul(v128.load(from + i), siluSlope(sum, sigmoid4(sum)));
          for (let j = 0; j < taps; j++) {
            const row = rowAt(rows, before, t - back + j, back, stride);
            const to = sums + <usize>j * WIDE + i;
            if (row != 0) v128.store(to, fma4(slope, v128.load(row + i), v128.load(to)));
          }
        }
        from += <usize>cols * 4;
      }
    }
    for (let i = 0; i < channels; i++)
      for (let j = 0; j < taps; j++) {
        const to = dW + <usize>((c + i) * taps + j) * 4;
        store<f32>(to, load<f32>(to) + load<f32>(sums + <usize>j * WIDE + <usize>i * 4));
      }
  }
}

/** log(1 + e^x) */
@inline
function softplus(x: f32): f32 {
  return max<f32>(x, 0) + <f32>Math.log(1 + <f64>exp1(-abs<f32>(x)));
}

@inline
function sigmoid(x: f32): f32 {
  return 1 / (1 + exp1(-x));
}

/** Computes the gates of `rows` rows. */
export function deltaGates(a: usize, b: usize, aLog: usize, dtBias: usize, gates: usize, rows: i32, heads: i32): void {
  for (let i = 0; i < rows * heads; i++) {
    const h = <usize>(i % heads) * 4;
    const at = <usize>i * 4;
    store<f32>(gates + 2 * at, -exp1(load<f32>(aLog + h)) * softplus(load<f32>(a + at) + load<f32>(dtBias + h)));
    store<f32>(gates + 2 * at, sigmoid(load<f32>(b + at)), 4);
  }
}

export function deltaGatesGrad(
  a: usize,
  b: usize,
  aLog: usize,
  dtBias: usize,
  dGates: usize,
  dA: usize,
  dB: usize,
  rows: i32,
  heads: i32,
): void {
  for (let i = 0; i < rows * heads; i++) {
    const h = <usize>(i % heads) * 4;
    const at = <usize>i * 4;
    const slope = exp1(load<f32>(aLog + h)) * sigmoid(load<f32>(a + at) + load<f32>(dtBias + h));
    store<f32>(dA + at, -load<f32>(dGates + 2 * at) * slope);
    const beta = sigmoid(load<f32>(b + at));
    store<f32>(dB + at, load<f32>(dGates + 2 * at, 4) * beta * (1 - beta));
  }
}
