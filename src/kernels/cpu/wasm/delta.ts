// AssemblyScript kernels: the gated delta rule and its gradient (contract/delta.ts), on 16 columns of a head's state at a time. In the forward
// pass columns are independent, and 16 of them with 128 keys take 8 kB. One pass over a state updates it by a row and computes the products
// that the next row needs. A run of one row, as in decoding, reads a head's state sequentially and updates it in place, with the same bits.
import { fma4 } from './fma';
import { dot, exp1, sum4, sums } from './lanes';
import { RUN_BYTES, runAfter, runBefore, runChildren, runFrom, runTo } from './runs';

/** Bytes of 16 columns in a row of the state. */
const WIDE: usize = 64;
/** The gradient stores the state every CHUNK rows and recomputes those in between. */
const CHUNK: i32 = 16;

function copy16(to: usize, from: usize, bytes: usize): void {
  for (let i: usize = 0; i < WIDE; i += 16) v128.store(to + i, i < bytes ? v128.load(from + i) : f32x4.splat(0));
}

/** Copies `bytes` of each of a head's keyDim rows, `stride` bytes apart, into rows of 16 columns, padded with zeros. */
function loadState(from: usize, stride: usize, bytes: usize, keyDim: i32, to: usize): void {
  for (let d = 0; d < keyDim; d++) {
    copy16(to, from, bytes);
    from += stride;
    to += WIDE;
  }
}

function storeState(to: usize, stride: usize, bytes: usize, keyDim: i32, from: usize): void {
  for (let d = 0; d < keyDim; d++) {
    for (let i: usize = 0; i < bytes; i += 16) v128.store(to + i, v128.load(from + i));
    to += stride;
    from += WIDE;
  }
}

/** Computes S = keeps · state + k uᵀ into `into`, and Sᵀk2 and Sᵀq2, 16 columns each, into `found`. */
function step(
  state: usize,
  into: usize,
  keeps: f32,
  k: usize,
  u: usize,
  k2: usize,
  q2: usize,
  keyDim: i32,
  found: usize,
): void {
  const keep = f32x4.splat(keeps);
  const u0 = v128.load(u);
  const u1 = v128.load(u, 16);
  const u2 = v128.load(u, 32);
  const u3 = v128.load(u, 48);
  let p0 = f32x4.splat(0);
  let p1 = p0;
  let p2 = p0;
  let p3 = p0;
  let r0 = p0;
  let r1 = p0;
  let r2 = p0;
  let r3 = p0;
  const end = k + <usize>keyDim * 4;
  for (; k < end; k += 4) {
    const key = v128.load32_splat(k);
    const next = v128.load32_splat(k2);
    const query = v128.load32_splat(q2);
    const s0 = fma4(key, u0, f32x4.mul(keep, v128.load(state)));
    v128.store(into, s0);
    p0 = fma4(next, s0, p0);
    r0 = fma4(query, s0, r0);
    const s1 = fma4(key, u1, f32x4.mul(keep, v128.load(state, 16)));
    v128.store(into, s1, 16);
    p1 = fma4(next, s1, p1);
    r1 = fma4(query, s1, r1);
    const s2 = fma4(key, u2, f32x4.mul(keep, v128.load(state, 32)));
    v128.store(into, s2, 32);
    p2 = fma4(next, s2, p2);
    r2 = fma4(query, s2, r2);
    const s3 = fma4(key, u3, f32x4.mul(keep, v128.load(state, 48)));
    v128.store(into, s3, 48);
    p3 = fma4(next, s3, p3);
    r3 = fma4(query, s3, r3);
    k2 += 4;
    q2 += 4;
    state += WIDE;
    into += WIDE;
  }
  v128.store(found, p0);
  v128.store(found, p1, 16);
  v128.store(found, p2, 32);
  v128.store(found, p3, 48);
  v128.store(found, r0, 64);
  v128.store(found, r1, 80);
  v128.store(found, r2, 96);
  v128.store(found, r3, 112);
}

