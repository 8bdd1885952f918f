// What a set of judged episodes shows: passed, told the user, turns that were no action, and how many turns.
import type { AgentVerdict } from '../../../environments/agents/types.ts';
import { mean } from '../../../stats/index.ts';
import type { Rates } from '../../records/figures.ts';
import { shareOf } from '../tally.ts';
import type { JudgedTask } from '../world.ts';

type Judged = JudgedTask<unknown, AgentVerdict>;

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

export function agentFigures(items: readonly Judged[]): Rates {
  const turns = sum(items.map(({ verdict }) => verdict.turns));
  const figures = {
    solve: shareOf(items, ({ success }) => success),
    ended: shareOf(items, ({ ended }) => ended),
    malformed: turns === 0 ? null : sum(items.map(({ verdict }) => verdict.refused)) / turns,
    turns: mean(items.map(({ verdict }) => verdict.turns)),
  };
  return { n: items.length, figures };
}
