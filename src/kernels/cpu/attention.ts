// Reference kernels of attention over packed rows with shared prefixes, and of its backward pass. Nothing of size
// rows × rows is stored: the backward kernels recompute each probability from the stored log-sum-exp.
import type { FloatArray } from '../device.ts';
import { unpackF16 } from './packed.ts';
import type { Reference } from './reference.ts';

function dot(a: FloatArray, aAt: number, b: FloatArray, bAt: number, n: number): number {
  let sum = 0;
  for (let d = 0; d < n; d++) sum += a[aAt + d] * b[bAt + d];
  return sum;
}

export const attention: Reference<'attention'> = (
  [q, k, v, ranges, o, stats],
  { rows, heads, kvHeads, headDim, grow },
) => {
  const scale = 1 / Math.sqrt(headDim);
  let scores = new Float64Array(256);
  const out = new Float64Array(headDim);
  for (let i = 0; i < rows; i++) {
    const a0 = ranges[i * 4];
    const b0 = ranges[i * 4 + 2];
    const aCount = ranges[i * 4 + 1] - a0;
    const count = aCount + ranges[i * 4 + 3] + grow - b0;
    if (scores.length < count) scores = new Float64Array(2 * count);
    for (let h = 0; h < heads; h++) {
      const qAt = (i * heads + h) * headDim;
      const kvHead = Math.floor((h * kvHeads) / heads);
      let max = -Infinity;
      for (let j = 0; j < count; j++) {
        const row = j < aCount ? a0 + j : b0 + j - aCount;
        scores[j] = scale * dot(q, qAt, k, (row * kvHeads + kvHead) * headDim, headDim);
        max = Math.max(max, scores[j]);
      }
      let sum = 0;
      out.fill(0);
      for (let j = 0; j < count; j++) {
        const row = j < aCount ? a0 + j : b0 + j - aCount;
        const vAt = (row * kvHeads + kvHead) * headDim;
        const weight = Math.exp(scores[j] - max);
        sum += weight;
        for (let d = 0; d < headDim; d++) out[d] += weight * v[vAt + d];
      }
      for (let d = 0; d < headDim; d++) o[qAt + d] = out[d] / sum;
      stats[(i * heads + h) * 2] = max + Math.log(sum);
    }
  }
};

export const attentionF16: Reference<'attention_f16'> = ([q, k, v, ranges, o, stats], params) => {
  const [keys, values] = [k, v].map((words) => {
    const all = new Float32Array(words.length * 2);
    unpackF16([words, all], { n: all.length, srcOff: 0 });
    return all;
  });
  attention([q, keys, values, ranges, o, stats], params);
};

export const attentionDelta: Reference<'attention_delta'> = ([dO, o, stats], { rows, heads, headDim }) => {
  for (let i = 0; i < rows * heads; i++) stats[i * 2 + 1] = dot(dO, i * headDim, o, i * headDim, headDim);
};

/** ds = p·(dO·v − delta); dq = scale · Σ ds·k. */
export const attentionDq: Reference<'attention_dq'> = (
  [q, k, v, ranges, stats, dO, dq],
  { rows, heads, kvHeads, headDim },
) => {
  const scale = 1 / Math.sqrt(headDim);
  const grad = new Float64Array(headDim);
  for (let i = 0; i < rows; i++) {
    const a0 = ranges[i * 4];
    const b0 = ranges[i * 4 + 2];
    const aCount = ranges[i * 4 + 1] - a0;
    const count = aCount + ranges[i * 4 + 3] - b0;
    for (let h = 0; h < heads; h++) {
      const qAt = (i * heads + h) * headDim;
      const kvHead = Math.floor((h * kvHeads) / heads);
      const lse = stats[(i * heads + h) * 2];
      const delta = stats[(i * heads + h) * 2 + 1];
      grad.fill(0);
      for (let j = 0; j < count; j++) {
        const row = j < aCount ? a0 + j : b0 + j - aCount;
        const kvAt = (row * kvHeads + kvHead) * headDim;
        const p = Math.exp(scale * dot(q, qAt, k, kvAt, headDim) - lse);
        const ds = p * (dot(dO, qAt, v, kvAt, headDim) - delta);
        for (let d = 0; d < headDim; d++) grad[d] += ds * k[kvAt + d];
      }
      for (let d = 0; d < headDim; d++) dq[qAt + d] = scale * grad[d];
    }
  }
};

/** dv = Σ p·dO, dk = scale · Σ ds·q, over the query rows that attend to row j and the query heads that share its head. */
export const attentionDkv: Reference<'attention_dkv'> = (
  [q, k, v, stats, dO, qEnd, dk, dv],
  { rows, heads, kvHeads, headDim },
) => {
  const scale = 1 / Math.sqrt(headDim);
  const group = heads / kvHeads;
  const gradK = new Float64Array(headDim);
  const gradV = new Float64Array(headDim);
  for (let j = 0; j < rows; j++) {
    for (let kvHead = 0; kvHead < kvHeads; kvHead++) {
      const kvAt = (j * kvHeads + kvHead) * headDim;
      gradK.fill(0);
      gradV.fill(0);
      for (let i = j; i < qEnd[j]; i++) {
        for (let h = kvHead * group; h < (kvHead + 1) * group; h++) {
          const qAt = (i * heads + h) * headDim;
          const at = (i * heads + h) * 2;
          const p = Math.exp(scale * dot(q, qAt, k, kvAt, headDim) - stats[at]);
          const ds = p * (dot(dO, qAt, v, kvAt, headDim) - stats[at + 1]);
          for (let d = 0; d < headDim; d++) {
            gradV[d] += p * dO[qAt + d];
            gradK[d] += ds * q[qAt + d];
          }
        }
      }
      for (let d = 0; d < headDim; d++) {
        dk[kvAt + d] = scale * gradK[d];
        dv[kvAt + d] = gradV[d];
      }
    }
  }
};
