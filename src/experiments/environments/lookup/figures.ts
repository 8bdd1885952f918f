// What a set of judged episodes shows: solved, boxed, how many turns they took, and how many asked a tool; solve by kind of question.
import { KINDS, type LookupProblem, type LookupVerdict } from '../../../environments/lookup/types.ts';
import { mean } from '../../../stats/index.ts';
import type { Rates } from '../../records/figures.ts';
import { shareOf, solveByKind } from '../tally.ts';
import type { JudgedTask } from '../world.ts';

type Judged = JudgedTask<Pick<LookupProblem, 'kind'>, LookupVerdict>;

export function lookupFigures(items: readonly Judged[]): Rates {
  const figures = {
    solve: shareOf(items, ({ correct }) => correct),
    format: shareOf(items, ({ formatOk }) => formatOk),
    asked: shareOf(items, ({ answered }) => answered > 0),
    turns: mean(items.map(({ verdict }) => verdict.turns)),
    ...solveByKind(items, KINDS, ({ correct }) => correct),
  };
  return { n: items.length, figures };
}
