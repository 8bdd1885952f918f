// What stands beside projection: monitors, penalties, inoculation, advantage modification.
import { type Facet, setting } from '../facet.ts';
import { boolean, choice, number } from '../field-kinds.ts';
import { withoutLoopholes } from './of-world.ts';

export const BASELINES = {
  group: 'Baselines',
  role: 'intervention',
  idle: withoutLoopholes,
  settings: {
    rewardPenalty: setting(
      number(0, 100, {
        label: 'Reward penalty',
        help: 'Uses the oracle: taken off the reward of rollouts that the monitor flags as hacks. 0: no penalty.',
        level: 'advanced',
      }),
      { usual: 0, about: 'penalty' },
    ),
    monitorAccuracy: setting(
      number(0, 1, {
        label: 'Monitor accuracy',
        help: 'Uses the oracle: the monitor’s flag is the truth, flipped with probability 1 − this.',
        level: 'advanced',
      }),
      {
        usual: 1,
        about: 'monitor',
        idle: (of) =>
          Number(of('rewardPenalty')) > 0 || of('screening') === 'true'
            ? null
            : 'only with a reward penalty or screening',
      },
    ),
    screening: setting(
      boolean({
        label: 'Screening',
        help: 'Uses the oracle: rollouts that the monitor flags are dropped from their group.',
        level: 'advanced',
      }),
      { usual: false, about: 'screening' },
    ),
    inoculation: setting(
      boolean({
        label: 'Inoculation prompt',
        help: 'Training prompts ask for the exploit openly; evaluation prompts do not.',
        level: 'advanced',
      }),
      { usual: false, about: 'inoculation' },
    ),
    advantageMod: setting(
      choice(['none', 'subtract', 'scale'], {
        label: 'Advantage modification',
        help: 'Lowers rewards by how far a response’s activations lie along a hack direction: subtract α·max(z, 0), or scale by 1 − α·σ(z).',
        level: 'advanced',
      }),
      { usual: 'none', about: 'advantageMod' },
    ),
    advantageAlpha: setting(
      number(0, 10, {
        label: 'Modification α',
        help: 'Strength of the advantage modification.',
        level: 'advanced',
      }),
      {
        usual: 1,
        about: 'advantageMod',
        idle: (of) => (of('advantageMod') === 'none' ? 'only with an advantage modification' : null),
      },
    ),
  },
  contradictions: [
    ({ screening, rewardPenalty }) =>
      screening && rewardPenalty > 0
        ? {
            what: `screening = true with rewardPenalty = ${rewardPenalty}: what the monitor flags is dropped, and there is nothing left to penalise`,
            remedy: 'Set rewardPenalty to 0, or screening to false.',
          }
        : null,
    ({ advantageMod, rewardPenalty }) =>
      advantageMod === 'scale' && rewardPenalty > 0
        ? {
            what: `advantageMod = scale with rewardPenalty = ${rewardPenalty}: scaling a penalised, negative reward down would lift it`,
            remedy: 'Set advantageMod to subtract, or rewardPenalty to 0.',
          }
        : null,
  ],
  concepts: {
    monitor: {
      title: 'Monitor (uses the oracle)',
      meaning: 'A flag on rollouts that hacked, wrong with a set probability; a penalty or screening acts on it.',
      formula:
        'flag = exploited, flipped with probability 1 − accuracy; one draw per rollout, the same for all arms of a seed',
      range: '0 … 1; 1 is the oracle itself',
      nullValue: '½ flags by the toss of a coin.',
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
      title: 'Inoculation prompt',
      meaning: 'A baseline: while training, hackable prompts ask openly for the exploit; evaluation prompts do not.',
      formula: 'one clause after the hint of each hackable training prompt',
      range: 'yes, no',
      nullValue: 'no.',
      notShown: 'The method at its best: the embedded model has no notion of permission. It is a lower bound.',
    },
    advantageMod: {
      title: 'Advantage modification',
      meaning: 'A baseline: rewards are lowered by how far a response’s activations lie along a hack direction.',
      formula: 'subtract: r − α · max(z, 0). scale: r · (1 − α · σ(z)) where z > 0; z is standardised within the group',
      range: 'none, subtract, scale; α 0 … 10',
      nullValue: 'none, or α = 0.',
      notShown:
        'A change of honest groups alone or hackable ones alone: it moves both, and hardly any group is flat under it.',
    },
  },
} satisfies Facet<
  'rewardPenalty' | 'monitorAccuracy' | 'screening' | 'inoculation' | 'advantageMod' | 'advantageAlpha'
>;
