// Options that constrain the policy: the ratio's clip, the KL term, the entropy bonus.
import { type DisabledBecause, number, type OptionGroup } from '../../../lib/option.ts';

/** On policy every ratio is 1, inside every clip range. */
const onPolicy: DisabledBecause = (of) =>
  Number(of('innerEpochs')) === 1 &&
  (of('teacherRatio') === 'recomputed' || Number(of('mix')) === 0) &&
  (of('ratioPrompt') !== 'rollout' || of('rolloutPrompt') === of('updatePrompt'))
    ? 'only with several inner epochs, a stored teacher ratio or two prompts: until then every ratio is 1'
    : null;

/** The objectives nll and distill have their own losses. */
const ofGrpo: DisabledBecause = (of) =>
  /\bgrpo\b/.test(of('stages').trim() || of('objective')) ? null : 'only with the objective grpo';

export const LOSS = {
  heading: 'Training',
  role: 'training',
  options: {
    clipEps: number(0, 10, {
      default: 0.2,
      label: 'Ratio clip ε',
      help: 'The policy ratio is clipped to 1 ± ε.',
      glossary: 'clip',
      disabledBecause: onPolicy,
    }),
    clipEpsHigh: number(0, 10, {
      default: 0,
      label: 'Upper clip ε',
      help: 'Upper end of the clip, 1 + this. 0: as the lower.',
      glossary: 'clip',
      disabledBecause: onPolicy,
      means: (of) => Number(of('clipEpsHigh')) || Number(of('clipEps')),
    }),
    klBeta: number(0, 10, {
      default: 0,
      label: 'KL weight β',
      help: 'Pull towards the untrained model (K3 estimator). 0 leaves it out.',
      helpMore: 'In a curriculum whose drift is limited by kl: towards the trusted policy, after the trusted steps.',
      glossary: 'klPull',
    }),
    entropyCoef: number(0, 10, {
      default: 0,
      label: 'Entropy bonus',
      help: 'Each scored token’s entropy, times this, lowers the loss.',
      helpMore: 'In a curriculum only after the trusted steps.',
      glossary: 'entropyBonus',
      disabledBecause: ofGrpo,
    }),
  },
  concepts: {
    clip: {
      title: 'Ratio clip',
      meaning:
        'Tokens whose ratio has moved past the clip, in the direction their advantage asks for, get no more gradient.',
      formula: '−min(ρA, clip(ρ, 1 − ε, 1 + ε_high) A); ε_high = 0 means ε',
      range: '0 … 10; the upper end at least the lower',
      nullValue: 'It never acts on policy, where ρ = 1.',
      notShown: 'How far the policy moves: the clip does not bound that.',
    },
    klPull: {
      title: 'KL weight β',
      meaning: 'Pulls the student towards the untrained model.',
      formula: 'loss + β · K3, K3 = exp(ref − logπ) − (ref − logπ) − 1 for each scored token',
      range: '0 … 10; the arm “KL penalty” has 0.1',
      nullValue: '0 leaves it out. At the base its gradient is 0, so it does not affect the first step.',
      notShown: 'Which learning it holds back: hacking and solving alike. Skipped groups are not pulled.',
    },
    entropyBonus: {
      title: 'Entropy bonus',
      meaning: 'Rewards the student for staying undecided, so that it goes on trying other answers.',
      formula:
        'loss − c · H, H the entropy of the next-token distribution at each scored token, over the whole vocabulary',
      range: '0 … 10',
      nullValue: '0 leaves it out.',
      notShown: 'What it keeps open: tries at hacking and at solving alike. Skipped groups get none.',
    },
  },
} satisfies OptionGroup;
