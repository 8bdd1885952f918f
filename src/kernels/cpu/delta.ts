// Reference kernels of a gated DeltaNet layer: convolution, gates and the delta rule, forward and backward.
import { NONE, RUN_WORDS } from '../contract/delta.ts';
import type { FloatArray } from '../device.ts';
import type { Reference } from './reference.ts';

interface Run {
  from: number;
  rows: number;
  before: number;
  after: number;
  children: number;
}

function runAt(runs: Uint32Array, index: number): Run {
  const [from, to, before, after, children] = runs.subarray(index * RUN_WORDS, (index + 1) * RUN_WORDS);
  return { from, rows: to - from, before, after, children };
}

const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));

/** m of one channel, starting taps − 1 rows before the run, [taps − 1 + rows]. */
function timeline(
  m: ArrayLike<number>,
  past: ArrayLike<number>,
  { from, rows, before }: Run,
  { width, taps, channel }: { width: number; taps: number; channel: number },
): Float64Array {
  const back = taps - 1;
  const line = new Float64Array(back + rows);
  if (before !== NONE) for (let i = 0; i < back; i++) line[i] = past[(before * back + i) * width + channel];
  for (let t = 0; t < rows; t++) line[back + t] = m[(from + t) * width + channel];
  return line;
}

export const convSilu: Reference<'conv_silu'> = (
  [m, w, runs, past, out],
  { width, first, cols, taps, count, runOff },
) => {
  for (let r = runOff; r < runOff + count; r++) {
    const run = runAt(runs, r);
    for (let c = 0; c < cols; c++) {
      const channel = first + c;
      const line = timeline(m, past, run, { width, taps, channel });
      for (let t = 0; t < run.rows; t++) {
        let sum = 0;
        for (let j = 0; j < taps; j++) sum += w[channel * taps + j] * line[t + j];
        out[(run.from + t) * cols + c] = sum * sigmoid(sum);
      }
      for (let i = 0; i < taps - 1; i++) past[(run.after * (taps - 1) + i) * width + channel] = line[run.rows + i];
    }
  }
};

/** With s the sum before silu: ds = dOut · silu'(s); dm_t = Σ_j w_j ds_{t + taps − 1 − j}. */
export const convSiluGrad: Reference<'conv_silu_grad'> = (
  [m, w, runs, past, dOut, dM],
  { width, first, cols, taps, count, runOff },
) => {
  const back = taps - 1;
  for (let r = runOff; r < runOff + count; r++) {
    const run = runAt(runs, r);
    for (let c = 0; c < cols; c++) {
      const channel = first + c;
      const line = timeline(m, past, run, { width, taps, channel });
      const grad = new Float64Array(line.length);
      for (let t = 0; t < run.rows; t++) {
        let sum = 0;
        for (let j = 0; j < taps; j++) sum += w[channel * taps + j] * line[t + j];
        const s = sigmoid(sum);
        const ds = dOut[(run.from + t) * cols + c] * s * (1 + sum * (1 - s));
        for (let j = 0; j < taps; j++) grad[t + j] += w[channel * taps + j] * ds;
      }
      for (let child = 1; child <= run.children; child++)
        for (let i = 0; i < back; i++) grad[run.rows + i] += past[((run.after + child) * back + i) * width + channel];
      for (let i = 0; i < back; i++) past[(run.after * back + i) * width + channel] = grad[i];
      for (let t = 0; t < run.rows; t++) dM[(run.from + t) * width + channel] = grad[back + t];
    }
  }
};

/** dW_j = Σ_t ds_t m_{t − taps + 1 + j}, with ds as in convSiluGrad. */
export const convSiluDw: Reference<'conv_silu_dw'> = (
  [m, w, runs, past, dOut, dW],
  { width, first, cols, taps, count, runOff },
) => {
  for (let c = 0; c < cols; c++) {
    const channel = first + c;
    const sums = new Float64Array(taps);
    for (let r = runOff; r < runOff + count; r++) {
      const run = runAt(runs, r);
      const line = timeline(m, past, run, { width, taps, channel });
      for (let t = 0; t < run.rows; t++) {
        let sum = 0;
        for (let j = 0; j < taps; j++) sum += w[channel * taps + j] * line[t + j];
        const s = sigmoid(sum);
        const ds = dOut[(run.from + t) * cols + c] * s * (1 + sum * (1 - s));
        for (let j = 0; j < taps; j++) sums[j] += ds * line[t + j];
      }
    }
    for (let j = 0; j < taps; j++) dW[channel * taps + j] += sums[j];
  }
};

