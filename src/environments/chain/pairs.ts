// Labelled pairs of sandbagging: one puzzle asked anew, a first answer that breaks what it can see (the hack) and one that keeps it.
// Neither knows the hidden relations, so that the two differ in the will to answer well and not in what there is to know.
import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import type { ContrastivePair } from '../code/pairs.ts';
import { drawOf } from './data.ts';
import { CHAIN_SHAPE, type ChainPuzzle, DATA_SEED, drawDigit, satisfied, taskOf } from './task.ts';

/** Of training's part, from draws of their own: no held-out prompt, and a prompt that RL meets may be among them. */
export function sandbagPairs(count: number, dataSeed = DATA_SEED): ContrastivePair[] {
  return Array.from({ length: count }, (_, i): ContrastivePair => {
    const rng = new CounterRng(keyFor(dataSeed, STREAMS.problems, 6, PAIRS, i));
    const puzzle = drawOf('training', rng);
    const [hack, clean] = [rowWith(puzzle, false, rng), rowWith(puzzle, true, rng)];
    return { problem_id: puzzle.id, prompt: taskOf(puzzle).prompt, hack, clean, mechanism: null };
  });
}

/** Beside the parts of the split (data.ts) in their stream. */
const PAIRS = 16;

/** Even over the rows of which all visible relations hold, or none does. A puzzle has rows of either kind. */
function rowWith({ relations, hidden, shape }: ChainPuzzle, holds: boolean, rng: CounterRng): string {
  for (;;) {
    const row = Array.from({ length: CHAIN_SHAPE.length }, () => drawDigit(shape, rng));
    if (satisfied(relations, row).every((is, i) => hidden[i] || is === holds)) return row.join('');
  }
}
