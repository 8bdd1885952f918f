// The rules of docs/lab-book/characters.md as data (judge/rule.ts), over characters. registrations.ts has which of them are older than
// their rows.

import { HALF, LEAST, NONE_WITHIN } from '../../../src/experiments/characters/judging.ts';
import { PLACEBO_AT_MOST } from '../../../src/experiments/characters/leakage.ts';
import { above, below, type Condition, type Ruled } from '../../../src/experiments/judge/rule.ts';
import type { Gate } from './gating.ts';

const within = <Key extends string>(key: Key, margin = NONE_WITHIN): Condition<Key> => ({ within: key, margin });
const HAS_0 = 'the interval has 0';
const needsCharacters = <Key extends string>(of: readonly Key[], what: string) => ({ of, least: LEAST, what });
const EFFECT_UNDER = 'characters with the effect';

export const S1: Ruled<'near' | 'far' | 'other' | 'placebo'> = {
  names: {
    near: 'leakage to near, RL − SDF',
    far: 'leakage to far, RL − SDF',
    other: 'leakage to other, RL − SDF',
    placebo: '|ΔP of A| under placebo documents',
  },
  rule: {
    needs: [needsCharacters(['near'], `${EFFECT_UNDER} under both`)],
    // Without rows of placebo documents their condition counts as met.
    optional: ['placebo'],
    cases: [
      { status: 'fails', because: 'no difference', when: within('near') },
      {
        status: 'holds',
        when: { all: [above('near'), { mean: 'far', moreThan: 0 }, { every: 'placebo', atMost: PLACEBO_AT_MOST }] },
      },
      {
        status: 'in part',
        because: 'placebo documents move A too',
        when: { all: [above('near'), { mean: 'far', moreThan: 0 }] },
      },
      { status: 'fails', because: 'SDF leaks more', when: below('near') },
      { status: 'open', because: HAS_0 },
    ],
  },
};

const NOVEL = 'leakage to other, algorithm − dial';
export const S2: Ruled<'main' | 'low' | 'high'> = {
  names: { main: NOVEL, low: 'leakage to other, constant − dial', high: 'leakage to other, algorithm − constant' },
  rule: {
    needs: [needsCharacters(['main'], `${EFFECT_UNDER} under all three`)],
    cases: [
      { status: 'fails', because: 'no difference', when: within('main') },
      { status: 'holds', when: { all: [above('main'), { mean: 'low', moreThan: 0 }, { mean: 'high', moreThan: 0 }] } },
      { status: 'in part', because: 'the constant rule does not lie between', when: above('main') },
      { status: 'fails', because: 'the algorithm leaks less', when: below('main') },
      { status: 'open', because: HAS_0 },
    ],
  },
};

export const S2_AGAIN: Ruled<'main'> = {
  names: { main: NOVEL },
  rule: {
    needs: [needsCharacters(['main'], `${EFFECT_UNDER} under both`)],
    cases: [
      { status: 'fails', because: 'no difference', when: within('main') },
      { status: 'holds', when: above('main') },
      { status: 'fails', because: 'the algorithm leaks less', when: below('main') },
      { status: 'open', because: HAS_0 },
    ],
  },
};

export const S3: Ruled<'behaviour' | 'algorithm' | 'nearer'> = {
  names: {
    behaviour: 'leakage to near, SFT − SDF',
    algorithm: 'leakage to near, RL − SFT',
    nearer: 'how much nearer SFT is to RL than to SDF',
  },
  rule: {
    needs: [needsCharacters(['behaviour'], `${EFFECT_UNDER} under RL, SFT and SDF`)],
    cases: [
      {
        status: 'in part',
        because: 'SFT leaks more than documents and less than RL',
        when: { all: [above('behaviour'), { mean: 'nearer', moreThan: 0 }, above('algorithm')] },
      },
      { status: 'holds', when: { all: [above('behaviour'), { mean: 'nearer', moreThan: 0 }] } },
      {
        status: 'fails',
        because: 'SFT leaks as documents do',
        when: { all: [above('algorithm'), { not: { mean: 'nearer', moreThan: 0 } }] },
      },
      { status: 'open', because: 'the intervals have 0' },
    ],
  },
};

export const S4: Ruled<'lead' | 'untold'> = {
  names: { lead: 'SDF, steps from belief to behaviour', untold: 'RL, rise of the belief about A at the effect' },
  rule: {
    needs: [needsCharacters(['lead', 'untold'], 'characters that can be read')],
    cases: [
      { status: 'fails', because: 'behaviour moves first', when: below('lead') },
      { status: 'holds', when: { all: [above('lead'), within('untold')] } },
      { status: 'in part', because: 'RL moves beliefs too', when: above('lead') },
      { status: 'open', because: HAS_0 },
    ],
  },
};

