// C1, C3, C4, C5 and C12: the accuracy of references at inference, without training. Tables: docs/lab-book/cat.md.

import type { InferenceRow } from '../../../src/experiments/cat/infer.ts';
import { correctness, pairedDifference, shareOfRows, unanimous } from '../../../src/experiments/cat/summary.ts';
import type { Estimate } from '../../../src/experiments/judge/estimate.ts';
import { intervalText, type ProblemShare } from '../../../src/experiments/judge/estimate.ts';
import type { Chart, LineChart, Table } from '../../../src/experiments/judge/figures.ts';
import { above, below, beyond } from '../../../src/experiments/judge/rule.ts';
import { type Column, tableOf } from '../../../src/experiments/judge/table.ts';
import { two } from '../../../src/lib/numbers.ts';
import { dotChart, shareEstimate, ZERO } from '../../judge/estimates.ts';
import { type JudgedQuestion, judgeQuestion, type Question, runsToOpen } from '../../judge/question.ts';
import { type CatData, readOf } from './data.ts';

const FILE = 'cat/inference-2.jsonl.gz';
/** File of the earlier base. */
const FIRST = 'cat/inference.jsonl.gz';
const MUTUAL = 'cat/mutual.jsonl.gz';
const TRAINING = 'cat/training-2.json.gz';
const SIZES = [1, 2, 4, 8, 16];
/** Number of attempts at which references are judged. */
const SIZE = 8;
const SPLITS = { templates: 'held-out templates', params: 'unseen parameters' } as const;
type Split = keyof typeof SPLITS;

/** Their names, and the arms whose colour they have: as rewards they are arms. */
const ESTIMATORS = [
  ['synthesis', 'synthesis, blind', 'cat'],
  ['synthesis_question', 'synthesis, question shown', 'cat_question'],
  ['self_bon', 'self-chosen attempt', 'self_bon'],
  ['majority', 'majority', 'ttrl'],
  ['min_perplexity', 'minimum perplexity', 'none'],
  ['single', 'one rollout', 'random_reward'],
  ['mutual', 'mutual predictability', 'rubric_fixed'],
  ['pass', 'any is right', 'oracle'],
] as const;
type Estimator = (typeof ESTIMATORS)[number][0];
const NAMES: Readonly<Record<string, string>> = Object.fromEntries(ESTIMATORS.map(([id, name]) => [id, name]));

export const MADE = [
  'npm run lab -- synthesise --environment arithmetic --count 200 --group 1,2,4,8,16 --seeds 3 --estimators majority,min_perplexity,self_bon,synthesis,synthesis_question,random,one --out FILE',
  `npm run research -- tables cat --rows public/results/${FILE}`,
];
const COMMON = {
  unit: 'problems',
  section: 'At inference',
  files: [FILE, TRAINING],
  commands: MADE,
  runsNote:
    'The rows are made on the command line, without training. What opens here is training with the synthesis as its reward (C2).',
};

const ofSplit = (rows: readonly InferenceRow[], split: Split) => rows.filter((row) => row.split === split);
const seedsIn = (rows: readonly InferenceRow[]) => [...new Set(rows.map(({ seed }) => seed))].sort((a, b) => a - b);

/** Whether the rows have both splits of an environment, with one and eight attempts; nothing else can be judged. */
const isComplete = (rows: readonly InferenceRow[]): boolean =>
  ofSplit(rows, 'params').length > 0 &&
  ofSplit(rows, 'templates').some((row) => [1, SIZE].every((size) => correctness(row, size, 'synthesis') !== null));

/** The paired difference of two estimators; absent if no problem has both. */
function estimatorDifference(
  name: string,
  rows: readonly InferenceRow[],
  one: [string, number],
  other: [string, number],
): Estimate | undefined {
  const share = pairedDifference(rows, one, other);
  return share.problems > 0 ? shareEstimate(name, share, seedsIn(rows)) : undefined;
}

function bySize(rows: readonly InferenceRow[], ids: readonly Estimator[]): Map<Estimator, ProblemShare[]> {
  return new Map(
    ids.map((id) => [id, SIZES.map((size) => shareOfRows(rows, (row) => correctness(row, size, id)))] as const),
  );
}