/** Computes Sᵀk and Sᵀq, valueDim elements each, into `found`, four keys at a time. */
function products(state: usize, k: usize, q: usize, keyDim: i32, valueBytes: usize, found: usize): void {
  memory.fill(found, 0, 2 * valueBytes);
  const end = k + <usize>keyDim * 4;
  for (; k < end; k += 16) {
    const k0 = v128.load32_splat(k);
    const k1 = v128.load32_splat(k, 4);
    const k2 = v128.load32_splat(k, 8);
    const k3 = v128.load32_splat(k, 12);
    const q0 = v128.load32_splat(q);
    const q1 = v128.load32_splat(q, 4);
    const q2 = v128.load32_splat(q, 8);
    const q3 = v128.load32_splat(q, 12);
    const stop = state + valueBytes;
    for (let at = found; state < stop; state += 16, at += 16) {
      const s0 = v128.load(state);
      const s1 = v128.load(state + valueBytes);
      const s2 = v128.load(state + 2 * valueBytes);
      const s3 = v128.load(state + 3 * valueBytes);
      v128.store(at, fma4(k3, s3, fma4(k2, s2, fma4(k1, s1, fma4(k0, s0, v128.load(at))))));
      const read = at + valueBytes;
      v128.store(read, fma4(q3, s3, fma4(q2, s2, fma4(q1, s1, fma4(q0, s0, v128.load(read))))));
    }
    state += 3 * valueBytes;
    q += 16;
  }
}

/** Computes keeps · state + k uᵀ for all columns into `into`. */
function write(state: usize, into: usize, keeps: f32, k: usize, u: usize, keyDim: i32, valueBytes: usize): void {
  const keep = f32x4.splat(keeps);
  const end = k + <usize>keyDim * 4;
  for (; k < end; k += 4) {
    const key = v128.load32_splat(k);
    for (let i: usize = 0; i < valueBytes; i += 16)
      v128.store(into + i, fma4(key, v128.load(u + i), f32x4.mul(keep, v128.load(state + i))));
    state += valueBytes;
    into += valueBytes;
  }
}

/** For `bytes` of a row's columns, computes u = β(v − e^g Sᵀk) and the output o, from Sᵀk at `found` and Sᵀq at `read`;
 *  `own` is q·k. */
@inline
function correct(
  v: usize,
  o: usize,
  keep: v128,
  beta: v128,
  own: v128,
  scale: v128,
  bytes: usize,
  found: usize,
  read: usize,
  u: usize,
): void {
  for (let i: usize = 0; i < bytes; i += 16) {
    const error = f32x4.sub(v128.load(v + i), f32x4.mul(keep, v128.load(found + i)));
    const change = f32x4.mul(beta, error);
    v128.store(u + i, change);
    v128.store(o + i, f32x4.mul(scale, fma4(own, change, f32x4.mul(keep, v128.load(read + i)))));
  }
}

export function deltaRuleScratch(keyDim: i32, valueDim: i32): usize {
  return max(<usize>keyDim * WIDE + 4 * WIDE, <usize>valueDim * 12);
}

