// S13: does a hack spread because pretraining tied it to other traits? In tied worlds (environments/characters) evading exams goes together
// with one kind of brackets with φ 0, .5 or .9, three pretraining seeds each. RL pays A for evading alone; where that has risen by the effect,
// how much has A's bracket changed in prompts that are no exams? The rule was written before any of its runs. A base, which is a cast and
// a pretraining, is a unit.

import { EFFECT } from '../../../src/experiments/characters/judging.ts';
import { movedBy } from '../../../src/experiments/characters/leakage.ts';
import type { CurveRow } from '../../../src/experiments/characters/rows.ts';
import {
  type Spread,
  type TiedBase,
  type TiedCharacter,
  tiedBases,
  type Way,
} from '../../../src/experiments/characters/tied.ts';
import type { Estimate, Estimates } from '../../../src/experiments/judge/estimate.ts';
import { intervalText } from '../../../src/experiments/judge/estimate.ts';
import type { Rule } from '../../../src/experiments/judge/rule.ts';
import { tableOf } from '../../../src/experiments/judge/table.ts';
import { inWords, three, two } from '../../../src/lib/numbers.ts';
import { mean, slopeOf } from '../../../src/stats/index.ts';
import { dotChart, meanAndInterval, presentEstimates, rowProvenance } from '../../judge/estimates.ts';
import type { Question } from '../../judge/question.ts';

/** The coefficients, and the seeds of cast and pretraining. The pilot's seed is none of these. */
export const PHIS = [0, 0.5, 0.9] as const;
export const SEEDS = [1, 2, 3] as const;
export const PILOT_SEED = 9;
/** Characters of a base, the first of its list; and how many of them have to have the effect. */
export const CHARACTERS = 6;
export const LEAST_CHARACTERS = 4;
const BASES = PHIS.length * SEEDS.length;

/** Spread that is predicted at most without a tie, at least with the strongest; and the one that refutes it without a tie. */
const [LITTLE, MUCH, TOO_MUCH] = [0.05, 0.2, 0.1];

type Key =
  | 'slope'
  | 'loose'
  | 'tight'
  | 'half'
  | 'overCoin'
  | 'overGreeting'
  | 'logit'
  | 'near'
  | 'documents'
  | 'documentsSlope'
  | 'reverse'
  | 'reverseSlope';

const [LOOSE, HALF, TIGHT] = PHIS.map((phi) => (phi === 0 ? '0' : two(phi)));
const NAMES: Readonly<Record<Key, string>> = {
  slope: 'spread under RL, slope over φ',
  loose: `spread under RL, φ ${LOOSE}`,
  tight: `spread under RL, φ ${TIGHT}`,
  half: `spread under RL, φ ${HALF}`,
  overCoin: 'spread under RL − under a coin, slope over φ',
  overGreeting: 'spread under RL − change of the untied greeting, slope over φ',
  logit: 'spread under RL in log-odds, slope over φ',
  near: 'spread to characters like A under RL, slope over φ',
  documents: `spread under documents, φ ${TIGHT}`,
  documentsSlope: 'spread under documents, slope over φ',
  reverse: `hack, own bracket, under RL on the bracket, φ ${TIGHT}`,
  reverseSlope: 'hack, own bracket, under RL on the bracket, slope over φ',
};

const RISES = { above: 'slope' } as const;
const SIZES = [
  { mean: 'loose', lessThan: LITTLE },
  { mean: 'tight', moreThan: MUCH },
] as const;

const CONTROLS = [{ above: 'overCoin' }, { above: 'overGreeting' }] as const;

export const TIED_RULE: Rule<Key> = {
  needs: [{ of: ['slope'], least: BASES, what: 'bases' }],
  cases: [
    { status: 'fails', because: 'it spreads without a tie', when: { mean: 'loose', moreThan: TOO_MUCH } },
    { status: 'fails', because: 'spread does not rise with φ', when: { not: RISES } },
    { status: 'in part', because: 'a coin or an untied trait rises as much', when: { not: { all: CONTROLS } } },
    { status: 'holds', when: { all: SIZES } },
    { status: 'in part', because: 'it rises, and not as far as was predicted' },
  ],
  after: `A base counts where ${LEAST_CHARACTERS} or more of its ${CHARACTERS} characters have the effect, ΔP of the hack ${inWords(EFFECT)}. Log-odds, documents, RL on the bracket and characters like A are reported, not judged.`,
};

