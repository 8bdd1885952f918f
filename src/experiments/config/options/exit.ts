// Where tasks begin (ExIt, arXiv 2509.04575): base tasks alone, or the policy's own answers too. p, p_div, N, B_min, κ are what
// re-implementations of its Algorithm 1 use.
import { GAINS } from '../../../environments/exit/gain.ts';
import { CHAIN_PAYS, CHILDREN, PREFIXES, STARTS } from '../../../environments/exit/types.ts';
import { boolean, choice, type DisabledBecause, integer, number, type OptionGroup } from '../../../lib/option.ts';

const onlyWith =
  (...starts: readonly string[]): DisabledBecause =>
  (of) =>
    starts.includes(of('starts')) ? null : `only with starts ${starts.join(', ')}`;
const OWN = ['variance', 'uniform', 'depth1'];
const revised = onlyWith(...OWN, 'drafts');

export const EXIT = {
  heading: 'Problems',
  role: 'intervention',
  needs: 'improves',
  options: {
    starts: choice(STARTS, {
      default: 'tasks',
      label: 'Starts',
      help: 'Where tasks begin; all but tasks revise answers.',
      level: 'advanced',
      glossary: 'starts',
    }),
    startShare: number(0, 1, {
      default: 0.5,
      label: 'Revisions',
      help: 'p: their share of a step.',
      level: 'advanced',
      glossary: 'starts',
      disabledBecause: revised,
    }),
    divergeShare: number(0, 1, {
      default: 0.2,
      label: 'Divergence',
      help: 'Of those, the share told to differ.',
      level: 'advanced',
      glossary: 'starts',
      disabledBecause: revised,
    }),
    bufferSize: integer(1, 65_536, {
      default: 512,
      label: 'Buffer',
      help: 'N: the highest scores stay.',
      level: 'advanced',
      glossary: 'starts',
      disabledBecause: onlyWith(...OWN),
    }),
    bufferMin: integer(0, 65_536, {
      default: 128,
      label: 'Buffer from',
      help: 'B_min: revisions begin at so many.',
      level: 'advanced',
      glossary: 'starts',
      disabledBecause: onlyWith(...OWN),
    }),
    kappa: number(0, 1000, {
      default: 1,
      label: 'Sharpness κ',
      help: 'Of the choice by score.',
      level: 'advanced',
      glossary: 'starts',
      disabledBecause: onlyWith('variance'),
    }),
    prefix: choice(PREFIXES, {
      default: 'random',
      label: 'Prefix',
      help: 'Of a chosen history.',
      level: 'advanced',
      glossary: 'starts',
      disabledBecause: onlyWith(...OWN),
    }),
    child: choice(CHILDREN, {
      default: 'random',
      label: 'Child',
      help: 'Which of a group is kept.',
      level: 'advanced',
      glossary: 'starts',
      disabledBecause: onlyWith(...OWN),
    }),
    gain: choice(GAINS, {
      default: 'clipped',
      label: 'Gain',
      help: 'Signed punishes worsening.',
      level: 'advanced',
      glossary: 'starts',
      disabledBecause: revised,
    }),
    diversityBonus: boolean({
      default: false,
      label: 'Diversity bonus',
      help: 'Advantages × distance from the group.',
      level: 'advanced',
      glossary: 'starts',
    }),
    chainSteps: integer(0, 64, {
      default: 0,
      label: 'Whole chains',
      help: 'Their revisions.',
      level: 'advanced',
      glossary: 'starts',
    }),
    chainPay: choice(CHAIN_PAYS, {
      default: 'gains',
      label: 'Chain pay',
      help: 'Its reward.',
      level: 'advanced',
      glossary: 'starts',
    }),
  },
  concepts: {
    starts: {
      title: 'Starts',
      meaning: 'ExIt: single steps of improving answers, from a buffer of own ones.',
      formula: 'P(i) ∝ exp(κ S_i), S: variance of returns; R = (Q′ − Q)/(1 − Q)',
      range: 'tasks, own answers, random drafts',
      nullValue: 'tasks: GRPO.',
      notShown: 'Many steps: see K.',
    },
  },
} satisfies OptionGroup;
