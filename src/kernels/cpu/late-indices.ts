// The checks of indices.ts for the kernels that `complete` loads (device.ts).
import { NONE, RUN_WORDS } from '../contract/delta.ts';
import type { KernelName, KernelParams } from '../contract.ts';
import { fail, INDEX_CHECKS, type IndexChecks } from './indices.ts';

const LATE: IndexChecks = {
  cache_heads: ([, , , cos, sin, places, k, v], p) =>
    checkPlaces('cache_heads', [cos, sin], places, Math.min(k.length, v.length), p),
  cache_heads_f16: ([, , , cos, sin, places, k, v], p) =>
    checkPlaces('cache_heads_f16', [cos, sin], places, 2 * Math.min(k.length, v.length), p),
  store_f16: ([src, index, dst], { rows, dim, shift, gathers }) => {
    const [there, added] = gathers ? [src.length, 0] : [2 * dst.length, shift];
    for (let i = 0; i < rows; i++)
      if ((index[i] + added + 1) * dim > there)
        fail('store_f16', `row ${i} names row ${index[i] + added} of ${Math.floor(there / dim)}`);
  },
  conv_silu: ([, , runs, past], p) => checkRuns('conv_silu', runs, p, past.length / ((p.taps - 1) * p.width)),
  conv_silu_grad: ([, , runs, past], p) =>
    checkRuns('conv_silu_grad', runs, p, past.length / ((p.taps - 1) * p.width), true),
  conv_silu_dw: ([, , runs, past], p) => checkRuns('conv_silu_dw', runs, p, past.length / ((p.taps - 1) * p.width)),
  delta_rule: ([, , , runs, states], p) =>
    checkRuns('delta_rule', runs, p, states.length / (p.heads * p.keyDim * p.valueDim)),
  delta_rule_grad: ([, , , runs, states], p) =>
    checkRuns('delta_rule_grad', runs, p, states.length / (p.heads * p.keyDim * p.valueDim), true),
};

export const ALL_CHECKS: IndexChecks = { ...INDEX_CHECKS, ...LATE };

/** `elements`: number of keys' elements in the cache, and of values'. */
function checkPlaces(
  kernel: KernelName,
  [cos, sin]: readonly { length: number }[],
  places: Uint32Array,
  elements: number,
  { rows, kvHeads, headDim, turned, shift }: KernelParams<'cache_heads'>,
): void {
  const positions = Math.floor(Math.min(cos.length, sin.length) / (turned / 2));
  const cached = Math.floor(elements / (kvHeads * headDim));
  for (let i = 0; i < rows; i++) {
    const [pos, row] = [places[i * 2] + shift, places[i * 2 + 1] + shift];
    if (pos >= positions) fail(kernel, `position ${pos} of row ${i} is past the table's ${positions} positions`);
    if (row >= cached) fail(kernel, `row ${i} goes to row ${row} of the cache, which has ${cached}`);
  }
}

/** `slots`: number of states in the buffer. */
function checkRuns(
  kernel: KernelName,
  runs: Uint32Array,
  { rows, count, runOff }: { rows: number; count: number; runOff: number },
  slots: number,
  isBackward = false,
): void {
  const written = new Map<number, number>();
  for (let r = runOff; r < runOff + count; r++) {
    const [from, to, , after, children] = runs.subarray(r * RUN_WORDS, (r + 1) * RUN_WORDS);
    if (from > to || to > rows) fail(kernel, `run ${r} is the rows [${from},${to}) of ${rows}`);
    if (after + children >= slots)
      fail(kernel, `run ${r} writes slot ${after} and has ${children} runs behind it; there are ${slots} slots`);
    if (written.has(after)) fail(kernel, `runs ${written.get(after)} and ${r} write the same slot ${after}`);
    written.set(after, r);
  }
  for (let r = runOff; r < runOff + count; r++) {
    const before = runs[r * RUN_WORDS + 2];
    if (before === NONE) continue;
    if (isBackward && written.get(before) === r) fail(kernel, `run ${r} begins with slot ${before}, which it writes`);
    if (before >= slots) fail(kernel, `run ${r} begins with slot ${before} of ${slots}`);
    if ((written.get(before) ?? r) !== r)
      fail(kernel, `run ${r} begins with slot ${before}, which run ${written.get(before)} of the same call writes`);
  }
}
