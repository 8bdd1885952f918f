// Ranks the model's predictions at every token of given texts: the token's own probability and the most likely tokens,
// from one forward pass over packed texts whose logits are read chunk by chunk and never kept.
import { readFloats } from '../../kernels/device.ts';
import { PackedForward } from '../passes/batch.ts';
import type { LayerContext } from '../passes/layer.ts';
import { pack } from '../passes/packing.ts';
import type { RankedToken } from '../types.ts';

/** Columns of a batch's stats: log-probability of the target, log-sum-exp, entropy. */
const STATS = { width: 3, logSumExp: 1 } as const;

/**
 * @param texts token ids; each text has at least one token
 * @param count number of most likely tokens at each position
 * @returns for each text one entry fewer than it has tokens: entry t describes token t + 1 given those before it. A token's own
 *   log-probability equals its entry in `top` exactly.
 */
export async function rankedTokens(
  ctx: LayerContext,
  texts: readonly (readonly number[])[],
  count: number,
  signal?: AbortSignal,
): Promise<RankedToken[][]> {
  const long = texts.filter((ids) => ids.length > 1);
  if (long.length === 0) return texts.map(() => []);
  const { device, config } = ctx;
  // A text's first token is its prompt: no row predicts it, and texts with the same first token share its row.
  const sequences = long.map(([first, ...rest]) => ({ prompt: [first], completion: rest, segment: 0 }));
  const packed = pack(sequences, 1, config.maxPositions);
  const pass = new PackedForward(ctx, packed);
  const { vocab } = config;
  const best: Likeliest[] = [];
  const own = new Float32Array(packed.targetIds.length);
  const stats = await pass.forward(signal, async (logits, from, rows) => {
    const values = await readFloats(device, logits, 0, rows * vocab);
    for (let row = 0; row < rows; row++) {
      const at = values.subarray(row * vocab, (row + 1) * vocab);
      own[from + row] = at[packed.targetIds[from + row]];
      best.push(likeliest(at, count));
    }
  });
  const rows = Array.from(packed.targetIds, (id, row): RankedToken => {
    const logSumExp = stats[row * STATS.width + STATS.logSumExp];
    const top = best[row].map(({ id, logit }) => ({ id, logprob: logit - logSumExp }));
    return { id, logprob: own[row] - logSumExp, top };
  });
  let next = 0;
  return texts.map((ids) => {
    if (ids.length < 2) return [];
    const [start, length] = [packed.targetStart[next], packed.targetCount[next]];
    next++;
    return rows.slice(start, start + length);
  });
}

type Likeliest = { id: number; logit: number }[];

/** The `count` largest of one row's logits, in descending order. Most logits cost one comparison, with the smallest found so far. */
function likeliest(logits: ArrayLike<number>, count: number): Likeliest {
  const found: Likeliest = [];
  if (count === 0) return found;
  for (let id = 0; id < logits.length; id++) {
    const logit = logits[id];
    if (found.length === count && logit <= found[count - 1].logit) continue;
    let at = found.length;
    while (at > 0 && found[at - 1].logit < logit) at--;
    found.splice(at, 0, { id, logit });
    if (found.length > count) found.pop();
  }
  return found;
}