/** Computes value heads [left, right). Scratch: deltaRuleScratch(…) bytes. */
export function deltaRule(
  qk: usize,
  v: usize,
  gates: usize,
  runs: usize,
  states: usize,
  o: usize,
  count: i32,
  keyHeads: i32,
  heads: i32,
  keyDim: i32,
  valueDim: i32,
  left: i32,
  right: i32,
  scratch: usize,
): void {
  const keyBytes = <usize>keyDim * 4;
  const rowKeys = <usize>(2 * keyHeads) * keyBytes;
  const valueBytes = <usize>valueDim * 4;
  const rowValues = valueBytes * heads;
  const headState = keyBytes * valueDim;
  const slot = headState * heads;
  const scale = f32x4.splat(<f32>(1 / sqrt<f64>(keyDim)));
  const state = scratch;
  const found = scratch + keyBytes * 16;
  const u = found + 2 * WIDE;
  for (let r = 0; r < count; r++, runs += RUN_BYTES) {
    const from = runFrom(runs);
    const to = runTo(runs);
    const before = runBefore(runs);
    for (let h = left; h < right; h++) {
      const keyHead = (h * keyHeads) / heads;
      const queries = qk + <usize>keyHead * keyBytes;
      const keys = queries + rowKeys / 2;
      if (to - from == 1) {
        const k = keys + <usize>from * rowKeys;
        const q = queries + <usize>from * rowKeys;
        const gate = gates + <usize>(from * heads + h) * 8;
        const keeps = exp1(load<f32>(gate));
        const at = <usize>from * rowValues + <usize>h * valueBytes;
        const ofHead = states + <usize>h * headState;
        const into = ofHead + <usize>runAfter(runs) * slot;
        const whole = before < 0 ? into : ofHead + <usize>before * slot;
        if (before < 0) memory.fill(into, 0, headState);
        const change = scratch + 2 * valueBytes;
        products(whole, k, q, keyDim, valueBytes, scratch);
        const own = f32x4.splat(<f32>dot(q, k, keyDim));
        const beta = v128.load32_splat(gate, 4);
        const read = scratch + valueBytes;
        correct(v + at, o + at, f32x4.splat(keeps), beta, own, scale, valueBytes, scratch, read, change);
        write(whole, into, keeps, k, change, keyDim, valueBytes);
        continue;
      }
      for (let column: usize = 0; column < valueBytes; column += WIDE) {
        const bytes = min(WIDE, valueBytes - column);
        const start = states + <usize>h * headState + column;
        if (before < 0) memory.fill(state, 0, keyBytes * 16);
        else loadState(start + <usize>before * slot, valueBytes, bytes, keyDim, state);
        if (from < to) {
          // With u = 0 and keeps = 1, the step only computes the products for the first row.
          const k = keys + <usize>from * rowKeys;
          memory.fill(u, 0, WIDE);
          step(state, state, 1, k, u, k, queries + <usize>from * rowKeys, keyDim, found);
        }
        for (let t = from; t < to; t++) {
          const k = keys + <usize>t * rowKeys;
          const q = queries + <usize>t * rowKeys;
          const gate = gates + <usize>(t * heads + h) * 8;
          const keeps = exp1(load<f32>(gate));
          const beta = v128.load32_splat(gate, 4);
          const own = f32x4.splat(<f32>dot(q, k, keyDim));
          const at = <usize>t * rowValues + <usize>h * valueBytes + column;
          correct(v + at, o + at, f32x4.splat(keeps), beta, own, scale, bytes, found, found + WIDE, u);
          const next = <usize>min(t + 1, to - 1) * rowKeys;
          step(state, state, keeps, k, u, keys + next, queries + next, keyDim, found);
        }
        storeState(start + <usize>runAfter(runs) * slot, valueBytes, bytes, keyDim, state);
      }
    }
  }
}

/** Bytes of scratch: a state every CHUNK rows, the states of a chunk, the state's gradient, a chunk's errors e, column sums per key, a few
 *  vectors, and (e^g, β, dg, dβ) of every row. `longest`: rows of the longest run. */
export function deltaRuleGradScratch(longest: i32, keyDim: i32): usize {
  const chunks = (longest + CHUNK - 1) / CHUNK;
  const states = <usize>(chunks + CHUNK + 2) * keyDim * WIDE;
  return states + <usize>CHUNK * WIDE + <usize>keyDim * 32 + 8 * WIDE + <usize>longest * 16;
}

