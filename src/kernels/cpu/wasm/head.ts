// AssemblyScript kernels of the head, over rows of logits [rows, vocab]. Sums over the vocabulary are in single
// precision within runs of 64 and in double precision across them.
import { exp1, exp4, loadPart, storePart, sum4 } from './lanes';

/** Length of the runs that are summed in single precision. */
const RUN: i32 = 64;

function maxOf(x: usize, n: i32): f32 {
  let highest = f32x4.splat(-Infinity);
  let second = highest;
  const end = x + <usize>(n & ~3) * 4;
  // Two accumulators shorten the dependency chain, since a maximum that propagates NaN takes several instructions.
  for (; x + 16 < end; x += 32) {
    highest = f32x4.max(highest, v128.load(x));
    second = f32x4.max(second, v128.load(x, 16));
  }
  if (x < end) {
    highest = f32x4.max(highest, v128.load(x));
    x += 16;
  }
  highest = f32x4.max(highest, second);
  highest = f32x4.max(highest, loadPart(x, n & 3, -Infinity));
  return max(
    max(f32x4.extract_lane(highest, 0), f32x4.extract_lane(highest, 1)),
    max(f32x4.extract_lane(highest, 2), f32x4.extract_lane(highest, 3)),
  );
}

/** Σ exp(x − top) over n floats. */
function sumExp(x: usize, n: i32, top: f32): f64 {
  const tops = f32x4.splat(top);
  let total: f64 = 0;
  let i = 0;
  while (i + 4 <= n) {
    let s = f32x4.splat(0);
    const stop = min(i + RUN, n & ~3);
    for (; i < stop; i += 4) s = f32x4.add(s, exp4(f32x4.sub(v128.load(x + <usize>i * 4), tops)));
    total += <f64>sum4(s);
  }
  return total + <f64>sum4(exp4(f32x4.sub(loadPart(x + <usize>i * 4, n - i, -Infinity), tops)));
}

/** `targets` and `stats` point to the first of the rows. */
export function logprob(logits: usize, targets: usize, stats: usize, rows: i32, vocab: i32): void {
  const zero = f32x4.splat(0);
  for (let row = 0; row < rows; row++) {
    const top = maxOf(logits, vocab);
    const tops = f32x4.splat(top);
    let sum: f64 = 0;
    let weighted: f64 = 0;
    let i = 0;
    while (i < vocab) {
      let s = zero;
      let w = zero;
      const stop = min(i + RUN, vocab);
      for (; i < stop; i += 4) {
        const at = logits + <usize>i * 4;
        const x = f32x4.sub(i + 4 <= vocab ? v128.load(at) : loadPart(at, vocab - i, -Infinity), tops);
        const e = exp4(x);
        s = f32x4.add(s, e);
        // 0 · -∞ would be NaN: lanes that underflowed contribute no entropy.
        w = f32x4.add(w, v128.andnot(f32x4.mul(e, x), f32x4.eq(e, zero)));
      }
      sum += <f64>sum4(s);
      weighted += <f64>sum4(w);
    }
    const logSum = Math.log(sum);
    const target = load<u32>(targets + <usize>row * 4);
    store<f32>(stats, <f32>(<f64>load<f32>(logits + <usize>target * 4) - <f64>top - logSum));
    store<f32>(stats, <f32>(<f64>top + logSum), 4);
    store<f32>(stats, <f32>(logSum - weighted / sum), 8);
    stats += 12;
    logits += <usize>vocab * 4;
  }
}

/** `targets`, `stats` and `coef` point to the first of the rows. */
export function logprobGrad(
  logits: usize,
  targets: usize,
  stats: usize,
  coef: usize,
  rows: i32,
  vocab: i32,
): void {
  const tail = vocab & 3;
  for (let row = 0; row < rows; row++) {
    const c = load<f32>(coef + <usize>row * 4);
    const lse = load<f32>(stats + <usize>row * 12, 4);
    const to = logits + <usize>load<u32>(targets + <usize>row * 4) * 4;
    const atTarget = c * (<f32>1 - exp1(load<f32>(to) - lse));
    const minus = f32x4.splat(-c);
    const shift = f32x4.splat(lse);
    const end = logits + <usize>(vocab - tail) * 4;
    for (; logits < end; logits += 16) {
      v128.store(logits, f32x4.mul(minus, exp4(f32x4.sub(v128.load(logits), shift))));
    }
    storePart(logits, tail, f32x4.mul(minus, exp4(f32x4.sub(loadPart(logits, tail, 0), shift))));
    logits += <usize>tail * 4;
    store<f32>(to, atTarget);
  }
}

