// tiny-chain, the model of the chain puzzles: the embedded shape, pretrained on answers and revisions with mistakes, and deliberately stopped
// early, so that a revision helps more often than it harms and can still improve. The untrained base is measured on chains of sixteen
// revisions of held-out puzzles, sampled and greedy; the model's manifest records the rates, and a test repeats the first round.

import type { Policy } from '../../engine/types.ts';
import { problemsOf } from '../../environments/chain/data.ts';
import { pretrainSample, tokenizerFileTexts } from '../../environments/chain/model.ts';
import { chainImprovable, chainReward } from '../../environments/chain/reward.ts';
import { chainDynamics, DATA_SEED } from '../../environments/chain/task.ts';
import { KS } from '../../environments/exit/types.ts';
import type { TextCodec } from '../../text/codec.ts';
import { type ChainRow, improve } from '../exit/chains.ts';
import { flowsOf, lastAt, solvedAt } from '../exit/metrics.ts';
import { PRETRAIN_DEFAULTS, TINY_CODER } from '../loop/pretrain.ts';
import type { MeasuredPretraining } from './pretraining.ts';

export const ROUND = { puzzles: 64, steps: 16, maxNew: 8 } as const;

export interface ChainRates {
  n: number;
  /** Metrics by number K of revisions: quality of the last answer at temperature 1 (`quality`) and greedy, and share of solved puzzles. */
  quality: Record<string, number | null>;
  greedy: Record<string, number | null>;
  solved: Record<string, number | null>;
  fixRate: number | null;
  breakRate: number | null;
}

interface Input {
  policy: Policy;
  codec: TextCodec;
  dataSeed: number;
  signal?: AbortSignal;
}

/** Every round has its own puzzles. */
export async function measureChain(
  { policy, codec, dataSeed, signal }: Input,
  rounds: number,
  onRound?: (done: number) => void,
): Promise<{ all: ChainRates; first: ChainRates }> {
  const environment = { dynamics: chainDynamics, reward: chainReward('signed'), improvable: chainImprovable };
  const tasks = problemsOf('prompts', ROUND.puzzles * rounds, dataSeed);
  const done: { sampled: ChainRow[]; greedy: ChainRow[] }[] = [];
  for (let round = 0; round < rounds; round++) {
    onRound?.(round);
    const part = tasks.slice(ROUND.puzzles * round, ROUND.puzzles * (round + 1));
    const of = (temperature: number) =>
      improve({ policy, codec }, environment, part, { ...ROUND, seed: round + 1, temperature, signal });
    done.push({ sampled: await of(1), greedy: await of(0) });
  }
  return { all: ratesOf(done), first: ratesOf(done.slice(0, 1)) };
}

function ratesOf(done: readonly { sampled: ChainRow[]; greedy: ChainRow[] }[]): ChainRates {
  const sampled = done.flatMap((round) => round.sampled);
  const greedy = done.flatMap((round) => round.greedy);
  const byK = (of: (k: number) => number | null) => Object.fromEntries(KS.map((k) => [k, of(k)]));
  const { fixRate, breakRate } = flowsOf(sampled);
  return {
    n: sampled.length,
    quality: byK((k) => lastAt(sampled, k)),
    greedy: byK((k) => lastAt(greedy, k)),
    solved: byK((k) => solvedAt(sampled, k)),
    fixRate,
    breakRate,
  };
}

export const chainPretraining: MeasuredPretraining = {
  model: 'tiny-chain',
  defaults: { ...PRETRAIN_DEFAULTS, steps: 1700, warmupSteps: 30, secondStageFrom: 0.7 },
  dataSeed: DATA_SEED,
  config: TINY_CODER,
  rounds: 2,
  tokenizer: tokenizerFileTexts,
  sample: pretrainSample,
  async measure({ rounds, onRound, ...input }) {
    const { all, first } = await measureChain(input, rounds, onRound);
    const curve = (of: Record<string, number | null>) =>
      Object.entries(of)
        .map(([k, quality]) => `${k}: ${quality?.toFixed(3) ?? 'none'}`)
        .join(', ');
    const rateText = (rate: number | null) => rate?.toFixed(3) ?? 'none';
    const rates = `fixes ${rateText(all.fixRate)}, breaks ${rateText(all.breakRate)}`;
    return {
      rates: { ...all, first },
      summary: `quality after K revisions ${curve(all.quality)}; greedy ${curve(all.greedy)}; solved ${curve(all.solved)}; ${rates} (n = ${all.n})`,
    };
  },
};
