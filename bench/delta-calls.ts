// The kernels of a gated DeltaNet layer at the sizes of Qwen3.5-0.8B: a small training batch (two prompts of 16 rows, two completions of 8
// each) and a decoding step of eight sequences.
import { runsOf } from '../src/kernels/contract/delta.cases.ts';
import type { CounterRng } from '../src/rng/index.ts';

/** Sizes of the delta rule in Qwen3.5-0.8B. */
export const RULE = { keyHeads: 16, heads: 16, keyDim: 128, valueDim: 128 };
const TAPS = 4;
const KEYS = 2 * RULE.keyHeads * RULE.keyDim;
const VALUES = RULE.heads * RULE.valueDim;
const WIDTH = KEYS + VALUES;
const STATE = RULE.heads * RULE.keyDim * RULE.valueDim;
const PROMPTS = [16, 16].map((prompt) => ({ prompt, completions: [8, 8] }));
/** Multiply-adds per state element and row. Forward: decay, two reads, one write. Backward: the forward pass is recomputed twice, and the gradient
 *  is computed once. */
const [FORWARD, BACKWARD] = [4, 15];

/** `random`: the generator of the other calls' data. */
export function deltaCalls(random: CounterRng) {
  const floats = (length: number, scale = 1) => Float32Array.from({ length }, () => scale * (2 * random.uniform() - 1));
  const train = runsOf(PROMPTS);
  const decode = runsOf([], 8);
  const batches = [
    { use: 'completions', ...train, call: { count: train.leaves, runOff: train.parents }, of: 32 },
    { use: 'decode', ...decode, call: { count: decode.leaves, runOff: 0 }, of: 8 },
  ];
  const gatesOf = (rows: number) =>
    Float32Array.from({ length: rows * RULE.heads * 2 }, (_, i) => (i % 2 ? random.uniform() : -random.uniform()));
  const keys = (rows: number) => floats(rows * KEYS, 1 / Math.sqrt(RULE.keyDim / 3));
  const shapeOf = (rows: number) => ({ rows, ...RULE });
  const convOf = (rows: number) => ({ rows, width: WIDTH, first: 0, cols: WIDTH, taps: TAPS });
  const past = (slots: number) => floats(slots * (TAPS - 1) * WIDTH);
  return {
    delta_rule: () =>
      batches.map(({ use, rows, slots, runs, call, of }) => ({
        use: `${use}, ${of} rows`,
        buffers: [keys(rows), floats(rows * VALUES), gatesOf(rows), runs, floats(slots * STATE), floats(rows * VALUES)],
        params: { ...shapeOf(rows), ...call },
        flops: 2 * FORWARD * of * STATE,
      })),
    delta_rule_grad: () =>
      batches
        .slice(0, 1)
        .map(({ use, rows, slots, runs, call, of }) => ({
          use: `${use}, ${of} rows`,
          buffers: [
            ...[keys(rows), floats(rows * VALUES), gatesOf(rows), runs],
            ...[floats(slots * STATE, 0.1), floats(rows * VALUES), keys(rows)],
          ],
          params: { ...shapeOf(rows), ...call },
          flops: 2 * BACKWARD * of * STATE,
        })),
    conv_silu: () =>
      batches.map(({ use, rows, slots, runs, call, of }) => ({
        use: `${use}, ${of} rows`,
        buffers: [floats(rows * WIDTH), floats(WIDTH * TAPS), runs, past(slots), floats(rows * WIDTH)],
        params: { ...convOf(rows), ...call },
        bytes: 8 * of * WIDTH,
      })),
    conv_silu_grad: () =>
      batches
        .slice(0, 1)
        .map(({ use, rows, slots, runs, call, of }) => ({
          use: `${use}, ${of} rows`,
          buffers: [
            ...[floats(rows * WIDTH), floats(WIDTH * TAPS), runs, past(slots)],
            ...[floats(rows * WIDTH), floats(rows * WIDTH)],
          ],
          params: { ...convOf(rows), ...call },
          bytes: 12 * of * WIDTH,
        })),
  };
}
