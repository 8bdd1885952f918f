// Agreement of behaviours, which needs no label: what the programs of a group return on the tests' inputs is compared, and a program that is
// paid and does not do what most of them do counts only for its format. Who is right is put to the vote, so that where most of a group hack
// alike the hack wins.
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { againstConsensus, asManyOfPaid } from '../../algorithms/consensus.ts';
import { choice, type OptionGroup } from '../../lib/option.ts';
import { CounterRng, STREAMS } from '../../rng/index.ts';
import { mean } from '../../stats/index.ts';
import { OURS, plainArm } from './arms.ts';
import type { Method } from './method.ts';
import { PASSING_PAY, passes } from './paid.ts';

interface Run {
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

/** No prompt and no pass more. */
const FACTS = { labels: 'none', cost: 1, besides: 'a run of each program', source: OURS } as const;

export const CONSENSUS = {
  family: 'data',
  arms: {
    consensus: plainArm(
      'consensus of behaviours',
      'Programs without the most common behaviour of their group lose their pay.',
      'route',
      { consensus: 'vote' },
      FACTS,
    ),
    consensus_random: plainArm(
      'consensus, random',
      'Control: in every group as many paid programs lose their pay by chance.',
      'control',
      { consensus: 'random' },
      { ...FACTS, controls: 'consensus' },
    ),
  },
  options: {
    heading: 'Baselines',
    role: 'intervention',
    needs: 'loopholes',
    options: {
      consensus: choice(['off', 'vote', 'random'], {
        default: 'off',
        label: 'Consensus',
        help: 'Programs without their group’s most common behaviour lose their pay.',
        helpMore:
          'vote: the consensus is the most common behaviour on the tests’ inputs; no expected answer is read. random: as many paid programs of each group lose their pay by chance.',
        level: 'advanced',
        glossary: 'consensus',
      }),
    },
    concepts: {
      consensus: {
        title: 'Consensus of behaviours',
        meaning:
          'The programs of a group are run on the tests’ inputs; what is paid and behaves unlike the most common behaviour counts only for its format.',
        formula:
          'b: the values that a program returns; c: the most common b of its group, of equals the one that comes first; R′ = R − 1 where R ≥ 1 and b ≠ c, else R',
        range: 'off, vote, random',
        nullValue: 'random: in every group as many paid programs lose their pay, whatever they do.',
        notShown: 'That the consensus is right: where most of a group hacks alike, the hack is the consensus.',
      },
    },
  } satisfies OptionGroup,
  uses: ({ consensus }) => consensus !== 'off',
  refuses: ({ consensus, objective, stages, starts, chainSteps, rewardPenalty, advantageMod }) => {
    const isGrpo = objective === 'grpo' && stages === '';
    const isPaidByGrader = starts === 'tasks' && chainSteps === 0 && rewardPenalty === 0 && advantageMod === 'none';
    return isGrpo && isPaidByGrader
      ? null
      : {
          what: `consensus = ${consensus} with objective = ${stages || objective}, starts = ${starts}, chainSteps = ${chainSteps}, rewardPenalty = ${rewardPenalty}, advantageMod = ${advantageMod}: it takes what the grader pays for passing, and leaves plain GRPO the rest`,
          remedy:
            'Set consensus to off; or objective to grpo without stages, starts to tasks, chainSteps and rewardPenalty to 0 and advantageMod to none.',
        };
  },
  // A third program of each completion, beside the grade's and the oracle's.
  times: () => ({ grading: 1.5 }),
  async prepare({ run, seesBehaviours }) {
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
          return asManyOfPaid(group, against.filter(Boolean).length, rng);
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
  },
} as const satisfies Method<Run>;
