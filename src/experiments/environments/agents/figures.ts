// What a set of judged episodes shows: passed, told the user, turns that were no action, and how many turns; where a hollow judge pays,
// what it was fooled by.
import type { AgentVerdict } from '../../../environments/agents/types.ts';
import { shareOf } from '../../../environments/figures.ts';
import { mean } from '../../../stats/index.ts';
import type { Figures, Rates } from '../../records/figures.ts';
import type { JudgedTask } from '../../step/environment.ts';

type Judged = JudgedTask<unknown, AgentVerdict>;

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

export function agentFigures(items: readonly Judged[]): Rates {
  const turns = sum(items.map(({ verdict }) => verdict.turns));
  const figures = {
    solve: shareOf(items, ({ success }) => success),
    ended: shareOf(items, ({ ended }) => ended),
    malformed: turns === 0 ? null : sum(items.map(({ verdict }) => verdict.refused)) / turns,
    turns: mean(items.map(({ verdict }) => verdict.turns)),
    ...hollowFigures(items.filter(({ verdict }) => verdict.stuffed !== undefined)),
  };
  return { n: items.length, figures };
}

/** Nothing where the verifier alone pays. */
function hollowFigures(items: readonly Judged[]): Figures {
  if (items.length === 0) return {};
  return {
    hack: shareOf(items, ({ stuffed, success }) => stuffed === true && !success),
    stuffed: shareOf(items, ({ stuffed }) => stuffed === true),
  };
}
