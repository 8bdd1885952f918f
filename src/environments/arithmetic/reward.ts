// Reward, by the truth or by agreement with a reference, and metrics.

import { setOwn } from '@projected-grpo-lab/base/own.ts';
import { mean } from '../../stats/index.ts';
import { END_OF_TURN } from '../../text/chatml.ts';
import { agrees, comparing, estimatorOf } from '../cat/estimators.ts';
import { majorityOf } from '../cat/selection.ts';
import type { EstimatorId, Reference } from '../cat/types.ts';
import type { DrawnEnvironment, EnvironmentDocument } from '../drawn.ts';
import { type Gain, payingGains, type Start } from '../exit/types.ts';
import { type JudgedTask, type Metrics, ofKind, type Rates, shareOf, solveByKind } from '../metrics.ts';
import { eachAlone, type Group, type Judged, type OneTurn, type Reward } from '../types.ts';
import { problemsOf } from './data.ts';
import { arithmeticImprovable, arithmeticQuality, askedOf, workingOfSynthesis } from './synthesis.ts';
import {
  type ArithmeticProblem,
  type ArithmeticVerdict,
  arithmeticDynamics,
  gradeArithmetic,
  KINDS,
  type ReferredVerdict,
} from './task.ts';

// 1 for the correct value, plus 0.1 for any number in a box: enough to keep the format, too little to be pursued.

export const REWARD = { correct: 1, format: 0.1 } as const;

export const arithmeticReward = eachAlone<ArithmeticProblem, ArithmeticVerdict>('arithmetic/1', (task, turns) => {
  const verdict = gradeArithmetic(task, turns.at(-1)?.completion ?? '');
  const reward = (verdict.correct ? REWARD.correct : 0) + (verdict.formatOk ? REWARD.format : 0);
  return { reward, verdict };
});

// Compute as Teacher's reward: 1 for an answer that equals the group's reference, which is made from the group itself. The truth is measured, but does
// not enter the reward.

/** Most tokens of a synthesis: the longest working of three steps and its box. */
const MAX_NEW = 64;

export function referenceReward(id: EstimatorId): Reward<ArithmeticProblem, ArithmeticVerdict> {
  const estimator = estimatorOf(id, { maxNew: MAX_NEW });
  return {
    id: `arithmetic/reference/${id}/1`,
    ...(estimator.asks ? {} : { asksNobody: true }),
    score: comparing(async (groups, models, signal) => {
      const references = await estimator.estimate(groups.map(askedOf), models, signal);
      return groups.map((group, g) => judge(group, references[g]));
    }, arithmeticReward),
  };
}

function judge(
  group: Group<ArithmeticProblem>,
  { value: reference, text, chosen, cost }: Reference,
): Judged<ReferredVerdict>[] {
  const { task, rollouts } = group;
  const attempts = askedOf(group);
  const truth = attempts.truth();
  const majority = majorityOf(attempts);
  const grades = rollouts.map(({ turns }) => gradeArithmetic(task, turns.at(-1)?.completion ?? ''));
  const rewards = grades.map(({ value }) => (agrees(value, reference) ? 1 : 0));
  const ofGroup = {
    reference,
    // A chosen attempt already has the environment's form.
    referenceText: text === null || chosen !== null ? text : workingOfSynthesis(text),
    referenceCorrect: agrees(reference, truth),
    majority,
    majorityCorrect: agrees(majority, truth),
    allWrong: grades.every(({ correct }) => !correct),
    dead: rewards.every((reward) => reward === rewards[0]),
    referenceTokens: (cost.read + cost.written) / rollouts.length,
  };
  return grades.map((grade, i) => ({
    reward: rewards[i],
    verdict: { ...grade, agrees: rewards[i] === 1, ...ofGroup },
  }));
}

// A group's reference as a document for finetuning: the problem is context, the reference's working is trained.

/** Null if there is no reference, or only a bare value. */
export function referenceDocument(
  { id, prompt }: Pick<ArithmeticProblem, 'id' | 'prompt'>,
  verdict: ArithmeticVerdict,
): EnvironmentDocument | null {
  const { reference, referenceText } = verdict as Partial<ReferredVerdict>;
  if (reference == null || referenceText == null) return null;
  return {
    id,
    parts: [
      { text: prompt, isTrained: false },
      { text: `${referenceText}${END_OF_TURN}`, isTrained: true },
    ],
  };
}

// Metrics of a set of judged answers: solved, boxed, how often a template's own mistake was made, and solve by kind of template; with rewards for
// agreement also the quality of the references.

type Item = JudgedTask<Pick<ArithmeticProblem, 'kind' | 'misconception'>, ArithmeticVerdict>;

export function arithmeticMetrics(items: readonly Item[]): Rates {
  const misled = items.filter(({ task }) => task.misconception !== null);
  const figures = {
    solve: shareOf(items, ({ correct }) => correct),
    format: shareOf(items, ({ formatOk }) => formatOk),
    misconception: shareOf(misled, ({ misconception }) => misconception),
    ...solveByKind(items, KINDS, ({ correct }) => correct),
    ...referenceMetrics(items),
  };
  return { n: items.length, figures };
}

type Referred = JudgedTask<Pick<ArithmeticProblem, 'kind'>, ReferredVerdict>;

/** Metrics of rollouts rewarded for agreement; empty without any. Groups are of equal size, so a share of their rollouts is a share of
 *  groups. */
function referenceMetrics(items: readonly Item[]): Metrics {
  const referred = items.filter((item): item is Item & Referred => 'reference' in item.verdict);
  if (referred.length === 0) return {};
  const differing = referred.filter(({ verdict }) => verdict.reference !== verdict.majority);
  const lost = referred.filter(({ verdict }) => verdict.allWrong);
  const figures: Metrics = {
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

// The environment of word problems: drawn by seed, judged by exact value or by agreement with a reference.

interface Run {
  reference: 'truth' | EstimatorId;
  starts: Start;
  gain: Gain;
}

export const arithmeticDrawn: DrawnEnvironment<
  ArithmeticProblem,
  OneTurn<ArithmeticProblem>,
  ArithmeticVerdict,
  Run
> = {
  dynamics: arithmeticDynamics,
  reward({ reference, starts, gain }) {
    if (reference !== 'truth') return referenceReward(reference);
    return starts === 'tasks' ? arithmeticReward : payingGains(arithmeticReward, arithmeticQuality, gain);
  },
  rewardPart: ({ reference, starts, gain }) => (reference !== 'truth' ? [reference] : starts === 'tasks' ? [] : [gain]),
  figures: arithmeticMetrics,
  documentOf: ({ reference }) => (reference === 'truth' ? undefined : referenceDocument),
  draw: problemsOf,
  improvable: arithmeticImprovable,
};
