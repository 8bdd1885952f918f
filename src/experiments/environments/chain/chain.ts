// Chain puzzles as an environment: drawn by seed, judged by their relations, revised step by step.

import { problemsOf } from '../../../environments/chain/data.ts';
import { CHAIN_SPLITS } from '../../../environments/chain/presentation.ts';
import { chainImprovable, chainReward } from '../../../environments/chain/reward.ts';
import { type ChainVerdict, chainDynamics } from '../../../environments/chain/task.ts';
import { shareOf } from '../../../environments/metrics.ts';
import { mean } from '../../../stats/index.ts';
import type { Rates } from '../../records/metrics.ts';
import type { JudgedTask } from '../../step/environment.ts';
import { drawnMaker } from '../drawn.ts';

export const chainMaker = drawnMaker({
  dynamics: chainDynamics,
  reward: ({ gain }) => chainReward(gain),
  rewardPart: ({ gain }) => [gain],
  figures: chainMetrics,
  splits: CHAIN_SPLITS,
  draw: problemsOf,
  improvable: chainImprovable,
  isChained: true,
});

type Judged = JudgedTask<unknown, ChainVerdict>;

export function chainMetrics(items: readonly Judged[]): Rates {
  const first = items.filter(({ verdict }) => verdict.before === null);
  const revised = items.filter(({ verdict }) => verdict.before !== null);
  const figures = {
    quality: mean(first.map(({ verdict }) => verdict.quality)),
    solve: shareOf(first, ({ correct }) => correct),
    format: shareOf(items, ({ formatOk }) => formatOk),
    // Of runs that revise alone.
    ...(revised.length > 0 && {
      revised: revised.length / items.length,
      depth: mean(revised.map(({ verdict }) => verdict.depth)),
      fixed: shareOf(revised, ({ correct }) => correct),
      worse: shareOf(revised, ({ quality, before }) => quality < before!),
    }),
  };
  return { n: items.length, figures };
}