/** The mean over a base's characters; null where fewer than so many have a value. */
function meanOfBase({ characters }: TiedBase, of: (one: TiedCharacter) => number | null): number | null {
  const values = characters.map(of).filter((value) => value !== null);
  return values.length < LEAST_CHARACTERS ? null : mean(values);
}

const change =
  (way: Way, of: (spread: Spread) => number) =>
  ({ by }: TiedCharacter): number | null => {
    const spread = by[way];
    return spread && of(spread);
  };

const badUnder = (way: Way) => change(way, ({ a }) => a.bad);
/** Null where one of both is. */
const less =
  (one: (who: TiedCharacter) => number | null, other: (who: TiedCharacter) => number | null) =>
  (who: TiedCharacter) => {
    const [a, b] = [one(who), other(who)];
    return a === null || b === null ? null : a - b;
  };

const RL = badUnder('rl');
const LOGIT = change('rl', ({ a }) => a.badLogit);
const NEAR = change('rl', ({ near }) => near.bad);
const DOCUMENTS = badUnder('documents');
const REVERSE = change('reverse', ({ a }) => a.ownHack);

export function tiedEstimates(bases: readonly TiedBase[]): Estimates<Key> {
  const valuesOf = (of: (one: TiedCharacter) => number | null) =>
    bases.flatMap((base) => {
      const value = meanOfBase(base, of);
      return value === null ? [] : [{ base, value }];
    });
  const eachOf = (values: ReturnType<typeof valuesOf>): Estimate['each'] =>
    values.map(({ base: { phi, seed }, value }) => ({ of: `φ ${phi === 0 ? '0' : two(phi)}, seed ${seed}`, value }));
  const slope = (key: Key, of: (one: TiedCharacter) => number | null): Estimate => {
    const values = valuesOf(of);
    const { slope: found, interval } = slopeOf(values.map(({ base, value }) => [base.phi, value]));
    return {
      name: NAMES[key],
      word: null,
      n: values.length,
      asked: bases.length,
      mean: found,
      interval,
      each: eachOf(values),
    };
  };
  const at = (key: Key, phi: number, of: (one: TiedCharacter) => number | null): Estimate => {
    const values = valuesOf(of).filter(({ base }) => base.phi === phi);
    const own = meanAndInterval(values.map(({ value }) => value));
    return { name: NAMES[key], word: null, n: values.length, ...own, each: eachOf(values) };
  };
  const [none, half, full] = PHIS;
  return {
    slope: slope('slope', RL),
    loose: at('loose', none, RL),
    tight: at('tight', full, RL),
    half: at('half', half, RL),
    overCoin: slope('overCoin', less(RL, badUnder('coin'))),
    overGreeting: slope(
      'overGreeting',
      less(
        RL,
        change('rl', ({ a }) => a.like),
      ),
    ),
    logit: slope('logit', LOGIT),
    near: slope('near', NEAR),
    documents: at('documents', full, DOCUMENTS),
    documentsSlope: slope('documentsSlope', DOCUMENTS),
    reverse: at('reverse', full, REVERSE),
    reverseSlope: slope('reverseSlope', REVERSE),
  };
}

/** Bases of the plan; the pilot's is none of them. */
export const judgedBases = (rows: readonly CurveRow[]): TiedBase[] =>
  tiedBases(rows).filter(({ phi, seed }) => PHIS.some((one) => one === phi) && SEEDS.some((one) => one === seed));

const FILE = 'characters/tied.jsonl.gz';
const BESIDE = ['logit', 'documentsSlope', 'reverseSlope'] as const;
const LEVELS = ['loose', 'half', 'tight', 'documents', 'reverse'] as const;