/** Adds q doᵀ to dS, and computes du = dSᵀk into `into`. */
function upward(dS: usize, q: usize, dO: usize, k: usize, keyDim: i32, into: usize): void {
  const o0 = v128.load(dO);
  const o1 = v128.load(dO, 16);
  const o2 = v128.load(dO, 32);
  const o3 = v128.load(dO, 48);
  let s0 = f32x4.splat(0);
  let s1 = s0;
  let s2 = s0;
  let s3 = s0;
  const end = q + <usize>keyDim * 4;
  for (; q < end; q += 4) {
    const query = v128.load32_splat(q);
    const key = v128.load32_splat(k);
    const a = fma4(query, o0, v128.load(dS));
    v128.store(dS, a);
    s0 = fma4(key, a, s0);
    const b = fma4(query, o1, v128.load(dS, 16));
    v128.store(dS, b, 16);
    s1 = fma4(key, b, s1);
    const c = fma4(query, o2, v128.load(dS, 32));
    v128.store(dS, c, 32);
    s2 = fma4(key, c, s2);
    const d = fma4(query, o3, v128.load(dS, 48));
    v128.store(dS, d, 48);
    s3 = fma4(key, d, s3);
    k += 4;
    dS += WIDE;
  }
  v128.store(into, s0);
  v128.store(into, s1, 16);
  v128.store(into, s2, 32);
  v128.store(into, s3, 48);
}

/** For each key, computes Σ S·do and Σ dS·u − S·dv over the columns, as four partial sums each, into `into`. Then dŜ =
 *  dS − k dvᵀ and dS ← keeps · dŜ. dO and dV are premultiplied by `keeps`; `lost` is dv without it. Returns Σ dŜ·S. */
function downward(
  dS: usize,
  state: usize,
  k: usize,
  keeps: f32,
  dO: usize,
  u: usize,
  dV: usize,
  lost: usize,
  keyDim: i32,
  into: usize,
): f32 {
  const keep = f32x4.splat(keeps);
  let total = f32x4.splat(0);
  const end = k + <usize>keyDim * 4;
  for (; k < end; k += 4) {
    const key = v128.load32_splat(k);
    let query = f32x4.splat(0);
    let plus = query;
    let minus = query;
    for (let i: usize = 0; i < WIDE; i += 16) {
      const s = v128.load(state + i);
      const d = v128.load(dS + i);
      query = fma4(s, v128.load(dO + i), query);
      plus = fma4(d, v128.load(u + i), plus);
      minus = fma4(s, v128.load(dV + i), minus);
      const back = f32x4.sub(d, f32x4.mul(key, v128.load(lost + i)));
      total = fma4(back, s, total);
      v128.store(dS + i, f32x4.mul(keep, back));
    }
    v128.store(into, query);
    v128.store(into, f32x4.sub(plus, minus), 16);
    into += 32;
    dS += WIDE;
    state += WIDE;
  }
  return sum4(total);
}

