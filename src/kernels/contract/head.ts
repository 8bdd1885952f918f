// The contract of the head: log-probabilities, divergence and sampling.
import { f, flat, kernel, u } from './kernel.ts';

export const HEAD = {
  /** stats[rowOff + i] = (logp of targets[rowOff + i], log-sum-exp, entropy) of logits[i,:]; stats [*, 3]. */
  logprob: kernel({
    buffers: [f('logits'), u('targets'), f('stats', 'rw')],
    params: { rows: 'u32', vocab: 'u32', rowOff: 'offset' },
    extents: (p) => [p.rows * p.vocab, p.rowOff + p.rows, (p.rowOff + p.rows) * 3],
  }),
  /** In place: logits[i,v] ← coef[rowOff+i] · (1[v = target] − softmax_v), i.e. coef · ∂logp/∂logits. */
  logprob_grad: flat({
    buffers: [f('logits', 'rw'), u('targets'), f('stats'), f('coef')],
    params: { rows: 'u32', vocab: 'u32', rowOff: 'offset' },
    extents: (p) => [p.rows * p.vocab, p.rowOff + p.rows, (p.rowOff + p.rows) * 3, p.rowOff + p.rows],
    invocations: (p) => p.rows * p.vocab,
  }),
  /** logprob_grad for a loss that has entropies too: logits[i,v] ← coef[rowOff+i] · (1[v = target] − p_v) −
   *  slope[rowOff+i] · p_v (log p_v + H), i.e. coef · ∂logp/∂logits + slope · ∂H/∂logits, H being logprob's entropy; the
   *  second term of a token of probability 0 is 0. */
  logprob_entropy_grad: kernel({
    buffers: [f('logits', 'rw'), u('targets'), f('stats'), f('coef'), f('slope')],
    params: { rows: 'u32', vocab: 'u32', rowOff: 'offset' },
    extents: (p) => {
      const ends = p.rowOff + p.rows;
      return [p.rows * p.vocab, ends, ends * 3, ends, ends];
    },
  }),
  /** kl[rowOff + i] = KL(softmax logits[i,:] ‖ softmax teacher[i,:]) in nats, where stats and teacherStats are logprob's of each.
   *  With p, q the two probabilities and r = log p − log q: Σ_v (p·r − p + q), whose terms are ≥ 0 and whose sum, to first order,
   *  does not depend on the rounding of either log-sum-exp; 0 where the result is below the rounding error. */
  reverse_kl: kernel({
    buffers: [f('logits'), f('teacher'), f('stats'), f('teacherStats'), f('kl', 'rw')],
    params: { rows: 'u32', vocab: 'u32', rowOff: 'offset' },
    extents: (p) => {
      const stats = (p.rowOff + p.rows) * 3;
      return [p.rows * p.vocab, p.rows * p.vocab, stats, stats, p.rowOff + p.rows];
    },
  }),
  /** In place: logits[i,v] ← coef[rowOff+i] · p_v (r_v − kl[rowOff+i]), i.e. coef · ∂KL/∂logits; the teacher is held fixed. */
  reverse_kl_grad: kernel({
    buffers: [f('logits', 'rw'), f('teacher'), f('stats'), f('teacherStats'), f('kl'), f('coef')],
    params: { rows: 'u32', vocab: 'u32', rowOff: 'offset' },
    extents: (p) => {
      const stats = (p.rowOff + p.rows) * 3;
      return [p.rows * p.vocab, p.rows * p.vocab, stats, stats, p.rowOff + p.rows, p.rowOff + p.rows];
    },
  }),
  /** One token for each row. slot = slots[row]; n = starts[row] + t is the token's number in its turn, so that rows of one batch
   *  may be at different tokens of theirs. If done[slot]: token = padToken. Else temperature 0: arg max (lowest id on a tie);
   *  otherwise u = (threefry2x32(key = keys[slot,:], counter = (n, 0)).x0 >>> 8)·2^-24, e_v = exp((l_v − max)/temperature), and the token is the
   *  first v whose running sum exceeds u·Σe (the last v with e_v > 0 if rounding leaves none).
   *  Writes tokens[slot·maxNew + n], logps[slot·maxNew + n] (log-probability at temperature 1; 0 for pads), next[row], and
   *  done[slot] = 1 when the token is endA, endB, or one of the `ends` ids at keys[endsAt]: further ends are stored behind the keys,
   *  because a WebGPU device need not bind more than 8 buffers. keys [slots,2], then ends; tokens, logps [slots, maxNew]; done [slots];
   *  next, starts [rows]. */
  sample: kernel({
    buffers: [
      f('logits'),
      u('slots'),
      u('keys'),
      u('done', 'rw'),
      u('tokens', 'rw'),
      f('logps', 'rw'),
      u('next', 'w'),
      u('starts'),
    ],
    params: {
      rows: 'u32',
      vocab: 'u32',
      t: 'u32',
      maxNew: 'u32',
      temperature: 'f32',
      endA: 'u32',
      endB: 'u32',
      padToken: 'u32',
      ends: 'offset',
      endsAt: 'offset',
    },
    extents: (p) => [p.rows * p.vocab, p.rows, p.endsAt + p.ends, 0, 0, 0, p.rows, p.rows],
  }),
} as const;
