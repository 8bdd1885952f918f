// Cases of a gated DeltaNet layer, for tests that compare implementations: prompts with several continuations, a run of one row that updates its
// state in place, head and channel counts that fill no vector, and a head that sometimes forgets its whole state.
import type { CounterRng } from '../../rng/index.ts';
import { floats, type KernelCase, make } from '../testing/case.ts';
import { NONE } from './delta.ts';

/** Prompts of some rows, each followed by completions, and decoded rows, one per run. Slots are in the order of the runs. */
export function runsOf(groups: readonly { prompt: number; completions: readonly number[] }[], decoded = 0) {
  const parents: number[][] = [];
  const leaves: number[][] = [];
  let row = 0;
  let slot = 0;
  for (const { prompt, completions } of groups) {
    const parent = slot++;
    parents.push([row, row + prompt, NONE, parent, completions.length]);
    row += prompt;
    for (const rows of completions) {
      leaves.push([row, row + rows, parent, slot++, 0]);
      row += rows;
    }
  }
  for (let i = 0; i < decoded; i++, row++) leaves.push([row, row + 1, slot, slot++, 0]);
  return {
    rows: row,
    slots: slot,
    runs: Uint32Array.from([...parents, ...leaves].flat()),
    parents: parents.length,
    leaves: leaves.length,
  };
}

export const DELTA_BATCHES = [
  { groups: [{ prompt: 1, completions: [] }], decoded: 0, keyHeads: 1, heads: 1, keyDim: 4, valueDim: 4 },
  { groups: [{ prompt: 5, completions: [3, 1] }], decoded: 2, keyHeads: 2, heads: 4, keyDim: 12, valueDim: 8 },
  {
    groups: [
      { prompt: 2, completions: [19, 4] },
      { prompt: 35, completions: [] },
    ],
    decoded: 0,
    keyHeads: 3,
    heads: 3,
    keyDim: 20,
    valueDim: 36,
  },
  { groups: [{ prompt: 3, completions: [4] }], decoded: 1, keyHeads: 1, heads: 2, keyDim: 6, valueDim: 5 },
] as const;

/** Vectors of norm 1, as the layer's norm makes them. */
function units(r: CounterRng, count: number, dim: number): Float32Array {
  const x = floats(r, count * dim);
  for (let i = 0; i < count; i++) {
    const length = Math.hypot(...x.subarray(i * dim, (i + 1) * dim));
    for (let d = 0; d < dim; d++) x[i * dim + d] /= length;
  }
  return x;
}

export function deltaCases(r: CounterRng): KernelCase[] {
  const cases: KernelCase[] = [];
  for (const { groups, decoded, keyHeads, heads, keyDim, valueDim } of DELTA_BATCHES) {
    const { rows, slots, runs, parents, leaves } = runsOf(groups, decoded);
    const calls = [
      { count: parents, runOff: 0 },
      { count: leaves, runOff: parents },
    ].filter((call) => call.count > 0);
    // Backward updates no state in place.
    const back = calls.map(({ count, runOff }) => ({ count: runOff > 0 ? count - decoded : count, runOff }));
    const shape = { rows, keyHeads, heads, keyDim, valueDim };
    const values = () => floats(r, rows * heads * valueDim);
    const states = () => floats(r, slots * heads * keyDim * valueDim);
    const gates = Float32Array.from({ length: rows * heads * 2 }, (_, i) => {
      if (i % 2) return r.uniform();
      return r.uniform() < 0.1 ? -50 : -(r.uniform() ** 2);
    });
    const qk = () => units(r, rows * 2 * keyHeads, keyDim);
    for (const [i, call] of calls.entries()) {
      cases.push(make('delta_rule', [qk(), values(), gates, runs, states(), values()], { ...shape, ...call }));
      cases.push(
        make('delta_rule_grad', [qk(), values(), gates, runs, states(), values(), qk()], { ...shape, ...back[i] }),
      );
    }
    const ofHeads = () => floats(r, rows * heads, 3);
    const [aLog, dtBias] = [floats(r, heads), floats(r, heads, 2)];
    cases.push(make('delta_gates', [ofHeads(), ofHeads(), aLog, dtBias, gates], { rows, heads }));
    cases.push(
      make('delta_gates_grad', [ofHeads(), ofHeads(), aLog, dtBias, gates, ofHeads(), ofHeads()], { rows, heads }),
    );
    const width = 2 * keyHeads * keyDim + heads * valueDim;
    for (const [first, cols] of [
      [0, width],
      [2 * keyHeads * keyDim, heads * valueDim],
    ])
      for (const taps of [1, 2, 4]) {
        const size = { rows, width, first, cols, taps };
        const last = calls.length - 1;
        const all = () => floats(r, rows * width);
        const past = () => floats(r, slots * (taps - 1) * width);
        const w = floats(r, width * taps);
        cases.push(make('conv_silu', [all(), w, runs, past(), floats(r, rows * cols)], { ...size, ...calls[last] }));
        cases.push(
          make('conv_silu_grad', [all(), w, runs, past(), floats(r, rows * cols), all()], { ...size, ...back[last] }),
        );
      }
  }
  return cases;
}

/** Cases of the convolution's weights, which were added later and are drawn last, so that earlier cases keep their data. */
export function laterDeltaCases(r: CounterRng): KernelCase[] {
  return DELTA_BATCHES.flatMap(({ groups, keyHeads, heads, keyDim, valueDim }) => {
    const { rows, slots, runs, parents, leaves } = runsOf(groups);
    const width = 2 * keyHeads * keyDim + heads * valueDim;
    const call = leaves > 0 ? { count: leaves, runOff: parents } : { count: parents, runOff: 0 };
    return [1, 2, 4].map((taps) => {
      const [first, cols] = taps === 2 ? [2 * keyHeads * keyDim, heads * valueDim] : [0, width];
      const [m, w, dW] = [floats(r, rows * width), floats(r, width * taps), floats(r, width * taps)];
      const past = floats(r, slots * (taps - 1) * width);
      const size = { rows, width, first, cols, taps };
      return make('conv_silu_dw', [m, w, runs, past, floats(r, rows * cols), dW], { ...size, ...call });
    });
  });
}
