// A puzzle: a planted row of digits, the relations read off it, some of them hidden; and how good a row is. The information that is
// hidden bounds what a first answer can be, so that there is room for a second one.
import type { CounterRng } from '../../rng/index.ts';
import type { ChainPuzzle, ChainShape, Relation } from './types.ts';

/** The environment's own seed: which puzzles are trained on and asked. A run's seed does not touch them. */
export const DATA_SEED = 7;
export const CHAIN_SHAPE: ChainShape = { length: 7, digits: 5, hidden: 3 };

export function holds(relation: Relation, left: number, right: number): boolean {
  if (relation === '<') return left < right;
  if (relation === '>') return left > right;
  if (relation === '=') return left === right;
  return right === left + (relation === '+' ? 1 : -1);
}

/** Which relations a row satisfies. */
export const satisfied = (relations: readonly Relation[], row: readonly number[]): boolean[] =>
  relations.map((relation, i) => holds(relation, row[i], row[i + 1]));

export function qualityOf({ relations }: Pick<ChainPuzzle, 'relations'>, row: readonly number[]): number {
  return satisfied(relations, row).filter(Boolean).length / relations.length;
}

/** Null for what is no row of this puzzle's digits, and nothing else. */
export function rowOf({ shape }: Pick<ChainPuzzle, 'shape'>, text: string): number[] | null {
  const said = text.trim();
  if (said.length !== shape.length) return null;
  const row = Array.from(said, Number);
  return row.every((digit) => Number.isInteger(digit) && digit >= 1 && digit <= shape.digits) ? row : null;
}

/** Of a difference of one there are two names, and a fair coin takes one. */
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

/** Each digit drawn anew with probability `rate`. */
export const resampled = (row: readonly number[], rate: number, shape: ChainShape, rng: CounterRng): number[] =>
  row.map((digit) => (rng.uniform() < rate ? drawDigit(shape, rng) : digit));
