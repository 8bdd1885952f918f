// What a set of judged answers shows: solved, boxed, and how often a template's own mistake was made; solve by kind of template.
import { type ArithmeticProblem, type ArithmeticVerdict, KINDS } from '../../../environments/arithmetic/types.ts';
import type { Rates } from '../../records/figures.ts';
import { shareOf, solveByKind } from '../tally.ts';
import type { JudgedTask } from '../world.ts';

type Judged = JudgedTask<Pick<ArithmeticProblem, 'kind' | 'misconception'>, ArithmeticVerdict>;

export function arithmeticFigures(items: readonly Judged[]): Rates {
  const misled = items.filter(({ task }) => task.misconception !== null);
  const figures = {
    solve: shareOf(items, ({ correct }) => correct),
    format: shareOf(items, ({ formatOk }) => formatOk),
    misconception: shareOf(misled, ({ misconception }) => misconception),
    ...solveByKind(items, KINDS, ({ correct }) => correct),
  };
  return { n: items.length, figures };
}
