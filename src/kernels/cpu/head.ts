// Reference kernels of the head: log-probabilities of targets and KL divergence from a teacher, their gradients with respect to the
// logits, and sampling.
import { uniformAt } from '../../rng/threefry.ts';
import type { FloatArray } from '../device.ts';
import type { Reference } from './reference.ts';

function maxOf(x: FloatArray, at: number, n: number): number {
  let max = -Infinity;
  for (let v = 0; v < n; v++) if (x[at + v] > max) max = x[at + v];
  return max;
}

/** Entropy = lse − Σ softmax·logit, in nats. */
export const logprob: Reference<'logprob'> = ([logits, targets, stats], { rows, vocab, rowOff }) => {
  for (let i = 0; i < rows; i++) {
    const at = i * vocab;
    const max = maxOf(logits, at, vocab);
    let sum = 0;
    let weighted = 0;
    for (let v = 0; v < vocab; v++) {
      const shifted = logits[at + v] - max;
      const e = Math.exp(shifted);
      sum += e;
      if (e > 0) weighted += e * shifted;
    }
    const logSum = Math.log(sum);
    const to = (rowOff + i) * 3;
    stats[to] = logits[at + targets[rowOff + i]] - max - logSum;
    stats[to + 1] = max + logSum;
    stats[to + 2] = logSum - weighted / sum;
  }
};

export const logprobGrad: Reference<'logprob_grad'> = ([logits, targets, stats, coef], { rows, vocab, rowOff }) => {
  for (let i = 0; i < rows; i++) {
    const at = i * vocab;
    const lse = stats[(rowOff + i) * 3 + 1];
    const c = coef[rowOff + i];
    const target = targets[rowOff + i];
    for (let v = 0; v < vocab; v++) logits[at + v] = c * ((v === target ? 1 : 0) - Math.exp(logits[at + v] - lse));
  }
};

export const logprobEntropyGrad: Reference<'logprob_entropy_grad'> = (
  [logits, targets, stats, coef, slope],
  { rows, vocab, rowOff },
) => {
  for (let i = 0; i < rows; i++) {
    const at = i * vocab;
    const row = rowOff + i;
    const [lse, entropy] = [stats[row * 3 + 1], stats[row * 3 + 2]];
    for (let v = 0; v < vocab; v++) {
      const logp = logits[at + v] - lse;
      const p = Math.exp(logp);
      const own = coef[row] * ((v === targets[row] ? 1 : 0) - p);
      // 0 · -∞ would be NaN: a token of probability 0 contributes no entropy.
      logits[at + v] = p > 0 ? own - slope[row] * p * (logp + entropy) : own;
    }
  }
};

export const reverseKl: Reference<'reverse_kl'> = (
  [logits, teacher, stats, teacherStats, kl],
  { rows, vocab, rowOff },
) => {
  for (let i = 0; i < rows; i++) {
    const at = i * vocab;
    const lse = stats[(rowOff + i) * 3 + 1];
    const teacherLse = teacherStats[(rowOff + i) * 3 + 1];
    let sum = 0;
    for (let v = 0; v < vocab; v++) {
      const a = logits[at + v] - lse;
      const b = teacher[at + v] - teacherLse;
      const p = Math.exp(a);
      // 0 · -∞ would be NaN: a token of student probability 0 contributes only the teacher's mass.
      sum += (p > 0 ? p * (a - b) - p : 0) + Math.exp(b);
    }
    kl[rowOff + i] = Math.max(0, sum);
  }
};

export const reverseKlGrad: Reference<'reverse_kl_grad'> = (
  [logits, teacher, stats, teacherStats, kl, coef],
  { rows, vocab, rowOff },
) => {
  for (let i = 0; i < rows; i++) {
    const at = i * vocab;
    const row = rowOff + i;
    const lse = stats[row * 3 + 1];
    const teacherLse = teacherStats[row * 3 + 1];
    for (let v = 0; v < vocab; v++) {
      const a = logits[at + v] - lse;
      const p = Math.exp(a);
      logits[at + v] = p > 0 ? coef[row] * p * (a - (teacher[at + v] - teacherLse) - kl[row]) : 0;
    }
  }
};

export const sample: Reference<'sample'> = (
  [logits, slots, keys, done, tokens, logps, next, starts],
  { rows, vocab, t, maxNew, temperature, endA, endB, padToken, ends, endsAt },
) => {
  for (let i = 0; i < rows; i++) {
    const slot = slots[i];
    const n = starts[i] + t;
    const to = slot * maxNew + n;
    if (done[slot]) {
      tokens[to] = padToken;
      logps[to] = 0;
      next[i] = padToken;
      continue;
    }
    const at = i * vocab;
    const max = maxOf(logits, at, vocab);
    let token = 0;
    if (temperature === 0) {
      while (token < vocab - 1 && logits[at + token] !== max) token++;
    } else {
      let sum = 0;
      for (let v = 0; v < vocab; v++) sum += Math.exp((logits[at + v] - max) / temperature);
      const bound = uniformAt([keys[slot * 2], keys[slot * 2 + 1]], n) * sum;
      let running = 0;
      for (let v = 0; v < vocab; v++) {
        const e = Math.exp((logits[at + v] - max) / temperature);
        running += e;
        if (e > 0) token = v;
        if (running > bound) break;
      }
    }
    let sum = 0;
    for (let v = 0; v < vocab; v++) sum += Math.exp(logits[at + v] - max);
    tokens[to] = token;
    logps[to] = logits[at + token] - max - Math.log(sum);
    next[i] = token;
    if (token === endA || token === endB || keys.subarray(endsAt, endsAt + ends).includes(token)) done[slot] = 1;
  }
};
