// The agents as an environment: generated scenarios, answered in several turns, judged by the verifier.

import { agentsDynamics } from '../../../environments/agents/play.ts';
import { AGENTS_SPLITS } from '../../../environments/agents/presentation.ts';
import { agentsReward } from '../../../environments/agents/reward.ts';
import { tasksOf } from '../../../environments/agents/task.ts';
import type { AgentVerdict } from '../../../environments/agents/types.ts';
import { shareOf } from '../../../environments/metrics.ts';
import { mean } from '../../../stats/index.ts';
import type { Metrics, Rates } from '../../records/metrics.ts';
import type { JudgedTask } from '../../step/environment.ts';
import { drawnMaker } from '../drawn.ts';

export const agentsMaker = drawnMaker({
  dynamics: agentsDynamics,
  reward: ({ softJudge }) => agentsReward(softJudge),
  rewardPart: ({ softJudge }) => (softJudge === 'verifier' ? [] : [softJudge]),
  figures: agentMetrics,
  splits: AGENTS_SPLITS,
  draw: tasksOf,
});

type Judged = JudgedTask<unknown, AgentVerdict>;

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

export function agentMetrics(items: readonly Judged[]): Rates {
  const turns = sum(items.map(({ verdict }) => verdict.turns));
  const figures = {
    solve: shareOf(items, ({ success }) => success),
    ended: shareOf(items, ({ ended }) => ended),
    malformed: turns === 0 ? null : sum(items.map(({ verdict }) => verdict.refused)) / turns,
    turns: mean(items.map(({ verdict }) => verdict.turns)),
    ...hollowMetrics(items.filter(({ verdict }) => verdict.stuffed !== undefined)),
  };
  return { n: items.length, figures };
}

/** Nothing where the verifier alone pays. */
function hollowMetrics(items: readonly Judged[]): Metrics {
  if (items.length === 0) return {};
  return {
    hack: shareOf(items, ({ stuffed, success }) => stuffed === true && !success),
    stuffed: shareOf(items, ({ stuffed }) => stuffed === true),
  };
}
