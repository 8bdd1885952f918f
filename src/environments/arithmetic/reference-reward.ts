// Compute as Teacher's reward: 1 for an answer that equals the group's reference, which is made of the group itself. The truth is
// measured beside it and never paid for. A rollout alone (an evaluation asks one of each problem) has no group to be compared with:
// it is judged as the other reward judges it, and no reference is made.
import { agrees, estimatorOf } from '../agreement/estimators.ts';
import { majorityOf } from '../agreement/selection.ts';
import type { EstimatorId, Reference } from '../agreement/types.ts';
import type { Group, Judged, Reward } from '../types.ts';
import { gradeArithmetic } from './grader.ts';
import { askedOf } from './reading.ts';
import { arithmeticReward } from './reward.ts';
import { workingOfSynthesis } from './synthesis-prompt.ts';
import type { ArithmeticProblem, ArithmeticVerdict, ReferredVerdict } from './types.ts';

/** Tokens of a synthesis: the longest working of three steps and its box. */
const MAX_NEW = 64;

export function referenceReward(id: EstimatorId): Reward<ArithmeticProblem, ArithmeticVerdict> {
  const estimator = estimatorOf(id, { maxNew: MAX_NEW });
  return {
    id: `arithmetic/reference/${id}/1`,
    ...(estimator.asks ? {} : { asksNobody: true }),
    async score(groups, models, signal) {
      const [compared, alone] = [groups.filter(isGroup), groups.filter((group) => !isGroup(group))];
      const references = await estimator.estimate(compared.map(askedOf), models, signal);
      const judged = compared.map((group, g) => judge(group, references[g]));
      const others = await arithmeticReward.score(alone, models, signal);
      const [next, nextAlone] = [judged.values(), others.values()];
      return groups.map((group) => (isGroup(group) ? next : nextAlone).next().value!);
    },
  };
}

const isGroup = ({ rollouts }: Group<ArithmeticProblem>): boolean => rollouts.length > 1;

function judge(
  group: Group<ArithmeticProblem>,
  { value: reference, text, chosen, cost }: Reference,
): Judged<ReferredVerdict>[] {
  const { task, rollouts } = group;
  const asked = askedOf(group);
  const truth = asked.truth();
  const majority = majorityOf(asked);
  const grades = rollouts.map(({ turns }) => gradeArithmetic(task, turns.at(-1)?.completion ?? ''));
  const rewards = grades.map(({ value }) => (agrees(value, reference) ? 1 : 0));
  const ofGroup = {
    reference,
    // A chosen attempt is in the environment's form already.
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
