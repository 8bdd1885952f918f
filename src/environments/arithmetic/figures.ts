// What a set of judged answers shows: solved, boxed, and how often a template's own mistake was made; solve by kind of template. Where
// answers were paid for agreeing with a reference: how good it was.

import { setOwn } from '@projected-grpo-lab/base/own.ts';
import { mean } from '../../stats/index.ts';
import { type Figures, type JudgedTask, ofKind, type Rates, shareOf, solveByKind } from '../figures.ts';
import { type ArithmeticProblem, type ArithmeticVerdict, KINDS, type ReferredVerdict } from './types.ts';

type Judged = JudgedTask<Pick<ArithmeticProblem, 'kind' | 'misconception'>, ArithmeticVerdict>;

export function arithmeticFigures(items: readonly Judged[]): Rates {
  const misled = items.filter(({ task }) => task.misconception !== null);
  const figures = {
    solve: shareOf(items, ({ correct }) => correct),
    format: shareOf(items, ({ formatOk }) => formatOk),
    misconception: shareOf(misled, ({ misconception }) => misconception),
    ...solveByKind(items, KINDS, ({ correct }) => correct),
    ...referenceFigures(items),
  };
  return { n: items.length, figures };
}

type Referred = JudgedTask<Pick<ArithmeticProblem, 'kind'>, ReferredVerdict>;

/** Of rollouts that were paid for agreeing with a reference; nothing where there are none. Groups are of one size, so that a share
 *  of their rollouts is a share of groups. */
function referenceFigures(items: readonly Judged[]): Figures {
  const referred = items.filter((item) => 'reference' in item.verdict) as unknown as Referred[];
  if (referred.length === 0) return {};
  const differing = referred.filter(({ verdict }) => verdict.reference !== verdict.majority);
  const lost = referred.filter(({ verdict }) => verdict.allWrong);
  const figures: Figures = {
    teacherDelta: deltaOf(referred),
    rewardTrue: shareOf(referred, ({ agrees, correct }) => agrees === correct),
    differs: differing.length / referred.length,
    differsRight: shareOf(differing, ({ referenceCorrect }) => referenceCorrect),
    differsMajority: shareOf(differing, ({ majorityCorrect }) => majorityCorrect),
    allWrong: lost.length / referred.length,
    rescued: shareOf(lost, ({ referenceCorrect }) => referenceCorrect),
    referenceTokens: mean(referred.map(({ verdict }) => verdict.referenceTokens)),
  };
  for (const kind of KINDS) {
    const own = referred.filter(({ task }) => task.kind === kind);
    if (own.length > 0) setOwn(figures, ofKind('teacherDelta', kind), deltaOf(own));
  }
  return figures;
}

const deltaOf = (items: readonly Referred[]): number | null =>
  mean(items.map(({ verdict }) => Number(verdict.referenceCorrect) - Number(verdict.correct)));
