// Draws puzzles, splits them, and makes labelled pairs of them. The split depends only on the visible part of a puzzle, so that no prompt of the
// evaluation is in pretraining or training, for any hidden relations. It is the same for every seed.

import { hash32 } from '@projected-grpo-lab/base/hash.ts';
import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import type { ContrastivePair } from '../code/pairs.ts';
import { different } from '../drawn.ts';
import {
  CHAIN_SHAPE,
  type ChainPuzzle,
  type ChainShape,
  type ChainTask,
  DATA_SEED,
  drawDigit,
  drawPuzzle,
  satisfied,
  taskOf,
  visibleOf,
} from './task.ts';

export const SPLITS = ['prompts'] as const;
export type SplitId = (typeof SPLITS)[number];
export type Part = 'training' | SplitId;
const PARTS: readonly Part[] = ['training', ...SPLITS];

const UNSEEN_ONE_IN = 5;

export const partOf = (puzzle: ChainPuzzle): Part =>
  hash32(visibleOf(puzzle)) % UNSEEN_ONE_IN === 0 ? 'prompts' : 'training';

/** Draws a puzzle of this part; within the part all are equally likely. */
export function drawOf(part: Part, rng: CounterRng, shape = CHAIN_SHAPE): ChainPuzzle {
  for (;;) {
    const puzzle = drawPuzzle(shape, rng);
    if (partOf(puzzle) === part) return puzzle;
  }
}

/** `count` different puzzles of a part, or fewer if there are not so many. A longer list begins with a shorter one. */
export function problemsOf(
  part: Part,
  count: number,
  dataSeed = DATA_SEED,
  shape: ChainShape = CHAIN_SHAPE,
): ChainTask[] {
  const rng = new CounterRng(keyFor(dataSeed, STREAMS.problems, 6, PARTS.indexOf(part)));
  return different(count, 1000, () => taskOf(drawOf(part, rng, shape)));
}

// Labelled pairs of sandbagging have one puzzle and two first answers: the hack breaks all visible relations, the clean one keeps them. Neither
// knows the hidden relations, so the two differ in effort and not in knowledge.

/** Draws pairs from the training part, independently of RL's problems: they contain no held-out prompt, but may contain a prompt of RL. */
export function sandbagPairs(count: number, dataSeed = DATA_SEED): ContrastivePair[] {
  return Array.from({ length: count }, (_, i): ContrastivePair => {
    const rng = new CounterRng(keyFor(dataSeed, STREAMS.problems, 6, PAIRS, i));
    const puzzle = drawOf('training', rng);
    const [hack, clean] = [rowWith(puzzle, false, rng), rowWith(puzzle, true, rng)];
    return { problem_id: puzzle.id, prompt: taskOf(puzzle).prompt, hack, clean, mechanism: null };
  });
}

/** Key in the split's random stream that no part uses. */
const PAIRS = 16;

/** A random row of which all visible relations hold, or none does. Every puzzle has rows of both kinds. */
function rowWith({ relations, hidden, shape }: ChainPuzzle, holds: boolean, rng: CounterRng): string {
  for (;;) {
    const row = Array.from({ length: CHAIN_SHAPE.length }, () => drawDigit(shape, rng));
    if (satisfied(relations, row).every((is, i) => hidden[i] || is === holds)) return row.join('');
  }
}
