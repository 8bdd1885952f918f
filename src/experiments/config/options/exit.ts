// Options of the tasks' starting points (ExIt, arXiv 2509.04575): base tasks only, or also the policy's own answers. p, p_div, N, B_min and κ
// follow re-implementations of its Algorithm 1.
import { CHAIN_PAYS, CHILDREN, GAINS, PREFIXES, STARTS } from '../../../environments/exit/types.ts';
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
      help: 'Where tasks begin. All but “tasks” revise answers.',
      glossary: 'starts',
    }),
    startShare: number(0, 1, {
      default: 0.5,
      label: 'Revisions',
      help: 'Share of a step’s tasks that revise an answer (p).',
      glossary: 'starts',
      disabledBecause: revised,
    }),
    divergeShare: number(0, 1, {
      default: 0.2,
      label: 'Divergence',
      help: 'Share of revisions that are asked for a different answer.',
      glossary: 'starts',
      disabledBecause: revised,
    }),
    bufferSize: integer(1, 65_536, {
      default: 512,
      label: 'Buffer',
      help: 'How many histories are kept (N); the highest scores stay.',
      glossary: 'starts',
      disabledBecause: onlyWith(...OWN),
    }),
    bufferMin: integer(0, 65_536, {
      default: 128,
      label: 'Buffer from',
      help: 'Revisions begin once this many histories are kept (B_min).',
      glossary: 'starts',
      disabledBecause: onlyWith(...OWN),
    }),
    kappa: number(0, 1000, {
      default: 1,
      label: 'Sharpness κ',
      help: 'How strongly the choice prefers high scores.',
      glossary: 'starts',
      disabledBecause: onlyWith('variance'),
    }),
    prefix: choice(PREFIXES, {
      default: 'random',
      label: 'Prefix',
      help: 'Whether a chosen history is shown whole or cut at random.',
      glossary: 'starts',
      disabledBecause: onlyWith(...OWN),
    }),
    child: choice(CHILDREN, {
      default: 'random',
      label: 'Child',
      help: 'Which rollout of a group goes on: random, or the best.',
      glossary: 'starts',
      disabledBecause: onlyWith(...OWN),
    }),
    gain: choice(GAINS, {
      default: 'clipped',
      label: 'Gain',
      help: 'Whether a revision that is worse is punished (signed).',
      glossary: 'starts',
      disabledBecause: revised,
    }),
    diversityBonus: boolean({
      default: false,
      label: 'Diversity bonus',
      help: 'Advantages × distance from the group.',
      glossary: 'starts',
    }),
    chainSteps: integer(0, 64, {
      default: 0,
      label: 'Whole chains',
      help: 'Revisions in one whole chain. 0: single steps.',
      glossary: 'starts',
    }),
    chainPay: choice(CHAIN_PAYS, {
      default: 'gains',
      label: 'Chain pay',
      help: 'What a whole chain is paid for.',
      glossary: 'starts',
    }),
  },
  concepts: {
    starts: {
      title: 'Starts',
      meaning: 'ExIt: single revision steps, from a buffer of the model’s own answers.',
      formula: 'P(i) ∝ exp(κ S_i), S: variance of returns; R = (Q′ − Q)/(1 − Q)',
      range: 'tasks, own answers, random drafts',
      nullValue: 'tasks: GRPO.',
      notShown: 'Quality over many revisions: see the curve over K.',
    },
  },
} satisfies OptionGroup;
