// Calls of the SIMD kernels of linear layers; simd-programs.ts has the others. `complete` (device.ts) loads them on demand, since few
// models have such layers.
import { RUN_WORDS } from '../contract/delta.ts';
import { cut, EXP, F, SIMD_PROGRAMS, type SimdPrograms } from './simd-programs.ts';

/** Bytes of a run's entry in the table. */
const RUN = RUN_WORDS * F;

const LATE: SimdPrograms = {
  conv_silu: ([m, w, runs, past, out], { width, first, cols, taps, count, runOff }, { wasm }, views) => {
    if (cols % 4 !== 0) return false;
    const { total } = rowsOf(views()[2], runOff, count);
    const at = [m + first * F, w + first * taps * F, runs + runOff * RUN, past + first * F, out];
    const scratch = wasm.convScratch(taps, 0) >>> 0;
    return cut(cols, total * (taps + EXP), [...at, width, cols, taps, count, 'from', 'end'], { unit: 16, scratch });
  },
  conv_silu_grad: ([m, w, runs, past, dOut, dM], { width, first, cols, taps, count, runOff }, { wasm }, views) => {
    if (cols % 4 !== 0) return false;
    const { longest, total } = rowsOf(views()[2], runOff, count);
    const at = [m + first * F, w + first * taps * F, runs + runOff * RUN, past + first * F, dOut, dM + first * F];
    const scratch = wasm.convScratch(taps, longest) >>> 0;
    return cut(cols, total * (2 * taps + EXP), [...at, width, cols, taps, count, 'from', 'end'], { unit: 16, scratch });
  },
  conv_silu_dw: ([m, w, runs, past, dOut, dW], { width, first, cols, taps, count, runOff }, { wasm }, views) => {
    if (cols % 4 !== 0) return false;
    const { total } = rowsOf(views()[2], runOff, count);
    const [ofM, ofW] = [first * F, first * taps * F];
    const at = [m + ofM, w + ofW, runs + runOff * RUN, past + ofM, dOut, dW + ofW];
    const scratch = wasm.convScratch(taps, taps) >>> 0;
    return cut(cols, total * (2 * taps + EXP), [...at, width, cols, taps, count, 'from', 'end'], { unit: 16, scratch });
  },
  delta_gates: ([a, b, aLog, dtBias, gates], { rows, heads }) => {
    const wide = heads * F;
    return cut(rows, heads * 3 * EXP, [[a, wide], [b, wide], aLog, dtBias, [gates, 2 * wide], 'count', heads]);
  },
  delta_gates_grad: ([a, b, aLog, dtBias, dGates, dA, dB], { rows, heads }) => {
    const wide = heads * F;
    const given = [[a, wide], [b, wide], aLog, dtBias, [dGates, 2 * wide]] as const;
    return cut(rows, heads * 3 * EXP, [...given, [dA, wide], [dB, wide], 'count', heads]);
  },
  delta_rule: ([qk, v, gates, runs, states, o], { count, runOff, ...shape }, { wasm }, views) => {
    const { keyHeads, heads, keyDim, valueDim } = shape;
    if (keyDim % 4 !== 0 || valueDim % 4 !== 0) return false;
    const { total } = rowsOf(views()[3], runOff, count);
    const args = [qk, v, gates, runs + runOff * RUN, states, o, count, keyHeads, heads, keyDim, valueDim] as const;
    const scratch = wasm.deltaRuleScratch(keyDim, valueDim) >>> 0;
    return cut(heads, (total + count) * 4 * keyDim * valueDim, [...args, 'from', 'end'], { scratch });
  },
  delta_rule_grad: ([qk, v, gates, runs, states, dOV, dQk], { count, runOff, ...shape }, { wasm }, views) => {
    const { keyHeads, heads, keyDim, valueDim } = shape;
    if (keyDim % 4 !== 0 || valueDim % 4 !== 0) return false;
    const { longest, total } = rowsOf(views()[3], runOff, count);
    const buffers = [qk, v, gates, runs + runOff * RUN, states, dOV, dQk] as const;
    const args = [...buffers, count, keyHeads, heads, keyDim, valueDim, longest, 'from', 'end'] as const;
    const scratch = wasm.deltaRuleGradScratch(longest, keyDim) >>> 0;
    return cut(keyHeads, ((total * heads) / keyHeads) * 16 * keyDim * valueDim, args, { scratch });
  },
};

export const ALL_PROGRAMS: SimdPrograms = { ...SIMD_PROGRAMS, ...LATE };

/** Rows of the longest run, and of all runs. */
function rowsOf(runs: Uint32Array, from: number, count: number): { longest: number; total: number } {
  let longest = 0;
  let total = 0;
  for (let r = from; r < from + count; r++) {
    const rows = runs[r * RUN_WORDS + 1] - runs[r * RUN_WORDS];
    longest = Math.max(longest, rows);
    total += rows;
  }
  return { longest, total };
}
