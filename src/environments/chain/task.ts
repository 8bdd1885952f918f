// Parts of the chain puzzles: relations between neighbouring digits, some hidden until an answer breaks them; tasks (a puzzle without an
// answer, or with one to revise) and verdicts.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import type { CounterRng } from '../../rng/index.ts';
import { promptOf } from '../../text/chatml.ts';

import { oneTurn } from '../types.ts';

/** Relation of a digit to the next one: `+` means that the next is one more, `-` that it is one less. */
export const RELATIONS = ['<', '>', '=', '+', '-'] as const;
export type Relation = (typeof RELATIONS)[number];

/** `diverge` asks for a revision that differs much from the draft. */
export const KINDS = ['solve', 'improve', 'diverge'] as const;
export type Kind = (typeof KINDS)[number];

/** Size of the puzzles. */
export interface ChainShape {
  /** Digits of an answer; there is one relation less. */
  length: number;
  /** Digits are 1 … this number, at most 9. */
  digits: number;
  /** Number of relations that are not shown. */
  hidden: number;
}

export interface ChainPuzzle {
  /** Relations in order, hidden ones marked: `< ?+ =`. */
  id: string;
  shape: ChainShape;
  relations: readonly Relation[];
  hidden: readonly boolean[];
  /** One of its solutions, from which the relations were read. */
  planted: readonly number[];
}

/** A puzzle in a prompt: alone, or with the last answer and its check. */
export interface ChainTask {
  /** Id of the puzzle; for a revision also its draft and kind. */
  id: string;
  kind: Kind;
  /** The whole prompt with its chat markup. */
  prompt: string;
  puzzle: ChainPuzzle;
  /** Number of earlier answers of the policy (or drafts). */
  depth: number;
  /** The draft to revise and its quality; null for a first answer. */
  draft: string | null;
  before: number | null;
}

export interface ChainVerdict {
  /** The digits; null if the completion is not a row of the right length. */
  answer: string | null;
  /** Share of satisfied relations; 0 without an answer. */
  quality: number;
  /** Whether all relations are satisfied. */
  correct: boolean;
  formatOk: boolean;
  kind: Kind;
  depth: number;
  /** Quality of the draft; null for a first answer. */
  before: number | null;
}

// A puzzle: a planted row of digits, the relations read from it, some of them hidden; and the quality of a row. The hidden information
// limits the quality of a first answer, so that a second one can be better.

/** The environment's own seed decides the puzzles for training and evaluation; a run's seed does not change them. */
export const DATA_SEED = 7;
export const CHAIN_SHAPE: ChainShape = { length: 7, digits: 5, hidden: 3 };

export function holds(relation: Relation, left: number, right: number): boolean {
  if (relation === '<') return left < right;
  if (relation === '>') return left > right;
  if (relation === '=') return left === right;
  return right === left + (relation === '+' ? 1 : -1);
}

/** Whether a row satisfies each relation. */
export const satisfied = (relations: readonly Relation[], row: readonly number[]): boolean[] =>
  relations.map((relation, i) => holds(relation, row[i], row[i + 1]));

export function qualityOf({ relations }: Pick<ChainPuzzle, 'relations'>, row: readonly number[]): number {
  return satisfied(relations, row).filter(Boolean).length / relations.length;
}

/** The row of digits that the text consists of; null for any other text. */
export function rowOf({ shape }: Pick<ChainPuzzle, 'shape'>, text: string): number[] | null {
  const words = text.trim();
  if (words.length !== shape.length) return null;
  const row = Array.from(words, Number);
  return row.every((digit) => Number.isInteger(digit) && digit >= 1 && digit <= shape.digits) ? row : null;
}

/** A difference of one has two possible relations, chosen with equal probability. */
function relationOf(left: number, right: number, rng: CounterRng): Relation {
  if (left === right) return '=';
  const [order, step]: [Relation, Relation] = left < right ? ['<', '+'] : ['>', '-'];
  return Math.abs(left - right) === 1 && rng.uniform() < 0.5 ? step : order;
}

export const drawDigit = ({ digits }: ChainShape, rng: CounterRng): number => 1 + rng.int(digits);

