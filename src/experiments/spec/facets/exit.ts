// Where tasks begin (ExIt, arXiv 2509.04575): base tasks alone, or the policy's own answers too. p, p_div, N, B_min, κ are what
// re-implementations of its Algorithm 1 use.
import { GAINS } from '../../../environments/exit/gain.ts';
import { CHAIN_PAYS, CHILDREN, PREFIXES, STARTS } from '../../../environments/exit/types.ts';
import { type Facet, type Idle, type Setting, setting } from '../facet.ts';
import { boolean, choice, type Field, integer, number, type Words } from '../field-kinds.ts';
import { withoutRevisions } from './of-world.ts';

const words = (label: string, help: string): Words => ({ label, help, level: 'advanced' });
const onlyWith =
  (...starts: readonly string[]): Idle =>
  (of) =>
    starts.includes(of('starts')) ? null : `only with starts ${starts.join(', ')}`;
const OWN = ['variance', 'uniform', 'depth1'];
const own = <T>(field: Field<T>, usual: T, idle = onlyWith(...OWN)): Setting<T> =>
  setting(field, { usual, about: 'starts', idle });
const revised = onlyWith(...OWN, 'drafts');

export const EXIT = {
  group: 'Problems',
  role: 'intervention',
  idle: withoutRevisions,
  settings: {
    starts: setting(choice(STARTS, words('Starts', 'Where tasks begin; all but tasks revise answers.')), {
      usual: 'tasks',
      about: 'starts',
    }),
    startShare: own(number(0, 1, words('Revisions', 'p: their share of a step.')), 0.5, revised),
    divergeShare: own(number(0, 1, words('Divergence', 'Of those, the share told to differ.')), 0.2, revised),
    bufferSize: own(integer(1, 65_536, words('Buffer', 'N: the highest scores stay.')), 512),
    bufferMin: own(integer(0, 65_536, words('Buffer from', 'B_min: revisions begin at so many.')), 128),
    kappa: own(number(0, 1000, words('Sharpness κ', 'Of the choice by score.')), 1, onlyWith('variance')),
    prefix: own(choice(PREFIXES, words('Prefix', 'Of a chosen history.')), 'random'),
    child: own(choice(CHILDREN, words('Child', 'Which of a group is kept.')), 'random'),
    gain: own(choice(GAINS, words('Gain', 'Signed punishes worsening.')), 'clipped', revised),
    diversityBonus: setting(boolean(words('Diversity bonus', 'Advantages × distance from the group.')), {
      usual: false,
      about: 'starts',
    }),
    chainSteps: setting(integer(0, 64, words('Whole chains', 'Their revisions.')), {
      usual: 0,
      about: 'starts',
    }),
    chainPay: setting(choice(CHAIN_PAYS, words('Chain pay', 'Its reward.')), {
      usual: 'gains',
      about: 'starts',
    }),
  },
  contradictions: [
    ({ bufferMin, bufferSize }) =>
      bufferMin > bufferSize
        ? {
            what: `bufferMin = ${bufferMin} of a buffer of ${bufferSize}`,
            remedy: 'Set bufferMin to at most bufferSize.',
          }
        : null,
    ({ chainSteps, starts, mix, trainOn, diversityBonus }) => {
      const isChain = chainSteps > 0;
      const isOwn = starts !== 'tasks';
      const isMixed = (isChain || isOwn) && (mix > 0 || trainOn !== 'all');
      return isMixed || (isChain && (isOwn || diversityBonus))
        ? {
            what: `answers are revised, and mix = ${mix}, chainSteps = ${chainSteps}`,
            remedy: 'Set mix to 0; chains begin at tasks.',
          }
        : null;
    },
  ],
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
} satisfies Facet<
  | 'starts'
  | 'startShare'
  | 'divergeShare'
  | 'bufferSize'
  | 'bufferMin'
  | 'kappa'
  | 'prefix'
  | 'child'
  | 'gain'
  | 'diversityBonus'
  | 'chainSteps'
  | 'chainPay'
>;