/** Computes key heads [left, right), each with the value heads that read it. Scratch: deltaRuleGradScratch(…) bytes. */
export function deltaRuleGrad(
  qk: usize,
  v: usize,
  gates: usize,
  runs: usize,
  states: usize,
  dOV: usize,
  dQk: usize,
  count: i32,
  keyHeads: i32,
  heads: i32,
  keyDim: i32,
  valueDim: i32,
  longest: i32,
  left: i32,
  right: i32,
  scratch: usize,
): void {
  const keyBytes = <usize>keyDim * 4;
  const rowKeys = <usize>(2 * keyHeads) * keyBytes;
  const valueBytes = <usize>valueDim * 4;
  const rowValues = valueBytes * heads;
  const headState = keyBytes * valueDim;
  const slot = headState * heads;
  const scale = f32x4.splat(<f32>(1 / sqrt<f64>(keyDim)));
  const group = heads / keyHeads;
  const block = keyBytes * 16;
  const dS = scratch;
  const within = dS + block;
  const starts = within + block * (CHUNK + 1);
  const errors = starts + block * ((longest + CHUNK - 1) / CHUNK);
  const columns = errors + WIDE * CHUNK;
  const found = columns + keyBytes * 8;
  const u = found + 2 * WIDE;
  const dO = u + WIDE;
  const kept = dO + WIDE;
  const dV = kept + WIDE;
  const lost = dV + WIDE;
  const rows = lost + WIDE;
  for (let r = 0; r < count; r++, runs += RUN_BYTES) {
    const from = runFrom(runs);
    const n = runTo(runs) - from;
    const before = runBefore(runs);
    const after = runAfter(runs);
    for (let keyHead = left; keyHead < right; keyHead++) {
      const q0 = <usize>from * rowKeys + <usize>keyHead * keyBytes;
      const k0 = q0 + rowKeys / 2;
      for (let t = 0; t < n; t++) {
        memory.fill(dQk + q0 + <usize>t * rowKeys, 0, keyBytes);
        memory.fill(dQk + k0 + <usize>t * rowKeys, 0, keyBytes);
      }
      for (let h = keyHead * group; h < (keyHead + 1) * group; h++) {
        const gates0 = gates + <usize>(from * heads + h) * 8;
        for (let t = 0; t < n; t++) {
          const gate = gates0 + <usize>(t * heads) * 8;
          store<f32>(rows + <usize>t * 16, exp1(load<f32>(gate)));
          store<f32>(rows + <usize>t * 16, load<f32>(gate, 4), 4);
          store<u64>(rows + <usize>t * 16, 0, 8);
        }
        for (let column: usize = 0; column < valueBytes; column += WIDE) {
          const bytes = min(WIDE, valueBytes - column);
          const ofHead = states + <usize>h * headState + column;
          const values = <usize>from * rowValues + <usize>h * valueBytes + column;
          // Computes the state at the start of each chunk.
          if (before < 0) memory.fill(starts, 0, block);
          else loadState(ofHead + <usize>before * slot, valueBytes, bytes, keyDim, starts);
          for (let begin = 0; begin + CHUNK < n; begin += CHUNK) {
            const first = starts + <usize>(begin / CHUNK) * block;
            chunk(qk, v, q0, k0, rowKeys, values, rowValues, bytes, begin, begin + CHUNK, keyDim, first, 0, first + block, rows, errors, found, u);
          }
          memory.fill(dS, 0, block);
          for (let child = 1; child <= runChildren(runs); child++) {
            const from = ofHead + <usize>(after + child) * slot;
            for (let d = 0; d < keyDim; d++) {
              const to = dS + <usize>d * WIDE;
              const at = from + <usize>d * valueBytes;
              for (let i: usize = 0; i < bytes; i += 16) {
                v128.store(to + i, f32x4.add(v128.load(to + i), v128.load(at + i)));
              }
            }
          }
          for (let begin = ((n - 1) / CHUNK) * CHUNK; begin >= 0 && n > 0; begin -= CHUNK) {
            const end = min(begin + CHUNK, n);
            const first = starts + <usize>(begin / CHUNK) * block;
            chunk(qk, v, q0, k0, rowKeys, values, rowValues, bytes, begin, end, keyDim, first, block, within, rows, errors, found, u);
            for (let t = end - 1; t >= begin; t--) {
              const row = rows + <usize>t * 16;
              const keeps = load<f32>(row);
              const keep = f32x4.splat(keeps);
              const beta = f32x4.splat(load<f32>(row, 4));
              const q = q0 + <usize>t * rowKeys;
              const k = k0 + <usize>t * rowKeys;
              const at = dOV + values + <usize>t * rowValues;
              const error = errors + <usize>(t - begin) * WIDE;
              for (let i: usize = 0; i < WIDE; i += 16) {
                const x = i < bytes ? f32x4.mul(scale, v128.load(at + i)) : f32x4.splat(0);
                v128.store(dO + i, x);
                v128.store(kept + i, f32x4.mul(keep, x));
              }
              upward(dS, qk + q, dO, qk + k, keyDim, found);
              let own = f32x4.splat(0);
              let dBeta = own;
              for (let i: usize = 0; i < WIDE; i += 16) {
                const du = v128.load(found + i);
                const e = v128.load(error + i);
                const write = f32x4.mul(beta, e);
                const dv = f32x4.mul(beta, du);
                v128.store(u + i, write);
                v128.store(lost + i, dv);
                v128.store(dV + i, f32x4.mul(keep, dv));
                if (i < bytes) v128.store(at + i, dv);
                own = fma4(write, v128.load(dO + i), own);
                dBeta = fma4(du, e, dBeta);
              }
              const state = within + <usize>(t - begin) * block;
              const dG = downward(dS, state, qk + k, keeps, kept, u, dV, lost, keyDim, columns);
              store<f32>(row, load<f32>(row, 8) + keeps * dG, 8);
              store<f32>(row, load<f32>(row, 12) + sum4(dBeta), 12);
              collect(columns, keyDim, qk + k, sum4(own), dQk + q, dQk + k);
            }
          }
          storeState(ofHead + <usize>after * slot, valueBytes, bytes, keyDim, dS);
        }
        for (let t = 0; t < n; t++) store<u64>(gates0 + <usize>(t * heads) * 8, load<u64>(rows + <usize>t * 16, 8));
      }
    }
  }
}

