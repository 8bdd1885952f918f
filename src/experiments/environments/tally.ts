// How figures are counted from judged tasks: a share of those that a verdict holds for, and the same by kind of task.
import { type Figures, ofKind } from '../records/figures.ts';
import type { JudgedTask } from './world.ts';

/** Null of none. */
export const shareOf = <Verdict>(
  items: readonly JudgedTask<unknown, Verdict>[],
  holds: (verdict: Verdict) => boolean,
): number | null => (items.length === 0 ? null : items.filter(({ verdict }) => holds(verdict)).length / items.length);

/** `n:kind` and `solve:kind` for every kind that there are tasks of, in the order given. */
export function solveByKind<Task extends { kind: string }, Verdict>(
  items: readonly JudgedTask<Task, Verdict>[],
  kinds: readonly string[],
  isSolved: (verdict: Verdict) => boolean,
): Figures {
  const figures: Figures = {};
  for (const kind of kinds) {
    const own = items.filter(({ task }) => task.kind === kind);
    if (own.length === 0) continue;
    figures[ofKind('n', kind)] = own.length;
    figures[ofKind('solve', kind)] = shareOf(own, isSolved);
  }
  return figures;
}