/** One row per group size. */
const sizeTable = (title: string, columns: readonly Column<number>[]): Table =>
  tableOf(title, SIZES.keys(), [['G', (g) => String(SIZES[g])], ...columns], two);

const sharesTable = (title: string, shares: ReadonlyMap<Estimator, readonly ProblemShare[]>): Table =>
  sizeTable(
    title,
    [...shares].map(([id, own]): Column<number> => [NAMES[id], (g) => own[g]]),
  );

function chartOf(title: string, shares: ReadonlyMap<Estimator, readonly ProblemShare[]>): LineChart {
  const lines = ESTIMATORS.flatMap(([id, label, arm]) => {
    const own = shares.get(id);
    if (!own) return [];
    const n = Math.min(...own.map(({ problems }) => problems));
    const end = (which: 'low' | 'high') => own.map(({ interval }) => interval?.[which] ?? null);
    return [{ label, arm, n, mean: own.map(({ mean }) => mean), low: end('low'), high: end('high') }];
  });
  const [x, y] = ['attempts read (G)', 'share right'];
  return { kind: 'lines', title, x, y, at: SIZES.map(String), band: '95 % bootstrap over problems', lines };
}

/** Parts that are shown beside each verdict. */
const shownBeside = (
  id: string,
  { runs }: CatData,
  { verdict, figures }: Pick<JudgedQuestion, 'verdict' | 'figures'>,
  more: { tables: Table[]; chart: Chart; limits?: readonly string[]; figures?: readonly Estimate[] },
) => ({
  ...more,
  runs: () => runsToOpen(runs, ['cat']),
  inDocs: [`**${id} ${verdict.status}.**`, ...(more.figures ?? figures).map((figure) => intervalText(figure, two))],
});

const templates = (rows: readonly InferenceRow[], ids: readonly Estimator[], more = '') => {
  const shares = bySize(ofSplit(rows, 'templates'), ids);
  const title = `Right on ${SPLITS.templates}${more}`;
  return { tables: [sharesTable(title, shares)], chart: chartOf(title, shares) };
};

/** C1: more accurate than every choice among the attempts; and the loss if all attempts agree. */
const BEYOND = 0.2;
const LOST = -0.02;
const SELECTION = ['majority', 'min_perplexity', 'self_bon', 'single'] as const;
type Selected = (typeof SELECTION)[number] | 'unanimous';

const C1: Question<CatData, Selected> = {
  id: 'C1',
  title: 'Does synthesis beat selection, without any training?',
  hypothesis:
    'On held-out templates at G = 8, blind synthesis is right more often than majority, minimum perplexity, the self-chosen attempt and a single rollout, by 20 points each; where all attempts agree it loses at most 2 points to majority.',
  falsified: 'A difference at or below 0.',
  names: {
    majority: 'synthesis − majority',
    min_perplexity: 'synthesis − minimum perplexity',
    self_bon: 'synthesis − self-chosen attempt',
    single: 'synthesis − one rollout',
    unanimous: 'synthesis − majority where all agree',
  },
  rule: {
    optional: [...SELECTION, 'unanimous'],
    cases: [
      {
        status: 'holds',
        when: {
          all: [
            ...SELECTION.map((key) => ({ mean: key, atLeast: BEYOND })),
            ...SELECTION.map((key) => above(key)),
            { mean: 'unanimous', atLeast: LOST },
          ],
        },
      },
      { status: 'in part', when: { all: SELECTION.map((key) => above(key)) } },
      { status: 'fails' },
    ],
  },
  ...COMMON,
  says: {
    holds: 'Synthesis beats every way of choosing by 20 points.',
    'in part': 'Synthesis beats every way of choosing, by less than 20 points.',
    fails: 'Synthesis does not beat every way of choosing.',
  },
  caveat:
    'At G = 1 nothing can be composed or outvoted: what synthesis gains there comes from the data that it was trained on. So every table has a row for G = 1, and C4 measures what more attempts add.',
  show: two,
  read: readOf({ rows: [FILE], runs: [TRAINING] }),
  estimates({ rows }) {
    if (!isComplete(rows)) return null;
    const own = ofSplit(rows, 'templates');
    const than = (other: (typeof SELECTION)[number], of: readonly InferenceRow[], key: Selected) =>
      estimatorDifference(this.names[key], of, ['synthesis', SIZE], [other, SIZE]);
    return {
      ...Object.fromEntries(SELECTION.map((other) => [other, than(other, own, other)])),
      unanimous: than('majority', unanimous(own, SIZE), 'unanimous'),
    };
  },
  shown: (data, answered) =>
    shownBeside('C1', data, answered, {
      ...templates(
        data.rows,
        ESTIMATORS.map(([id]) => id).filter((id) => id !== 'mutual'),
      ),
      limits: roomAbove(data.rows),
    }),
};