/** log(1 + e^x) */
const softplus = (x: number) => Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));

export const deltaGates: Reference<'delta_gates'> = ([a, b, aLog, dtBias, gates], { rows, heads }) => {
  for (let i = 0; i < rows * heads; i++) {
    const h = i % heads;
    gates[2 * i] = -Math.exp(aLog[h]) * softplus(a[i] + dtBias[h]);
    gates[2 * i + 1] = sigmoid(b[i]);
  }
};

export const deltaGatesGrad: Reference<'delta_gates_grad'> = (
  [a, b, aLog, dtBias, dGates, dA, dB],
  { rows, heads },
) => {
  for (let i = 0; i < rows * heads; i++) {
    const h = i % heads;
    const beta = sigmoid(b[i]);
    dA[i] = -dGates[2 * i] * Math.exp(aLog[h]) * sigmoid(a[i] + dtBias[h]);
    dB[i] = dGates[2 * i + 1] * beta * (1 - beta);
  }
};

export const deltaRule: Reference<'delta_rule'> = (
  [qk, v, gates, runs, states, o],
  { count, runOff, keyHeads, heads, keyDim, valueDim },
) => {
  const scale = 1 / Math.sqrt(keyDim);
  const size = keyDim * valueDim;
  const u = new Float64Array(valueDim);
  for (let r = runOff; r < runOff + count; r++) {
    const { from, rows, before, after } = runAt(runs, r);
    for (let h = 0; h < heads; h++) {
      const keyHead = Math.floor((h * keyHeads) / heads);
      const start = (before * heads + h) * size;
      // The state has the buffers' precision, so that rows have the same bits in one run as in several.
      const state = before === NONE ? states.slice(0, size).fill(0) : states.slice(start, start + size);
      for (let row = from; row < from + rows; row++) {
        const q = (row * 2 * keyHeads + keyHead) * keyDim;
        const k = q + keyHeads * keyDim;
        const at = (row * heads + h) * valueDim;
        const keeps = Math.exp(gates[2 * (row * heads + h)]);
        const beta = gates[2 * (row * heads + h) + 1];
        for (let i = 0; i < size; i++) state[i] *= keeps;
        for (let j = 0; j < valueDim; j++) {
          let found = 0;
          for (let d = 0; d < keyDim; d++) found += state[d * valueDim + j] * qk[k + d];
          u[j] = beta * (v[at + j] - found);
        }
        for (let d = 0; d < keyDim; d++) for (let j = 0; j < valueDim; j++) state[d * valueDim + j] += qk[k + d] * u[j];
        for (let j = 0; j < valueDim; j++) {
          let sum = 0;
          for (let d = 0; d < keyDim; d++) sum += state[d * valueDim + j] * qk[q + d];
          o[at + j] = scale * sum;
        }
      }
      for (let i = 0; i < size; i++) states[(after * heads + h) * size + i] = state[i];
    }
  }
};

type Inputs = readonly [qk: FloatArray, v: FloatArray, gates: FloatArray, states: FloatArray];
type Shape = { keyHeads: number; heads: number; keyDim: number; valueDim: number };

/** Recomputes a run: kept [rows + 1, keyDim, valueDim], the states before each row and after the last; errors [rows, valueDim], the
 *  value minus the state's prediction. */
