// The contract of a gated DeltaNet layer: a short causal convolution, the gates, and the gated delta rule, forward and backward.
//
// A *run* is a range of consecutive rows: a prompt, a completion after it, one decoded token. runs [n, RUN_WORDS] holds for each run (from, to,
// before, after, children): its rows [from, to); the slot that its state is read from before the first row (NONE: zeros); the slot that the state
// after the last row is written to; and how many runs continue from there, whose slots are after + 1, after + 2, …. A call takes runs [runOff,
// runOff + count), none of which continues another one: prompts in one call, their continuations in the next. With before = after a run updates its
// state in place, which is decoding.
//
// Backward, the calls go in reverse order. A run sums what its children have left in their slots, and writes the gradient of the state before its
// first row to `after`, where the state after its last row was; no state is updated in place.
import { f, flat, kernel, u } from './kernel.ts';

export const RUN_WORDS = 5;
/** Marks a run that has no state before it. */
export const NONE = 0xffffffff;

/** Rows between two states that `delta_rule_grad` keeps on a GPU, which costs two numbers per row and column. */
export const keptEvery = (keyDim: number) => Math.ceil(keyDim / 2);

/** Elements that `delta_rule_grad` passes between its dispatches on a GPU: e, du and a share of the decay's gradient for every row and column, and
 *  the states that it keeps. */
export const gradScratch = (p: { rows: number; heads: number; keyDim: number; valueDim: number }) =>
  (3 * p.rows + Math.ceil(p.rows / keptEvery(p.keyDim)) * p.keyDim) * p.heads * p.valueDim;

const headsShare = (p: { keyHeads: number; heads: number }) =>
  p.keyHeads === 0 || p.heads % p.keyHeads !== 0
    ? `${p.heads} value heads do not divide among ${p.keyHeads} key heads`
    : null;

const inWidth = (p: { first: number; cols: number; width: number; taps: number }) => {
  if (p.first + p.cols > p.width) return `channels [${p.first}, ${p.first + p.cols}) leave the ${p.width} of a row`;
  return p.taps > 0 ? null : 'a convolution without taps';
};

export const DELTA = {
  /** A causal convolution of each channel, then silu: out[i, c] = silu(Σ_j w[first + c, j] · m[i − taps + 1 + j, first + c]), where rows before
   *  a run's first are those in `past` [slots, taps − 1, width], oldest first. out [rows, cols], m [rows, width], w [width, taps]. */
  conv_silu: kernel({
    buffers: [f('m'), f('w'), u('runs'), f('past', 'rw'), f('out', 'rw')],
    params: { rows: 'u32', width: 'u32', first: 'offset', cols: 'u32', taps: 'u32', count: 'u32', runOff: 'offset' },
    extents: (p) => [p.rows * p.width, p.width * p.taps, (p.runOff + p.count) * RUN_WORDS, 0, p.rows * p.cols],
    refuse: inWidth,
  }),
  /** dM [rows, width] of the channels [first, first + cols); dOut [rows, cols]. */
  conv_silu_grad: kernel({
    buffers: [f('m'), f('w'), u('runs'), f('past', 'rw'), f('dOut'), f('dM', 'rw')],
    params: { rows: 'u32', width: 'u32', first: 'offset', cols: 'u32', taps: 'u32', count: 'u32', runOff: 'offset' },
    extents: (p) => {
      const all = p.rows * p.width;
      return [all, p.width * p.taps, (p.runOff + p.count) * RUN_WORDS, 0, p.rows * p.cols, all];
    },
    refuse: inWidth,
  }),
  /** Adds to dW [width, taps], of the channels [first, first + cols); dOut [rows, cols], `past` as conv_silu reads it. */
  conv_silu_dw: kernel({
    buffers: [f('m'), f('w'), u('runs'), f('past'), f('dOut'), f('dW', 'rw')],
    params: { rows: 'u32', width: 'u32', first: 'offset', cols: 'u32', taps: 'u32', count: 'u32', runOff: 'offset' },
    extents: (p) => {
      const taps = p.width * p.taps;
      return [p.rows * p.width, taps, (p.runOff + p.count) * RUN_WORDS, 0, p.rows * p.cols, taps];
    },
    refuse: inWidth,
  }),
  /** gates [rows, heads, 2] = (g, β): g = −exp(aLog) · softplus(a + dtBias) ≤ 0, the logarithm of the state's decay factor, and β = σ(b), the
   *  fraction of a correction that is written. a, b [rows, heads]; aLog, dtBias [heads]. */
  delta_gates: flat({
    buffers: [f('a'), f('b'), f('aLog'), f('dtBias'), f('gates', 'w')],
    params: { rows: 'u32', heads: 'u32' },
    extents: (p) => [p.rows * p.heads, p.rows * p.heads, p.heads, p.heads, 2 * p.rows * p.heads],
    invocations: (p) => p.rows * p.heads,
  }),
  /** dA, dB [rows, heads] from dGates. */
  delta_gates_grad: flat({
    buffers: [f('a'), f('b'), f('aLog'), f('dtBias'), f('dGates'), f('dA', 'w'), f('dB', 'w')],
    params: { rows: 'u32', heads: 'u32' },
    extents: (p) => {
      const n = p.rows * p.heads;
      return [n, n, p.heads, p.heads, 2 * n, n, n];
    },
    invocations: (p) => p.rows * p.heads,
  }),
  /** The gated delta rule, row by row of a run, with the state S [keyDim, valueDim] of each value head (arXiv:2412.06464):
   *    S ← e^g S;  u = β(v − Sᵀk);  S ← S + k uᵀ;  o = Sᵀq / √keyDim.
   *  Value head h reads key head floor(h·keyHeads/heads). qk [rows, 2, keyHeads, keyDim] has the queries, then the keys; v, o
   *  [rows, heads, valueDim]; gates [rows, heads, 2]; states [slots, heads, keyDim, valueDim]. */
  delta_rule: kernel({
    buffers: [f('qk'), f('v'), f('gates'), u('runs'), f('states', 'rw'), f('o', 'rw')],
    params: {
      ...({ rows: 'u32', count: 'u32', runOff: 'offset' } as const),
      ...({ keyHeads: 'u32', heads: 'u32', keyDim: 'u32', valueDim: 'u32' } as const),
    },
    extents: (p) => {
      const values = p.rows * p.heads * p.valueDim;
      const runs = (p.runOff + p.count) * RUN_WORDS;
      return [2 * p.rows * p.keyHeads * p.keyDim, values, 2 * p.rows * p.heads, runs, 0, values];
    },
    refuse: headsShare,
  }),
  /** In place: dOV holds dO on entry and dV on return, gates (g, β) and then their gradients. dQk is summed over the value heads of a key head.
   *  Only rows of the call's runs are written. States are recomputed rather than kept for every row. */
  delta_rule_grad: kernel({
    buffers: [f('qk'), f('v'), f('gates', 'rw'), u('runs'), f('states', 'rw'), f('dOV', 'rw'), f('dQk', 'rw')],
    params: {
      ...({ rows: 'u32', count: 'u32', runOff: 'offset' } as const),
      ...({ keyHeads: 'u32', heads: 'u32', keyDim: 'u32', valueDim: 'u32' } as const),
    },
    extents: (p) => {
      const [keys, values] = [2 * p.rows * p.keyHeads * p.keyDim, p.rows * p.heads * p.valueDim];
      return [keys, values, 2 * p.rows * p.heads, (p.runOff + p.count) * RUN_WORDS, 0, values, keys];
    },
    refuse: headsShare,
  }),
} as const;
