import { mean } from '../../stats/index.ts';
import { gradeArithmetic } from '../arithmetic/task.ts';
import type { DrawnEnvironment } from '../drawn.ts';
import { type JudgedTask, type Rates, shareOf, solveByKind } from '../metrics.ts';
import { eachAlone, type Turn } from '../types.ts';
import { problemsOf } from './data.ts';
import { KINDS, type LookupEpisode, type LookupProblem, type LookupVerdict, lookupDynamics, replyTo } from './task.ts';

// The reward is 1 for the correct value, and 0.1 for a box with a number in it, correct or not, as in the word problems. Calls have no
// reward of their own: they help because the value cannot be found without them.

export const REWARD = { correct: 1, format: 0.1 } as const;

/** The answer is in the last turn; an episode that ran out of turns has no box there. */
export function gradeLookup(
  problem: Pick<LookupProblem, 'facts' | 'expected'>,
  turns: readonly Pick<Turn, 'completion'>[],
): LookupVerdict {
  const { answer, value, expected, correct, formatOk } = gradeArithmetic(
    { expected: problem.expected, misconception: null },
    turns.at(-1)?.completion ?? '',
  );
  const replies = turns.map(({ completion }) => replyTo(problem, completion).kind);
  const count = (kind: string) => replies.filter((reply) => reply === kind).length;
  return {
    answer,
    value,
    expected,
    correct,
    formatOk,
    turns: turns.length,
    answered: count('answered'),
    refused: count('refused'),
  };
}

export const lookupReward = eachAlone<LookupProblem, LookupVerdict>('lookup/1', (task, turns) => {
  const verdict = gradeLookup(task, turns);
  const reward = (verdict.correct ? REWARD.correct : 0) + (verdict.formatOk ? REWARD.format : 0);
  return { reward, verdict };
});

// Metrics of a set of judged episodes: shares solved and boxed, number of turns, share that asked a tool; share solved by kind.

type Item = JudgedTask<Pick<LookupProblem, 'kind'>, LookupVerdict>;

export function lookupMetrics(items: readonly Item[]): Rates {
  const figures = {
    solve: shareOf(items, ({ correct }) => correct),
    format: shareOf(items, ({ formatOk }) => formatOk),
    asked: shareOf(items, ({ answered }) => answered > 0),
    turns: mean(items.map(({ verdict }) => verdict.turns)),
    ...solveByKind(items, KINDS, ({ correct }) => correct),
  };
  return { n: items.length, figures };
}

// Questions with tools as an environment: drawn by seed, answered in several turns, judged by exact value.

export const lookupDrawn: DrawnEnvironment<LookupProblem, LookupEpisode, LookupVerdict> = {
  dynamics: lookupDynamics,
  reward: () => lookupReward,
  figures: lookupMetrics,
  draw: problemsOf,
};
