// A puzzle that a person writes: its relations in order, hidden ones marked, as ids say them (`< ?+ =`).
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { CHAIN_SHAPE, holds } from './puzzle.ts';
import { type ChainPuzzle, type ChainShape, RELATIONS, type Relation } from './types.ts';

/** Throws SpecError for what is no puzzle of this shape, or has no solution. */
export function puzzleOf(text: string, shape: ChainShape = CHAIN_SHAPE): ChainPuzzle {
  const words = text.trim().split(/\s+/);
  const remedy = `Write ${shape.length - 1} of ${RELATIONS.join(' ')} with spaces between them; ? before one hides it.`;
  const relations = words.map((word) => word.replace(/^\?/, ''));
  const wrong = relations.find((word): boolean => !RELATIONS.includes(word as Relation));
  if (wrong !== undefined) throw new SpecError(`“${wrong.slice(0, 20)}” is no relation.`, remedy);
  if (relations.length !== shape.length - 1)
    throw new SpecError(`A puzzle has ${shape.length - 1} relations, not ${relations.length}.`, remedy);
  const planted = solutionOf(relations as Relation[], shape);
  if (!planted) throw new SpecError('No row of digits satisfies all of them.', 'Change one of the relations.');
  const hidden = words.map((word) => word.startsWith('?'));
  return { id: words.join(' '), shape, relations: relations as Relation[], hidden, planted };
}

/** The first solution in the order of digits; null where there is none. */
function solutionOf(relations: readonly Relation[], { digits }: ChainShape): number[] | null {
  const all = Array.from({ length: digits }, (_, i) => i + 1);
  // From which digits the rest can be gone on with, from the right end.
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
