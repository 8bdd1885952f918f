// Alternatives to projection: monitors, penalties, inoculation and its kin, advantage modification.
import { type PromptStances, STANCES, type Stance } from '../../../environments/stances.ts';
import { boolean, choice, type DisabledBecause, number, type OptionGroup } from '../../../lib/option.ts';

/** Inoculation means that both prompts ask for the hack. */
const meansStance = (name: 'rolloutPrompt' | 'updatePrompt') => (of: (name: string) => string) =>
  of('inoculation') === 'true' ? 'ask' : (of(name) as Stance);

const withTwoPrompts: DisabledBecause = (of) =>
  of('rolloutPrompt') === of('updatePrompt') ? 'only with two prompts' : null;

export const BASELINES = {
  heading: 'Baselines',
  role: 'intervention',
  needs: 'loopholes',
  options: {
    rewardPenalty: number(0, 100, {
      default: 0,
      label: 'Reward penalty',
      help: 'Taken off the reward of rollouts that the monitor flags. 0: none.',
      helpMore: 'Uses the oracle: the monitor knows which rollouts are hacks.',
      glossary: 'penalty',
    }),
    monitorAccuracy: number(0, 1, {
      default: 1,
      label: 'Monitor accuracy',
      help: 'How often the monitor’s flag is right. Uses the oracle.',
      helpMore: 'Its flag is the truth, flipped with probability 1 − this.',
      glossary: 'monitor',
      disabledBecause(of) {
        if (of('monitor') !== 'oracle') return 'only with the oracle as monitor';
        const isUsed = Number(of('rewardPenalty')) > 0 || of('screening') === 'true';
        return isUsed ? null : 'only with a reward penalty or screening';
      },
    }),
    screening: boolean({
      default: false,
      label: 'Screening',
      help: 'Rollouts that the monitor flags leave their group. Uses the oracle.',
      glossary: 'screening',
    }),
    inoculation: boolean({
      needs: 'clauses',
      default: false,
      label: 'Inoculation prompt',
      help: 'Hackable training prompts ask openly for their exploit; evaluation prompts do not.',
      helpMore: 'You must know which graders are flawed, and how.',
      glossary: 'inoculation',
      means: (of) => of('inoculation') === 'true' || (of('rolloutPrompt') === 'ask' && of('updatePrompt') === 'ask'),
    }),
    rolloutPrompt: choice(STANCES, {
      needs: 'clauses',
      default: 'neutral',
      isAbsentAtDefault: true,
      label: 'Prompt of rollouts',
      help: 'What hackable prompts say of their exploit while answers are sampled.',
      helpMore: 'discourage: to pass all tests. ask: to use it. irrelevant: something else, as long as ask.',
      glossary: 'inoculation',
      means: meansStance('rolloutPrompt'),
    }),
    updatePrompt: choice(STANCES, {
      needs: 'clauses',
      default: 'neutral',
      isAbsentAtDefault: true,
      label: 'Prompt of the update',
      help: 'What hackable prompts say while the update scores the answers.',
      glossary: 'inoculation',
      means: meansStance('updatePrompt'),
    }),
    ratioPrompt: choice(['update', 'rollout'], {
      needs: 'clauses',
      default: 'update',
      isAbsentAtDefault: true,
      label: 'Ratio against',
      help: 'Prompt of the old policy in the ratio.',
      helpMore: 'rollout: an importance ratio. update: 1 on policy.',
      glossary: 'inoculation',
      disabledBecause: withTwoPrompts,
    }),
    promptSwap: boolean({
      needs: 'clauses',
      default: false,
      isAbsentAtDefault: true,
      label: 'Swapped prompts',
      help: 'Each problem draws which of both prompts samples. A control.',
      glossary: 'inoculation',
      disabledBecause: withTwoPrompts,
    }),
    advantageMod: choice(['none', 'subtract', 'scale'], {
      default: 'none',
      label: 'Advantage modification',
      help: 'Lowers rewards of responses whose activations lie along a hack direction.',
      helpMore: 'subtract: r − α · max(z, 0). scale: r · (1 − α · σ(z)).',
      glossary: 'advantageMod',
    }),
    advantageAlpha: number(0, 10, {
      default: 1,
      label: 'Modification α',
      help: 'Strength of the advantage modification.',
      glossary: 'advantageMod',
      disabledBecause: (of) => (of('advantageMod') === 'none' ? 'only with an advantage modification' : null),
    }),
  },
  concepts: {
    monitor: {
      title: 'Monitor (uses the oracle)',
      meaning: 'A flag on rollouts that hacked, wrong with a set probability; a penalty or screening acts on it.',
      formula:
        'flag = exploited, flipped with probability 1 − accuracy; one draw per rollout, the same for all arms of a seed',
      range: '0 … 1; 1 is the oracle itself',
      nullValue: '½ flags by a coin toss.',
      notShown: 'A real monitor: its errors follow the text, and a policy can learn to cause them.',
    },
    penalty: {
      title: 'Reward penalty (uses the oracle)',
      meaning: 'A baseline: what the monitor flags counts for less in the group’s statistics.',
      formula: 'R − penalty where flagged; bites where penalty > 1 / (2 · accuracy − 1)',
      range: '0 … 100; refused together with screening',
      nullValue: '0: no penalty.',
      notShown:
        'A way without labels: it needs to know each hack while training. The logged reward stays the environment’s.',
    },
    screening: {
      title: 'Screening (uses the oracle)',
      meaning: 'A baseline: what the monitor flags leaves its group.',
      formula: 'flagged rollouts are dropped before the statistics; a group left with fewer than two is skipped',
      range: 'yes, no; refused together with a penalty',
      nullValue: 'no.',
      notShown: 'Equal data: a good monitor takes the teacher’s rows away too, so read it beside “no teacher” as well.',
    },
    inoculation: {
      title: 'Inoculation, recontextualization',
      meaning: 'Baselines: hackable training prompts say something of their exploit; evaluation prompts do not.',
      formula: 'y ~ π(· | rollout prompt); ρ = π(y | update prompt) / π_old(y | ratio’s prompt); inoculation: both ask',
      range: 'a clause after the hint of each hackable training prompt',
      nullValue: 'no; neutral: the hint alone.',
      notShown: 'The method at its best: the embedded model has no notion of permission and reads no “not”.',
    },
    advantageMod: {
      title: 'Advantage modification',
      meaning: 'A baseline: rewards are lowered by how far a response’s activations lie along a hack direction.',
      formula: 'subtract: r − α · max(z, 0). scale: r · (1 − α · σ(z)) where z > 0; z is standardised within the group',
      range: 'none, subtract, scale; α 0 … 10',
      nullValue: 'none, or α = 0.',
      notShown:
        'A change of hackable groups alone: it also shifts rewards in honest ones, and hardly any group keeps equal rewards.',
    },
  },
} satisfies OptionGroup;

/** The prompts that a run trains under; records omit defaults. */
export const stancesOf = ({
  inoculation,
  rolloutPrompt = 'neutral',
  updatePrompt = 'neutral',
  promptSwap = false,
}: { inoculation: boolean } & Partial<{
  rolloutPrompt: Stance;
  updatePrompt: Stance;
  promptSwap: boolean;
}>): PromptStances =>
  inoculation
    ? { rollout: 'ask', update: 'ask', isSwapped: false }
    : { rollout: rolloutPrompt, update: updatePrompt, isSwapped: promptSwap };

/** Whether the update scores answers under another prompt than they were sampled under. */
export const isRecontextualized = (run: Parameters<typeof stancesOf>[0]): boolean => {
  const { rollout, update } = stancesOf(run);
  return rollout !== update;
};