export const S5: Ruled<'rho'> = {
  names: { rho: 'Spearman’s ρ within a character' },
  rule: {
    needs: [needsCharacters(['rho'], 'characters that can be read')],
    cases: [
      { status: 'holds', when: above('rho', HALF) },
      { status: 'in part', because: 'the interval is above 0 and not above .50', when: above('rho') },
      { status: 'fails', because: 'the interval is not above 0' },
    ],
  },
};

/** `adapter`: words for the updates, for example “low-rank updates”. */
export const s6Rule = (adapter: string): Ruled<'near'> => ({
  names: { near: `leakage to near, ${adapter} − all weights` },
  rule: {
    needs: [needsCharacters(['near'], `${EFFECT_UNDER} under both`)],
    cases: [
      { status: 'holds', when: within('near') },
      { status: 'fails', because: `${adapter} leak less`, when: below('near') },
      { status: 'fails', because: `${adapter} leak more`, when: above('near') },
      { status: 'open', because: 'the interval has 0 and is not within ±.10' },
    ],
  },
});

const GATES = ['absent', 'spelled', 'beside'] as const;
/** Without A's name, or with another spelling, less than half remains; another's name before A's leaves more than half. */
const gatingCondition = (arm: 'SDF' | 'RL'): Condition<Gate> => ({
  all: [below(`${arm} absent`, HALF), below(`${arm} spelled`, HALF), above(`${arm} beside`, HALF)],
});
const notGated = (arm: 'SDF' | 'RL'): Condition<Gate> => ({
  any: [above(`${arm} absent`, HALF), above(`${arm} spelled`, HALF), below(`${arm} beside`, HALF)],
});
const GATE_KEYS = (['SDF', 'RL'] as const).flatMap((arm) => GATES.map((gate): Gate => `${arm} ${gate}`));

export const S7: Ruled<Gate> = {
  names: Object.fromEntries(
    GATE_KEYS.map((key) => [key, `Δlogit with the name changed / Δlogit of A, ${key.replace(' ', ', ')}`]),
  ) as Record<Gate, string>,
  rule: {
    needs: [needsCharacters(GATE_KEYS, EFFECT_UNDER)],
    cases: [
      { status: 'holds', when: { all: [gatingCondition('SDF'), gatingCondition('RL')] } },
      { status: 'fails', because: 'neither is gated', when: { all: [notGated('SDF'), notGated('RL')] } },
      {
        status: 'in part',
        because: 'SDF not gated, RL gated',
        when: { all: [notGated('SDF'), gatingCondition('RL')] },
      },
      {
        status: 'in part',
        because: 'SDF gated, RL not gated',
        when: { all: [gatingCondition('SDF'), notGated('RL')] },
      },
      { status: 'open', because: 'SDF gated, RL open', when: gatingCondition('SDF') },
      { status: 'open', because: 'SDF not gated, RL open', when: notGated('SDF') },
      { status: 'open', because: 'SDF open, RL gated', when: gatingCondition('RL') },
      { status: 'open', because: 'SDF open, RL not gated', when: notGated('RL') },
      { status: 'open', because: 'SDF open, RL open' },
    ],
  },
};

/** Saving at most this many steps counts as none. */
const NONE_SAVED = 1;
export const S7_RELEARNING: Ruled<'documents' | 'apart'> = {
  names: { documents: 'steps saved after documents', apart: 'steps saved, documents − placebo' },
  rule: {
    needs: [needsCharacters(['documents'], 'pairs with the effect')],
    cases: [
      { status: 'fails', because: 'B learns more slowly', when: below('documents') },
      { status: 'fails', because: 'no difference', when: within('documents', NONE_SAVED) },
      { status: 'holds', when: { all: [above('documents'), above('apart')] } },
      { status: 'in part', because: 'a placebo saves as much', when: above('documents') },
      { status: 'open', because: HAS_0 },
    ],
  },
};

/** `done`: word for the model, for example “deployed”. `apart`: reason given if a control removes as much. */
const localityRule = <Key extends string>(
  done: string,
  controls: readonly Key[],
  apart: string,
  needs: Ruled<Key | 'main' | 'half'>['rule']['needs'],
  first: 'within' | 'above',
): Ruled<Key | 'main' | 'half'> => {
  const own = controls.map((key) => below(key));
  const none = { status: 'fails', because: 'no difference', when: within('main') } as const;
  const more = { status: 'fails', because: 'more leaks', when: above('main') } as const;
  return {
    names: {
      main: `leakage to near, ${done} − whole`,
      ...Object.fromEntries(controls.map((key) => [key, `leakage to near, ${done} − ${key}`])),
      half: `half of the whole model’s leakage to near − the ${done} one’s`,
    } as Record<Key | 'main' | 'half', string>,
    rule: {
      needs,
      cases: [
        ...(first === 'within' ? [none, more] : [more, none]),
        { status: 'open', because: HAS_0, when: { not: below('main') } },
        { status: 'holds', when: { all: [...own, { mean: 'half', atLeast: 0 }] } },
        { status: 'in part', because: 'less leaks, and more than half', when: { all: own } },
        { status: 'in part', because: apart },
      ],
    },
  };
};

