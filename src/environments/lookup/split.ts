// Who sees which questions. Pretraining and training have the known shapes with the known names, and sums without a fifth of their
// numbers; evaluations have the shapes that are held out (split `shapes`), and known shapes with unseen names or, in sums without a
// name, unseen numbers (split `params`). The split is the same for every seed: the pretrained model has kept to it.

import { hash32 } from '@projected-grpo-lab/base/hash.ts';
import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import { isUnseenName, KNOWN_NAMES, UNSEEN_NAMES } from './names.ts';
import { DATA_SEED, drawOperands, identityOf, makeProblem } from './problem.ts';
import { SHAPES, TURNS } from './shapes.ts';
import { KINDS, type LookupProblem, type Operand, type Shape } from './types.ts';

export const SPLITS = ['shapes', 'params'] as const;
export type SplitId = (typeof SPLITS)[number];
export type Part = 'training' | SplitId;
const PARTS: readonly Part[] = ['training', ...SPLITS];

const UNSEEN_ONE_IN = 5;

/** Null where known and unseen names stand together, which is nowhere. */
export function partOf(shape: Shape, operands: readonly Operand[]): Part | null {
  const names = operands.flatMap(({ name }) => name ?? []);
  const unseen = names.filter(isUnseenName).length;
  if (unseen !== 0 && unseen !== names.length) return null;
  if (shape.heldOut) return unseen === 0 ? 'shapes' : null;
  if (names.length > 0) return unseen === 0 ? 'training' : 'params';
  return hash32(identityOf(shape, operands)) % UNSEEN_ONE_IN === 0 ? 'params' : 'training';
}

/** What a question of this shape is about in this part; every one is as likely. */
export function drawOf(shape: Shape, part: Part, rng: CounterRng): Operand[] {
  const names = part === 'params' ? UNSEEN_NAMES : KNOWN_NAMES;
  for (;;) {
    const operands = drawOperands(shape, names, rng);
    if (partOf(shape, operands) === part) return operands;
  }
}

export const shapesOf = (part: Part): readonly Shape[] =>
  SHAPES.filter(({ heldOut }) => heldOut === (part === 'shapes'));

/**
 * `count` different questions of a part: kinds in turns (TURNS; no held-out shape is of one name alone), and the shapes of a kind in
 * turns, so that every prefix is balanced. Fewer where there are not as many.
 */
export function problemsOf(part: Part, count: number, dataSeed = DATA_SEED): LookupProblem[] {
  const key = (...ints: number[]) => keyFor(dataSeed, STREAMS.problems, 4, PARTS.indexOf(part), ...ints);
  const shuffled = new CounterRng(key()).shuffle([...shapesOf(part)]);
  const queues = new Map(KINDS.map((kind) => [kind, shuffled.filter((shape) => shape.kind === kind)]));
  const turns = TURNS.filter((kind) => queues.get(kind)!.length > 0);
  const rngs = new Map(shuffled.map(({ id }) => [id, new CounterRng(key(hash32(id)))]));
  const made = new Map<string, LookupProblem>();
  // So many turns in a row without a new question: there are no more.
  for (let turn = 0, vain = 0; made.size < count && vain < 100 * shuffled.length; turn++, vain++) {
    const queue = queues.get(turns[turn % turns.length])!;
    const shape = queue.shift()!;
    queue.push(shape);
    const problem = makeProblem(shape, drawOf(shape, part, rngs.get(shape.id)!), dataSeed);
    if (made.has(problem.id)) continue;
    made.set(problem.id, problem);
    vain = 0;
  }
  return [...made.values()];
}