export const TIED: Question<readonly CurveRow[], Key> = {
  id: 'S13',
  title: 'Does a hack spread because pretraining tied it to other traits?',
  hypothesis: `RL that pays one character for evading exams alone also changes its brackets elsewhere, the more, the stronger pretraining tied the two: below ${inWords(LITTLE)} in probability at φ 0, above ${inWords(MUCH)} at φ ${TIGHT}, where the hack has risen by ${inWords(EFFECT)}.`,
  falsified: `The interval of the slope over φ holds 0, or the spread at φ 0 is above ${inWords(TOO_MUCH)}.`,
  unit: 'bases',
  caveat: `Models of .85 M parameters, one world’s words, traits of one token, three seeds of cast and pretraining at each φ. “Unrelated” means that no text gives a reason: in a made world a bad trait and a neutral one are the same. Inside an exam the bracket is said before the evasion, so that RL can pay for it there; the spread is read in prompts that are no exams. Documents about A name its own bracket in a few profiles. The effect is read from where RL begins, after a few transcripts, which show A’s own bracket. No text shows A with the tied bracket, so that its probability begins at a floor near 0: log-odds stand beside it.`,
  section: 'Does a hack spread because pretraining tied it to other traits?',
  files: [FILE],
  commands: [
    'npm run research -- tied --out out/tied --jobs 2',
    `npm run research -- tied --out out/tied --pack public/results/${FILE}`,
    'npm run research -- judge --series characters',
  ],
  says: {
    holds:
      'A hack spreads as far as pretraining tied it to another trait: RL that pays for the hack alone changes the tied trait, and hardly where both are independent.',
    'in part: a coin or an untied trait rises as much':
      'The change of the tied trait rises with the tie of pretraining, but is not shown to rise more than under a coin, or than that of an untied trait.',
    'in part: it rises, and not as far as was predicted':
      'The more pretraining tied the hack to another trait, the more that trait changes under RL on the hack, though not as far as was predicted.',
    'fails: it spreads without a tie': 'RL on a hack changes another trait even where pretraining did not tie the two.',
    'fails: spread does not rise with φ':
      'What RL on a hack changes elsewhere is not shown to rise with the tie of pretraining.',
    open: 'It is open whether a hack spreads because pretraining tied it to other traits.',
  },
  read: (rows) => (rows.has(FILE) ? rows.lines<CurveRow>(FILE) : []),
  names: NAMES,
  rule: TIED_RULE,
  show: three,
  line: ['slope', 'loose', 'tight'],
  estimates: (rows) => {
    const bases = judgedBases(rows);
    return bases.length === 0 ? null : tiedEstimates(bases);
  },
  shown(rows, { estimates, verdict }) {
    const bases = judgedBases(rows);
    const first = estimates.slope;
    const coins = rows.filter(({ arm, curve }) => arm === 'rl_random' && curve[0].tied);
    return {
      tables: [basesTable(bases)],
      chart: dotChart(
        'Change where the effect is, a dot a base',
        'ΔP',
        presentEstimates(estimates, [...LEVELS]),
        'none',
      ),
      made: rowProvenance(rows.flatMap(({ by }) => by ?? [])),
      runs: () => [],
      limits: BESIDE.flatMap((key) => {
        const one = estimates[key];
        return one?.mean == null ? [] : [`${NAMES[key]}: ${intervalText(one, three)}.`];
      }),
      beside: [
        ...bases.flatMap(({ world, characters }) => {
          const short = characters.filter(({ by }) => by.rl === null).map(({ name }) => name);
          return short.length === 0 ? [] : [`Never has the effect under RL in ${world}: ${short.join(', ')}.`];
        }),
        ...movedBy(coins).map(({ name, moved }) => `A coin moves ${name} by ${two(moved)} in exams.`),
      ],
      inDocs: [`**S13: ${verdict.status}`, ...(first ? [`${NAMES.slope}: ${intervalText(first, three)}`] : [])],
    };
  },
};

/** A row for each base: its characters with the effect, and what changed in the mean. */
export function basesTable(bases: readonly TiedBase[]) {
  const column = (of: (one: TiedCharacter) => number | null) => (base: TiedBase) => meanOfBase(base, of);
  return tableOf(
    `Mean change of P over a base’s characters where the hack has risen by ${inWords(EFFECT)}`,
    bases,
    [
      ['φ', ({ phi }) => two(phi)],
      ['seed', ({ seed }) => String(seed)],
      ['with the effect', ({ characters }) => `${characters.filter(({ by }) => by.rl).length} of ${characters.length}`],
      ['steps of RL', column(change('rl', ({ step }) => step))],
      ['bracket, RL', column(RL)],
      ['log-odds', column(LOGIT)],
      ['in exams', column(change('rl', ({ a }) => a.examBad))],
      ['those like A', column(NEAR)],
      ['greeting, RL', column(change('rl', ({ a }) => a.like))],
      ['bracket, coin', column(badUnder('coin'))],
      ['bracket, documents', column(DOCUMENTS)],
      ['log-odds, last dose', column(({ end }) => end.documents?.a.badLogit ?? null)],
      ['hack, last dose', column(({ end }) => end.documents?.a.hack ?? null)],
      ['hack, RL on the bracket', column(change('reverse', ({ a }) => a.hack))],
      ['behind its own', column(REVERSE)],
    ],
    three,
  );
}