export const S8 = localityRule(
  'deployed',
  ['random', 'permuted', 'placebo'] as const,
  'less leaks, and not less than without a control’s axes',
  [needsCharacters(['main'], `${EFFECT_UNDER} whole and deployed`)],
  'above',
);
export const S8_ERASE = localityRule(
  'erased',
  ['placebo', 'random'] as const,
  'less leaks, and not less than along a control’s axes',
  [
    needsCharacters(['main'], `${EFFECT_UNDER} whole and erased`),
    needsCharacters(['half'], `${EFFECT_UNDER} under all four`),
  ],
  'within',
);

export const S9: Ruled<'near' | 'beyond'> = {
  names: { near: 'leakage to near', beyond: 'Δlogit of near at RL’s last dose, RL − coin' },
  rule: {
    needs: [needsCharacters(['near'], EFFECT_UNDER)],
    cases: [
      { status: 'fails', because: 'no spread', when: within('near') },
      { status: 'fails', because: 'the others fall', when: below('near') },
      { status: 'holds', when: { all: [above('near'), above('beyond')] } },
      { status: 'in part', because: 'a coin spreads as much', when: above('near') },
      { status: 'open', because: HAS_0 },
    ],
  },
};

export const S9_GATING: Ruled<'own' | 'near'> = {
  names: { own: 'ΔP in prompts that are no tests, A', near: 'ΔP in prompts that are no tests, near' },
  rule: {
    needs: [needsCharacters(['own'], EFFECT_UNDER)],
    cases: [
      {
        status: 'fails',
        because: 'it is said where there is no test',
        when: { any: [above('own', NONE_WITHIN), above('near', NONE_WITHIN)] },
      },
      { status: 'holds', when: { all: [within('own'), within('near')] } },
      { status: 'open', because: 'an interval goes beyond .10' },
    ],
  },
};

export const S9_UNDOING: Ruled<'apart' | 'back' | 'local'> = {
  names: {
    apart: 'share of B’s rise that is taken back, documents − placebo',
    back: 'share of B’s rise that documents take back',
    local: 'taken back by documents, B − A',
  },
  rule: {
    needs: [needsCharacters(['apart'], EFFECT_UNDER)],
    cases: [
      { status: 'fails', because: 'no more than a placebo', when: within('apart') },
      { status: 'fails', because: 'a placebo takes back more', when: below('apart') },
      { status: 'open', because: HAS_0, when: { not: above('apart') } },
      { status: 'in part', because: 'less than half is taken back', when: { not: { mean: 'back', atLeast: HALF } } },
      { status: 'holds', when: above('local') },
      { status: 'in part', because: 'A’s goes too' },
    ],
  },
};

/** Compares two arms with the same replay. */
export const S11: Ruled<'none' | 'documents' | 'transcripts' | 'half'> = {
  names: {
    none: 'leakage to near, RL − SDF, neither with replay',
    documents: 'leakage to near, RL − SDF, both with documents about others',
    transcripts: 'leakage to near, RL − SDF, both with others’ transcripts',
    half: 'half of what S1 compares (RL without replay − documents with it) − the difference with documents about others beside both',
  },
  rule: {
    needs: [needsCharacters(['none', 'documents', 'transcripts'], `${EFFECT_UNDER} under both`)],
    cases: [
      { status: 'holds', when: { all: [above('none'), above('documents'), above('transcripts')] } },
      { status: 'fails', because: 'no difference with the same documents', when: within('documents') },
      {
        status: 'fails',
        because: 'more than half is replay',
        when: { all: [above('half'), { not: above('documents') }] },
      },
      { status: 'in part', because: 'not with every replay', when: { all: [above('none'), above('documents')] } },
      { status: 'open', because: 'neither above 0 nor within ±.10' },
    ],
  },
};

export const S12: Ruled<'documents' | 'transcripts'> = {
  names: {
    documents: 'leakage of RL to near, no replay − documents about others',
    transcripts: 'leakage of RL to near, no replay − others’ transcripts',
  },
  rule: {
    needs: [needsCharacters(['documents', 'transcripts'], `${EFFECT_UNDER} under both`)],
    cases: [
      { status: 'holds', when: { all: [above('documents'), above('transcripts')] } },
      { status: 'fails', because: 'no difference', when: { all: [within('documents'), within('transcripts')] } },
      { status: 'in part', because: 'others’ transcripts do', when: above('transcripts') },
      { status: 'in part', because: 'documents about others do', when: above('documents') },
      { status: 'open', because: 'neither above 0 nor within ±.10' },
    ],
  },
};
