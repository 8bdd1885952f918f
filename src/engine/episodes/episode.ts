// Arithmetic on episodes. An episode is one token sequence with a mask,
//
//   [prompt] [model] [observation] [model] …
//
// whose turns are spans. rollout.ts samples it with one key/value cache for all turns; packing.ts packs it for scoring with one forward
// and one backward pass, in which observations are context. A single completion is an episode of one turn.
import type { EpisodeBudgets, Sequence, TurnSpan } from '../types.ts';

/** [length] 1 for tokens of a turn, 0 for observations. */
export function maskOf(turns: readonly Pick<TurnSpan, 'from' | 'to'>[], length: number): Uint8Array {
  const mask = new Uint8Array(length);
  for (const { from, to } of turns) mask.fill(1, from, to);
  return mask;
}

/** Indices of a completion's trained tokens, ascending; all of them without a mask. */
export function trainedPlaces({ completion, mask }: Pick<Sequence, 'completion' | 'mask'>): number[] {
  return completion.flatMap((_, t) => (mask && !mask[t] ? [] : [t]));
}

/** Number of a sequence's trained tokens: a length-normalised loss divides by it, and GSPO's ratio is a mean over them.
 *  It is the mask's sum; the completion's length without one. */
export function trainedTokens({ completion, mask }: Pick<Sequence, 'completion' | 'mask'>): number {
  return mask ? Array.prototype.filter.call(mask, Boolean).length : completion.length;
}

/** Most tokens of an episode that can be trained: Dr.GRPO's constant divisor, as `maxNew` is for a single turn. */
export function mostTrainedTokens({ maxNew, maxTokens, maxTurns }: EpisodeBudgets): number {
  return Math.min(maxTokens, maxNew * maxTurns);
}

/** One turn's part of an array over trained tokens (log-probabilities, entropies, coefficients), as a view. */
export function valuesOfTurn(
  values: Float32Array,
  turns: readonly Pick<TurnSpan, 'from' | 'to'>[],
  turn: number,
): Float32Array {
  const lengths = turns.map(({ from, to }) => to - from);
  const from = lengths.slice(0, turn).reduce((sum, length) => sum + length, 0);
  return values.subarray(from, from + lengths[turn]);
}