/** Whether the majority leaves room for a gain of 20 points: no choice among eight attempts is correct if none of them is. */
function roomAbove(rows: readonly InferenceRow[]): string[] {
  const room = pairedDifference(ofSplit(rows, 'templates'), ['pass', SIZE], ['majority', SIZE]);
  if (room.mean === null) return [];
  return [
    `pass@${SIZE} lies ${intervalText(room, two)} above the majority. A bound of ${two(BEYOND)} leaves little room: always choosing rightly would pass it by ${two(room.mean - BEYOND)}.`,
  ];
}

/** C3: a difference within this margin counts as none. */
const SAME = 0.05;

/** C3's rule is about one group size: reports sizes whose interval is not within the bound. */
function otherSizes(rows: readonly InferenceRow[]): string[] {
  const beyond = SIZES.flatMap((size) => {
    const share = pairedDifference(ofSplit(rows, 'templates'), ['synthesis_question', size], ['synthesis', size]);
    const { interval } = share;
    const isWithin = interval && interval.low >= -SAME && interval.high <= SAME;
    return !interval || isWithin ? [] : [`G = ${size} ${intervalText(share)}`];
  });
  return beyond.length === 0
    ? []
    : [`“Within 5 points” is of G = 8 alone. Shown − blind elsewhere: ${beyond.join('; ')}.`];
}

const C3: Question<CatData, 'shown'> = {
  id: 'C3',
  title: 'Does it matter that the synthesiser does not see the question?',
  hypothesis: 'Showing the question changes little at G = 8.',
  falsified: 'A difference beyond 5 points either way.',
  names: { shown: 'shown − blind' },
  rule: {
    cases: [
      { status: 'holds', when: { within: 'shown', margin: SAME } },
      { status: 'fails', when: beyond('shown', SAME) },
      { status: 'open' },
    ],
  },
  ...COMMON,
  says: {
    holds: 'At G = 8, shown the question, synthesis is as often right as without it, within 5 points.',
    fails: 'Whether the question is shown makes a difference.',
    open: 'Whether showing the question matters is open.',
  },
  caveat:
    'Judged at G = 8 alone. With fewer attempts the question may decide a reading that they leave open: the table has every G.',
  show: two,
  read: readOf({ rows: [FILE], runs: [TRAINING] }),
  estimates({ rows }) {
    const own = ofSplit(rows, 'templates');
    const figure = estimatorDifference(this.names.shown, own, ['synthesis_question', SIZE], ['synthesis', SIZE]);
    return isComplete(rows) && figure ? { shown: figure } : null;
  },
  shown: (data, answered) =>
    shownBeside('C3', data, answered, {
      ...templates(data.rows, ['synthesis', 'synthesis_question'], ', question shown and not'),
      limits: otherSizes(data.rows),
    }),
};

/** C4. */
const ADDS_AT_LEAST = 0.05;
const KINDS = ['fact', 'plain', 'reading'] as const;

/** C4's rule applies its bound only to the mean. */
const belowBound = ({ interval }: Estimate): string[] =>
  interval && interval.low < ADDS_AT_LEAST
    ? [`The bound of ${two(ADDS_AT_LEAST)} is met by the mean; the interval begins at ${two(interval.low)}.`]
    : [];