/** −c · p − h · p · (log p + H) of four logits; the second term is 0 where p = 0. */
function entropySlope(x: v128, lse: v128, entropy: v128, minus: v128, slope: v128): v128 {
  const logp = f32x4.sub(x, lse);
  const p = exp4(logp);
  const pull = f32x4.mul(f32x4.mul(slope, p), f32x4.add(logp, entropy));
  return f32x4.sub(f32x4.mul(minus, p), v128.andnot(pull, f32x4.eq(p, f32x4.splat(0))));
}

/** `targets`, `stats`, `coef` and `slope` point to the first of the rows. */
export function logprobEntropyGrad(
  logits: usize,
  targets: usize,
  stats: usize,
  coef: usize,
  slope: usize,
  rows: i32,
  vocab: i32,
): void {
  const tail = vocab & 3;
  for (let row = 0; row < rows; row++) {
    const c = load<f32>(coef + <usize>row * 4);
    const h = load<f32>(slope + <usize>row * 4);
    const lse = load<f32>(stats + <usize>row * 12, 4);
    const entropy = load<f32>(stats + <usize>row * 12, 8);
    const to = logits + <usize>load<u32>(targets + <usize>row * 4) * 4;
    const logp = load<f32>(to) - lse;
    const p = exp1(logp);
    const own = c * (<f32>1 - p);
    const atTarget = p > 0 ? own - h * p * (logp + entropy) : own;
    const minus = f32x4.splat(-c);
    const slopes = f32x4.splat(h);
    const shift = f32x4.splat(lse);
    const entropies = f32x4.splat(entropy);
    const end = logits + <usize>(vocab - tail) * 4;
    for (; logits < end; logits += 16) {
      v128.store(logits, entropySlope(v128.load(logits), shift, entropies, minus, slopes));
    }
    storePart(logits, tail, entropySlope(loadPart(logits, tail, 0), shift, entropies, minus, slopes));
    logits += <usize>tail * 4;
    store<f32>(to, atTarget);
  }
}

/** `stats`, `teacherStats` and `kl` point to the first of the rows. */
export function reverseKl(
  logits: usize,
  teacher: usize,
  stats: usize,
  teacherStats: usize,
  kl: usize,
  rows: i32,
  vocab: i32,
): void {
  const zero = f32x4.splat(0);
  for (let row = 0; row < rows; row++) {
    const lse = f32x4.splat(load<f32>(stats + <usize>row * 12, 4));
    const teacherLse = f32x4.splat(load<f32>(teacherStats + <usize>row * 12, 4));
    let sum: f64 = 0;
    let i = 0;
    while (i < vocab) {
      let s = zero;
      const stop = min(i + RUN, vocab);
      for (; i < stop; i += 4) {
        const at = <usize>i * 4;
        const isWhole = i + 4 <= vocab;
        const x = isWhole ? v128.load(logits + at) : loadPart(logits + at, vocab - i, -Infinity);
        const y = isWhole ? v128.load(teacher + at) : loadPart(teacher + at, vocab - i, -Infinity);
        const a = f32x4.sub(x, lse);
        const b = f32x4.sub(y, teacherLse);
        const p = exp4(a);
        // 0 · -∞ would be NaN: lanes that underflowed, and those past the end, contribute only the teacher's mass.
        const own = v128.andnot(f32x4.sub(f32x4.mul(p, f32x4.sub(a, b)), p), f32x4.eq(p, zero));
        s = f32x4.add(s, f32x4.add(own, exp4(b)));
      }
      sum += <f64>sum4(s);
    }
    store<f32>(kl + <usize>row * 4, <f32>max<f64>(0, sum));
    logits += <usize>vocab * 4;
    teacher += <usize>vocab * 4;
  }
}

/** p · (a − b − kl) · coef of four logits; 0 where p = 0. */
function klSlope(x: v128, y: v128, lse: v128, teacherLse: v128, kl: v128, coef: v128): v128 {
  const a = f32x4.sub(x, lse);
  const p = exp4(a);
  const gap = f32x4.sub(f32x4.sub(a, f32x4.sub(y, teacherLse)), kl);
  return v128.andnot(f32x4.mul(f32x4.mul(coef, p), gap), f32x4.eq(p, f32x4.splat(0)));
}