/** Runs rows [begin, end) from the state `first`. Stores each row's e at `errors`, the initial state at `into`, and the state after row i at
 *  into + (i + 1) · pitch. With pitch = 0, only the last state remains, at `into`. */
function chunk(
  qk: usize,
  v: usize,
  q0: usize,
  k0: usize,
  rowKeys: usize,
  values: usize,
  rowValues: usize,
  bytes: usize,
  begin: i32,
  end: i32,
  keyDim: i32,
  first: usize,
  pitch: usize,
  into: usize,
  rows: usize,
  errors: usize,
  found: usize,
  u: usize,
): void {
  memory.fill(u, 0, WIDE);
  const begins = qk + k0 + <usize>begin * rowKeys;
  step(first, into, 1, begins, u, begins, begins, keyDim, found);
  for (let t = begin; t < end; t++) {
    const row = rows + <usize>t * 16;
    const keep = f32x4.splat(load<f32>(row));
    const beta = f32x4.splat(load<f32>(row, 4));
    const at = v + values + <usize>t * rowValues;
    const error = errors + <usize>(t - begin) * WIDE;
    for (let i: usize = 0; i < WIDE; i += 16) {
      const value = i < bytes ? v128.load(at + i) : f32x4.splat(0);
      const e = f32x4.sub(value, f32x4.mul(keep, v128.load(found + i)));
      v128.store(error + i, e);
      v128.store(u + i, f32x4.mul(beta, e));
    }
    const k = qk + k0 + <usize>t * rowKeys;
    const next = qk + k0 + <usize>min(t + 1, end - 1) * rowKeys;
    step(into, into + pitch, load<f32>(row), k, u, next, next, keyDim, found);
    into += pitch;
  }
}

/** Adds the partial sums of `downward`, and the row's own contribution, to dq and dk. */
function collect(columns: usize, keyDim: i32, k: usize, own: f32, dQ: usize, dK: usize): void {
  for (let d = 0; d < keyDim; d += 2) {
    const at = columns + <usize>d * 32;
    // keyDim is a multiple of 4: (query, key) of d and of d + 1.
    const both = sums(v128.load(at), v128.load(at, 16), v128.load(at, 32), v128.load(at, 48));
    const i = <usize>d * 4;
    store<f32>(dQ + i, load<f32>(dQ + i) + (f32x4.extract_lane(both, 0) + load<f32>(k + i) * own));
    store<f32>(dK + i, load<f32>(dK + i) + f32x4.extract_lane(both, 1));
    store<f32>(dQ + i, load<f32>(dQ + i, 4) + (f32x4.extract_lane(both, 2) + load<f32>(k + i, 4) * own), 4);
    store<f32>(dK + i, load<f32>(dK + i, 4) + f32x4.extract_lane(both, 3), 4);
  }
}
