// Agreement of behaviours, which needs no label: compares what a group's programs return on the tests' inputs. A rewarded program in the
// minority counts only for its format. The majority decides, so where most of a group hacks alike the hack wins.
import { choice, type OptionGroup } from '../../lib/option.ts';
import { OURS, plainArm } from './arms.ts';
import type { ConsensusRun } from './consensus-step.ts';
import type { Method } from './method.ts';

/** Needs no further prompt and no further pass. */
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
        glossary: 'consensus',
      }),
    },
    concepts: {
      consensus: {
        title: 'Consensus of behaviours',
        meaning:
          'The programs of a group are run on the tests’ inputs; what is paid and behaves unlike the most common behaviour counts only for its format.',
        formula:
          'b: the values that a program returns; c: the most common b of its group, the first on a tie; R′ = R − 1 where R ≥ 1 and b ≠ c, else R',
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
          what: `consensus = ${consensus} with objective = ${stages || objective}, starts = ${starts}, chainSteps = ${chainSteps}, rewardPenalty = ${rewardPenalty}, advantageMod = ${advantageMod}: it needs plain GRPO, paid by the grader alone`,
          remedy:
            'Set consensus to off; or objective to grpo without stages, starts to tasks, chainSteps and rewardPenalty to 0 and advantageMod to none.',
        };
  },
  // Each program runs a third time, besides the grade's and the oracle's run.
  times: () => ({ grading: 1.5 }),
  prepare: async (ports) => (await import('./consensus-step.ts')).prepareConsensus(ports),
} as const satisfies Method<ConsensusRun>;