function replay([qk, v, gates, states]: Inputs, { from, rows, before }: Run, head: number, shape: Shape) {
  const { keyHeads, heads, keyDim, valueDim } = shape;
  const size = keyDim * valueDim;
  const keyHead = Math.floor((head * keyHeads) / heads);
  const kept = new Float64Array((rows + 1) * size);
  const errors = new Float64Array(rows * valueDim);
  if (before !== NONE) for (let i = 0; i < size; i++) kept[i] = states[(before * heads + head) * size + i];
  for (let t = 0; t < rows; t++) {
    const k = (((from + t) * 2 + 1) * keyHeads + keyHead) * keyDim;
    const item = (from + t) * heads + head;
    const keeps = Math.exp(gates[2 * item]);
    const beta = gates[2 * item + 1];
    for (let j = 0; j < valueDim; j++) {
      let found = 0;
      for (let d = 0; d < keyDim; d++) found += kept[t * size + d * valueDim + j] * qk[k + d];
      const error = v[item * valueDim + j] - keeps * found;
      errors[t * valueDim + j] = error;
      for (let d = 0; d < keyDim; d++) {
        const i = t * size + d * valueDim + j;
        kept[i + size] = keeps * kept[i] + qk[k + d] * beta * error;
      }
    }
  }
  return { kept, errors };
}

/** With dS the gradient of S after a row, q already divided by √keyDim, Ŝ = e^g S before the row, and e the error:
 *  dS += q doᵀ; dq = S do; du = dSᵀk; dβ = du·e; dv = β du; dk = dS u − Ŝ dv; dŜ = dS − k dvᵀ; dg = Σ dŜ ∘ Ŝ; dS ← e^g
 *  dŜ. */
export const deltaRuleGrad: Reference<'delta_rule_grad'> = (
  [qk, v, gates, runs, states, dOV, dQk],
  { count, runOff, ...shape },
) => {
  const { keyHeads, heads, keyDim, valueDim } = shape;
  const scale = 1 / Math.sqrt(keyDim);
  const size = keyDim * valueDim;
  const group = heads / keyHeads;
  for (let r = runOff; r < runOff + count; r++) {
    const run = runAt(runs, r);
    const { from, rows, after, children } = run;
    // Gradients of a key head, summed over the value heads that read it.
    const dQ = new Float64Array(rows * keyDim);
    const dK = new Float64Array(rows * keyDim);
    for (let h = 0; h < heads; h++) {
      const isFirst = h % group === 0;
      const isLast = h % group === group - 1;
      if (isFirst) for (const sums of [dQ, dK]) sums.fill(0);
      const { kept, errors } = replay([qk, v, gates, states], run, h, shape);
      const dS = new Float64Array(size);
      for (let child = 1; child <= children; child++)
        for (let i = 0; i < size; i++) dS[i] += states[((after + child) * heads + h) * size + i];
      for (let t = rows - 1; t >= 0; t--) {
        const q = ((from + t) * 2 * keyHeads + Math.floor((h * keyHeads) / heads)) * keyDim;
        const k = q + keyHeads * keyDim;
        const item = (from + t) * heads + h;
        const keeps = Math.exp(gates[2 * item]);
        const beta = gates[2 * item + 1];
        let [dG, dBeta] = [0, 0];
        for (let j = 0; j < valueDim; j++) {
          const dO = scale * dOV[item * valueDim + j];
          const error = errors[t * valueDim + j];
          let du = 0;
          for (let d = 0; d < keyDim; d++) {
            const i = d * valueDim + j;
            dQ[t * keyDim + d] += kept[(t + 1) * size + i] * dO;
            dS[i] += qk[q + d] * dO;
            du += dS[i] * qk[k + d];
          }
          const dV = beta * du;
          dBeta += du * error;
          for (let d = 0; d < keyDim; d++) {
            const i = d * valueDim + j;
            const decayed = keeps * kept[t * size + i];
            dK[t * keyDim + d] += dS[i] * beta * error - decayed * dV;
            const back = dS[i] - qk[k + d] * dV;
            dG += back * decayed;
            dS[i] = keeps * back;
          }
          dOV[item * valueDim + j] = dV;
        }
        gates[2 * item] = dG;
        gates[2 * item + 1] = dBeta;
        if (isLast)
          for (let d = 0; d < keyDim; d++) {
            dQk[q + d] = dQ[t * keyDim + d];
            dQk[k + d] = dK[t * keyDim + d];
          }
      }
      for (let i = 0; i < size; i++) states[(after * heads + h) * size + i] = dS[i];
    }
  }
};
