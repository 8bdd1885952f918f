// The rules of docs/lab-book/exit.md as data (judge/rule.ts): what is asked of the difference of two arms, seed by seed. They were written
// down before the first run that they judge.
import { above, below, type Condition, type Ruled } from '../judge/rule.ts';

/** E1: what K = 16 has to gain in every seed, and what K = 0 may lose. */
export const GAINS_AT_LEAST = 0.08;
export const COSTS_AT_MOST = 0.02;
/** E2 to E4: a difference at K = 16 within this is none. */
export const NONE_WITHIN = 0.02;
/** E5: how far below the untrained base's a first answer has to fall, in every seed. */
const FALLS_AT_LEAST = 0.05;

export type Ends = 'last' | 'first';
const gains = <Key extends string>(last: Key): Condition<Key> => ({ every: last, atLeast: GAINS_AT_LEAST });
const keeps = <Key extends string>(first: Key): Condition<Key> => ({ every: first, atLeast: -COSTS_AT_MOST });

/** Of one arm against GRPO. */
export const E1: Ruled<Ends> = {
  names: { last: 'Q(16), ExIt − GRPO', first: 'Q(0), ExIt − GRPO' },
  rule: {
    cases: [
      { status: 'holds', when: { all: [gains('last'), keeps('first')] } },
      { status: 'in part', because: 'K = 0 pays', when: gains('last') },
      { status: 'in part', because: 'less than the bound', when: { every: 'last', moreThan: 0 } },
      { status: 'fails' },
    ],
  },
};

/** E1's rule on each of these bases, by name: keys are `last: NAME` and `first: NAME`. */
export function onEachBase(bases: readonly string[]): Ruled {
  const [last, first] = (['last', 'first'] as const).map((end) => bases.map((base) => `${end}: ${base}`));
  return {
    names: Object.fromEntries([
      ...bases.map((base, i) => [last[i], `${base}, Q(16), ExIt − GRPO`]),
      ...bases.map((base, i) => [first[i], `${base}, Q(0), ExIt − GRPO`]),
    ]),
    rule: {
      cases: [
        { status: 'holds', when: { all: [...last.map(gains), ...first.map(keeps)] } },
        { status: 'in part', when: { all: last.map((key) => ({ every: key, moreThan: 0 })) } },
        { status: 'fails' },
      ],
    },
  };
}

/** What a part of the method adds to Q(16). */
export const ADDS: Ruled<'difference'> = {
  names: { difference: 'the difference in Q(16)' },
  rule: {
    cases: [
      { status: 'holds', when: above('difference') },
      { status: 'fails', because: 'costs', when: below('difference') },
      { status: 'fails', because: 'adds nothing', when: { within: 'difference', margin: NONE_WITHIN } },
      { status: 'open' },
    ],
  },
};

/** The same of several parts together; a key each. */
export function eachAdds(names: readonly string[]): Ruled {
  const none = (key: string): Condition => ({ any: [below(key), { within: key, margin: NONE_WITHIN }] });
  const some = { any: names.map((key) => above(key)) };
  return {
    names: Object.fromEntries(names.map((name) => [name, name])),
    rule: {
      cases: [
        { status: 'holds', when: { all: names.map((key) => above(key)) } },
        { status: 'fails', when: { all: names.map(none) } },
        { status: 'in part', when: { all: [some, { any: names.map(none) }] } },
        { status: 'open' },
      ],
    },
  };
}

const FALLS = [
  { every: 'base', atMost: -FALLS_AT_LEAST },
  { every: 'rises', moreThan: 0 },
  { every: 'single', moreThan: 0 },
] as const satisfies readonly Condition[];

export const E5: Ruled<'base' | 'last' | 'single' | 'rises'> = {
  names: {
    base: 'Q(0), paid the rise − base',
    last: 'Q(0), paid the rise − paid the last answer',
    single: 'Q(0), ExIt − base',
    rises: 'rise of the training’s reward',
  },
  rule: {
    // Rows of the policies alone say nothing of how they were trained.
    optional: ['rises', 'single'],
    cases: [
      { status: 'holds', when: { all: [...FALLS, below('last')] } },
      { status: 'in part', because: 'whole chains do it', when: { all: FALLS } },
      { status: 'in part', because: 'held back', when: below('last') },
      { status: 'fails' },
    ],
  },
};

export const E6: Ruled<'whole' | 'random' | 'cost'> = {
  names: {
    whole: 'Q(0), without the direction − whole',
    random: 'Q(0), without the direction − without random directions',
    cost: 'Q(3), without the direction − whole',
  },
  rule: {
    cases: [
      { status: 'in part', because: 'at a cost', when: { all: [above('whole'), above('random'), below('cost')] } },
      { status: 'holds', when: { all: [above('whole'), above('random')] } },
      { status: 'fails', because: 'no more than random directions', when: above('whole') },
      { status: 'open' },
    ],
  },
};
