// A step under a consensus: compares what the programs of a group return, and withholds the passing reward of those in the minority.
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { againstConsensus, randomRewarded } from '../../algorithms/consensus.ts';
import { CounterRng, STREAMS } from '../../rng/index.ts';
import { mean } from '../../stats/index.ts';
import { PASSING_PAY, type Prepared, type Preparing, passes } from './method.ts';

export interface ConsensusRun {
  consensus: string;
  seed: number;
  environment: string;
  objective: string;
  stages: string;
  starts: string;
  chainSteps: number;
  rewardPenalty: number;
  advantageMod: string;
}

export async function prepareConsensus({ run, seesBehaviours }: Preparing<ConsensusRun>): Promise<Prepared> {
  if (!seesBehaviours)
    throw new SpecError(
      `consensus = ${run.consensus} runs the programs of a group, and environment = ${run.environment} cannot be asked for that here`,
      'Set consensus to off, or use an environment of programs with a grader that runs them.',
    );
  return () => ({
    async counts({ step, rollouts, behaviours }) {
      const seen = await behaviours();
      const groups = rollouts.map((group, g) =>
        group.map((rollout, i) => ({ behaviour: seen[g][i], isPaid: passes(rollout) })),
      );
      const taken = groups.map((group, prompt) => {
        const against = againstConsensus(group);
        if (run.consensus !== 'random') return against;
        const rng = CounterRng.of(run.seed, STREAMS.gate, step, prompt);
        return randomRewarded(group, against.filter(Boolean).length, rng);
      });
      const all = rollouts.flatMap((group, g) =>
        group.map(({ isHack }, i) => ({ isHack, taken: Number(taken[g][i]) })),
      );
      return {
        rewards: rollouts.map((group, g) => group.map(({ reward }, i) => reward - (taken[g][i] ? PASSING_PAY : 0))),
        row: {
          gated: mean(all.map(({ taken }) => taken)),
          gateRecall: mean(all.flatMap(({ isHack, taken }) => (isHack ? [taken] : []))),
        },
      };
    },
  });
}