/**
 * The same rule on the first base, by its first estimate. The second base was made after that with knowledge of these templates: its
 * verdict is that of a model developed on them.
 */
function onFirstBase<Key extends string>(question: Question<CatData, Key>, { first }: CatData): string[] {
  const answered = judgeQuestion(question, { rows: first, first: [], runs: [] });
  if (!answered) return [];
  const [name] = Object.values<string>(question.names);
  return [
    `By the same rule it ${answered.verdict.status} on the first base (${name} ${intervalText(answered.figures[0])}); this one was developed with these templates in view.`,
  ];
}

const C4: Question<CatData, 'more' | (typeof KINDS)[number]> = {
  id: 'C4',
  title: 'Do more attempts help synthesis?',
  hypothesis:
    'G = 8 beats G = 1 by 5 points on held-out templates. Most of that is on “reading”, where only attempts that differ show that something was misread.',
  falsified: 'A difference at or below 0.',
  names: { more: 'G 8 − G 1', fact: 'of facts', plain: 'of plain problems', reading: 'of readings' },
  rule: {
    cases: [
      { status: 'holds', when: { all: [{ mean: 'more', atLeast: ADDS_AT_LEAST }, above('more')] } },
      { status: 'in part', when: above('more') },
      { status: 'fails' },
    ],
  },
  ...COMMON,
  files: [...COMMON.files, FIRST],
  says: {
    holds: 'Eight attempts give a better synthesis than one, by 5 points or more on average.',
    'in part': 'Eight attempts give a better synthesis than one, by less than 5 points.',
    fails: 'Eight attempts are not shown to give a better synthesis than one.',
  },
  caveat:
    'The model was trained on groups of up to eight: sixteen attempts are more than it has practised. And how much of the gain is the checker’s at G = 1 (C1)?',
  show: two,
  read: readOf({ rows: [FILE], first: [FIRST], runs: [TRAINING] }),
  estimates({ rows }) {
    const name = 'synthesis, G 8 − G 1';
    const of = (named: string, own: readonly InferenceRow[]) =>
      estimatorDifference(named, own, ['synthesis', SIZE], ['synthesis', 1]);
    const own = ofSplit(rows, 'templates');
    const more = isComplete(rows) && of(name, own);
    const kinds = KINDS.map(
      (kind) =>
        [
          kind,
          of(
            `${name}, ${kind}`,
            own.filter((row) => row.kind === kind),
          ),
        ] as const,
    );
    return more ? { more, ...Object.fromEntries(kinds) } : null;
  },
  shown: (data, answered) =>
    shownBeside('C4', data, answered, {
      tables: templates(data.rows, ['synthesis', 'majority']).tables,
      chart: dotChart(
        'What eight attempts add to one, by kind of problem',
        'G 8 − G 1, share right',
        answered.figures,
        'cat',
        [ZERO, { at: ADDS_AT_LEAST, label: `the bound, ${two(ADDS_AT_LEAST)}` }],
      ),
      limits: [...belowBound(answered.figures[0]), ...onFirstBase(C4, data)],
    }),
};

/** C5: share of the gain on unseen parameters. */
const CARRIED = 0.5;