/** `stats`, `teacherStats`, `kl` and `coef` point to the first of the rows. */
export function reverseKlGrad(
  logits: usize,
  teacher: usize,
  stats: usize,
  teacherStats: usize,
  kl: usize,
  coef: usize,
  rows: i32,
  vocab: i32,
): void {
  const tail = vocab & 3;
  for (let row = 0; row < rows; row++) {
    const lse = f32x4.splat(load<f32>(stats + <usize>row * 12, 4));
    const teacherLse = f32x4.splat(load<f32>(teacherStats + <usize>row * 12, 4));
    const k = f32x4.splat(load<f32>(kl + <usize>row * 4));
    const c = f32x4.splat(load<f32>(coef + <usize>row * 4));
    const end = logits + <usize>(vocab - tail) * 4;
    for (; logits < end; logits += 16, teacher += 16) {
      v128.store(logits, klSlope(v128.load(logits), v128.load(teacher), lse, teacherLse, k, c));
    }
    storePart(logits, tail, klSlope(loadPart(logits, tail, 0), loadPart(teacher, tail, 0), lse, teacherLse, k, c));
    logits += <usize>tail * 4;
    teacher += <usize>tail * 4;
  }
}

/** Bytes of scratch of `sampleRow`: an exponential per token, and the cumulative sum before each run of RUN tokens. */
export function sampleScratch(vocab: i32): usize {
  return <usize>(vocab + 8) * 4 + <usize>(vocab / RUN + 1) * 8;
}

/** Samples a token from one row with uniform u in [0, 1); temperature 0 takes the maximum. Stores the log-probability at
 *  temperature 1 into `logp` and returns the token. Scratch: sampleScratch(vocab) bytes. */
export function sampleRow(logits: usize, vocab: i32, temperature: f32, u: f64, logp: usize, scratch: usize): i32 {
  const top = maxOf(logits, vocab);
  let token = 0;
  let mass: f64 = 0;
  if (temperature == 0) {
    while (token < vocab - 1 && load<f32>(logits + <usize>token * 4) != top) token++;
    mass = sumExp(logits, vocab, top);
  } else {
    const marks = (scratch + <usize>(vocab + 4) * 4 + 7) & ~7;
    const tops = f32x4.splat(top);
    const heat = f32x4.splat(temperature);
    const whole = vocab & ~3;
    let sum: f64 = 0;
    let v = 0;
    while (v < vocab) {
      store<f64>(marks + <usize>(v / RUN) * 8, sum);
      let s = f32x4.splat(0);
      const stop = min(v + RUN, whole);
      for (; v < stop; v += 4) {
        const e = exp4(f32x4.div(f32x4.sub(v128.load(logits + <usize>v * 4), tops), heat));
        v128.store(scratch + <usize>v * 4, e);
        s = f32x4.add(s, e);
        sum += <f64>f32x4.extract_lane(e, 0);
        sum += <f64>f32x4.extract_lane(e, 1);
        sum += <f64>f32x4.extract_lane(e, 2);
        sum += <f64>f32x4.extract_lane(e, 3);
      }
      mass += <f64>sum4(s);
      if (v == whole) break;
    }
    if (v < vocab) {
      if (v % RUN == 0) store<f64>(marks + <usize>(v / RUN) * 8, sum);
      const e = exp4(f32x4.div(f32x4.sub(loadPart(logits + <usize>v * 4, vocab - v, -Infinity), tops), heat));
      v128.store(scratch + <usize>v * 4, e);
      mass += <f64>sum4(e);
      for (; v < vocab; v++) sum += <f64>load<f32>(scratch + <usize>v * 4);
    }
    token = drawn(scratch, marks, vocab, u * sum);
    // At temperature 1, `mass` already has the same terms in the same order as sumExp.
    if (temperature != 1) mass = sumExp(logits, vocab, top);
  }
  store<f32>(logp, <f32>(<f64>load<f32>(logits + <usize>token * 4) - <f64>top - Math.log(mass)));
  return token;
}

/** The first token at which the cumulative sum of `weights` exceeds `bound`, otherwise the last with positive weight. `marks`: the
 *  cumulative sums before each run of RUN tokens, to find the right run quickly. */
function drawn(weights: usize, marks: usize, vocab: i32, bound: f64): i32 {
  let v = 0;
  while (v + RUN < vocab && load<f64>(marks + <usize>(v / RUN + 1) * 8) <= bound) v += RUN;
  let running = load<f64>(marks + <usize>(v / RUN) * 8);
  let token = 0;
  const from = v;
  for (; v < vocab; v++) {
    const e = load<f32>(weights + <usize>v * 4);
    running += <f64>e;
    if (e > 0) token = v;
    if (running > bound) return token;
  }
  // The bound was never exceeded, and the last run may have no weight.
  for (v = from - 1; token == 0 && v > 0; v--) if (load<f32>(weights + <usize>v * 4) > 0) token = v;
  return token;
}