export function drawPuzzle(shape: ChainShape, rng: CounterRng): ChainPuzzle {
  const planted = Array.from({ length: shape.length }, () => drawDigit(shape, rng));
  const relations = planted.slice(1).map((right, i) => relationOf(planted[i], right, rng));
  const unseen = new Set(rng.shuffle([...relations.keys()]).slice(0, shape.hidden));
  const hidden = relations.map((_, i) => unseen.has(i));
  return {
    id: relations.map((relation, i) => (hidden[i] ? `?${relation}` : relation)).join(' '),
    shape,
    relations,
    hidden,
    planted,
  };
}

/** Draws each digit anew with probability `rate`. */
export const resampled = (row: readonly number[], rate: number, shape: ChainShape, rng: CounterRng): number[] =>
  row.map((digit) => (rng.uniform() < rate ? drawDigit(shape, rng) : digit));

// The text of a puzzle. A hidden relation is `?`; in a revision it is `~` if the draft happens to satisfy it, and is revealed if the draft
// breaks it, like a failed test. Every relation with its mark is one token of the environment's tokenizer. Only the last answer is shown:
// mending one relation can break a `~` unseen, so that several steps are needed.

const WORDS: Readonly<Record<Kind, string>> = { solve: 'SOLVE', improve: 'IMPROVE', diverge: 'DIVERGE' };

/** The visible part of a puzzle in a first answer's prompt. */
export const visibleOf = ({ relations, hidden }: Pick<ChainPuzzle, 'relations' | 'hidden'>): string =>
  relations.map((relation, i) => (hidden[i] ? '?' : relation)).join(' ');

export function taskOf(puzzle: ChainPuzzle): ChainTask {
  const prompt = promptOf(`${WORDS.solve} ${visibleOf(puzzle)}`);
  return { id: puzzle.id, kind: 'solve', prompt, puzzle, depth: 0, draft: null, before: null };
}

/** `draft`: a row of the puzzle's digits. */
export function revisionOf(puzzle: ChainPuzzle, draft: string, depth: number, kind: Exclude<Kind, 'solve'>): ChainTask {
  const row = rowOf(puzzle, draft) ?? [];
  const holds = satisfied(puzzle.relations, row);
  const marks = puzzle.relations.map((relation, i) => (!holds[i] ? `!${relation}` : puzzle.hidden[i] ? '~' : relation));
  return {
    id: `${puzzle.id} ${kind} ${draft}`,
    kind,
    puzzle,
    depth,
    draft,
    before: qualityOf(puzzle, row),
    prompt: promptOf(`${WORDS[kind]} ${marks.join(' ')} ${draft}`),
  };
}

// A puzzle that a user writes: its relations in order, hidden ones marked, in the form of ids (`< ?+ =`).

/** Throws SpecError for a text that is not a puzzle of this shape, or has no solution. */
export function puzzleOf(text: string, shape: ChainShape = CHAIN_SHAPE): ChainPuzzle {
  const words = text.trim().split(/\s+/);
  const remedy = `Write ${shape.length - 1} of ${RELATIONS.join(' ')} with spaces between them; ? before one hides it.`;
  const relations = words.map((word) => word.replace(/^\?/, ''));
  const wrong = relations.find((word): boolean => !RELATIONS.includes(word as Relation));
  if (wrong !== undefined) throw new SpecError(`“${wrong.slice(0, 20)}” is not a relation.`, remedy);
  if (relations.length !== shape.length - 1)
    throw new SpecError(`A puzzle has ${shape.length - 1} relations, not ${relations.length}.`, remedy);
  const planted = solutionOf(relations as Relation[], shape);
  if (!planted) throw new SpecError('No row of digits satisfies all of them.', 'Change one of the relations.');
  const hidden = words.map((word) => word.startsWith('?'));
  return { id: words.join(' '), shape, relations: relations as Relation[], hidden, planted };
}

/** The first solution in the order of digits; null if there is none. */
function solutionOf(relations: readonly Relation[], { digits }: ChainShape): number[] | null {
  const all = Array.from({ length: digits }, (_, i) => i + 1);
  // Digits from which the rest can be completed, by position from the right end.
  const open: number[][] = [all];
  for (const relation of [...relations].reverse()) {
    const next = open[0];
    open.unshift(all.filter((left) => next.some((right) => holds(relation, left, right))));
  }
  if (open[0].length === 0) return null;
  const row = [open[0][0]];
  relations.forEach((relation, i) => {
    row.push(open[i + 1].find((right) => holds(relation, row[i], right))!);
  });
  return row;
}

export const chainDynamics = oneTurn<ChainTask>('chain');