const C5: Question<CatData, 'held' | 'seen' | 'half'> = {
  id: 'C5',
  title: 'Does the gain over a majority carry over to held-out templates?',
  hypothesis:
    'The gain over majority at G = 8 carries over to held-out templates: it is at least half of what it is on unseen parameters.',
  falsified: 'A gain on held-out templates at or below 0, or below half.',
  names: {
    held: 'gain, held-out templates',
    seen: 'gain, unseen parameters',
    half: 'the same less half of the gain on unseen parameters',
  },
  rule: {
    cases: [{ status: 'holds', when: { all: [above('held'), { mean: 'half', atLeast: 0 }] } }, { status: 'fails' }],
  },
  ...COMMON,
  files: [...COMMON.files, FIRST],
  says: {
    holds: 'The gain over the majority carries over to templates that training never had.',
    fails: 'The gain over the majority does not carry over to templates that training never had.',
  },
  caveat:
    'Held-out templates are sequences of steps that no training showed; their single steps are known. Nothing is said of other kinds of problem.',
  show: two,
  read: readOf({ rows: [FILE], first: [FIRST], runs: [TRAINING] }),
  line: ['held', 'seen'],
  estimates({ rows }) {
    if (!isComplete(rows)) return null;
    const of = (split: Split) =>
      estimatorDifference(
        `synthesis − majority, ${SPLITS[split]}`,
        ofSplit(rows, split),
        ['synthesis', SIZE],
        ['majority', SIZE],
      );
    const [held, seen] = [of('templates'), of('params')];
    if (held?.mean == null || seen?.mean == null) return null;
    // The two sets have different problems, so the ratio of the gains has no interval.
    const half = { ...held, name: this.names.half, mean: held.mean - CARRIED * seen.mean, interval: null, each: [] };
    return { held, seen, half };
  },
  shown(data, answered) {
    const figures = answered.figures.slice(0, 2);
    return shownBeside('C5', data, answered, {
      figures,
      tables: (['templates', 'params'] as const).map((split) => {
        const own = ofSplit(data.rows, split);
        const gains = SIZES.map((size) => pairedDifference(own, ['synthesis', size], ['majority', size]));
        return sizeTable(`Gain on ${SPLITS[split]}`, [
          ['synthesis − majority', (g) => gains[g]],
          ['problems', (g) => String(gains[g].problems)],
        ]);
      }),
      chart: dotChart('Gain over the majority at G = 8', 'synthesis − majority, share right', figures, 'cat'),
      limits: onFirstBase(C5, data),
    });
  },
};

const C12: Question<CatData, 'more' | 'less' | 'beyond'> = {
  id: 'C12',
  title: 'Mutual predictability',
  hypothesis:
    'On held-out templates at G = 8, the attempt that the others make likeliest is right more often than the majority and less often than the self-chosen attempt.',
  falsified: 'The difference to the majority at or below 0.',
  names: {
    more: 'mutual predictability − majority',
    less: 'mutual predictability − self-chosen',
    beyond: 'synthesis − mutual predictability',
  },
  rule: {
    cases: [
      { status: 'holds', when: { all: [above('more'), below('less')] } },
      { status: 'in part', when: above('more') },
      { status: 'fails' },
    ],
  },
  ...COMMON,
  section: 'Mutual predictability',
  files: [FILE, MUTUAL, TRAINING],
  commands: [
    `npm run lab -- synthesise --environment arithmetic --split templates --count 200 --group 8 --seeds 3 --estimators mutual --out FILE`,
    `npm run research -- tables cat --rows public/results/${FILE},public/results/${MUTUAL}`,
  ],
  says: {
    holds:
      'The attempt that the others make likeliest is right more often than the majority, and less often than the self-chosen one.',
    'in part': 'The attempt that the others make likeliest is right more often than the majority.',
    fails: 'The attempt that the others make likeliest is not shown to be right more often than the majority.',
  },
  caveat:
    'It differs from the self-chosen attempt only in whether the attempt itself is among those shown. The two are not different methods.',
  show: two,
  read: readOf({ rows: [FILE, MUTUAL], runs: [TRAINING] }),
  estimates({ rows }) {
    const own = ofSplit(rows, 'templates');
    const of = (key: 'more' | 'less' | 'beyond', one: Estimator, other: Estimator) =>
      estimatorDifference(this.names[key], own, [one, SIZE], [other, SIZE]);
    const [more, less] = [of('more', 'mutual', 'majority'), of('less', 'mutual', 'self_bon')];
    return more && less ? { more, less, beyond: of('beyond', 'synthesis', 'mutual') } : null;
  },
  shown: (data, answered) =>
    shownBeside('C12', data, answered, {
      tables: templates(data.rows, ['mutual', 'majority', 'self_bon', 'synthesis', 'single']).tables,
      chart: dotChart(
        'Mutual predictability against others at G = 8',
        'difference, share right',
        answered.figures,
        'self_bon',
      ),
    }),
};

export const INFERENCE: readonly Question<CatData>[] = [C1, C3, C4, C5, C12];
