// C1, C3, C4 and C5: what references are worth at inference, without any training. Rules and tables: docs/lab-book/cat.md.

import { two } from '../../../lib/numbers.ts';
import type { InferenceRow } from '../../cat/infer.ts';
import { BOUNDS } from '../../cat/questions.ts';
import { difference, joinedRows, rightness, shareOfRows } from '../../cat/summary.ts';
import { type Verdict, verdictsOf } from '../../cat/verdicts.ts';
import { dotsOf, ofShare, type Share, shown, ZERO } from '../../judge/estimates.ts';
import { judgedAs, runsToOpen } from '../../judge/question.ts';
import { type Column, tableOf } from '../../judge/table.ts';
import type { Chart, Estimate, Judged, LabRun, LineChart, Rows, Table } from '../../judge/types.ts';
import { catQuestion } from './question.ts';

const FILE = 'cat/inference-2.jsonl.gz';
/** Of the base before. */
const FIRST = 'cat/inference.jsonl.gz';
const TRAINING = 'cat/training-2.json.gz';
const SIZES = [1, 2, 4, 8, 16];
const SPLITS = { templates: 'held-out templates', params: 'unseen parameters' } as const;
type Split = keyof typeof SPLITS;

/** Their names, and whose colour they have: as rewards they are arms. */
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

const MADE = [
  'npm run lab -- synthesise --environment arithmetic --count 200 --group 1,2,4,8,16 --seeds 3 --estimators majority,min_perplexity,self_bon,synthesis,synthesis_question,random,one --out FILE',
  `npm run lab -- synthesise --rows public/results/${FILE}`,
];
const COMMON = {
  unit: 'problems',
  section: 'At inference',
  files: [FILE, TRAINING],
  commands: MADE,
  runsNote:
    'The rows are made on the command line, without training. What opens here is training with the synthesis as its reward (C2).',
};

const MUTUAL = 'cat/mutual.jsonl.gz';
/** Of the same attempts. */
const read = (rows: Rows, files: readonly string[]) => joinedRows(files.map((file) => rows.lines<InferenceRow>(file)));
const ofSplit = (rows: readonly InferenceRow[], split: Split) => rows.filter((row) => row.split === split);
const seedsIn = (rows: readonly InferenceRow[]) => [...new Set(rows.map(({ seed }) => seed))].sort((a, b) => a - b);

function bySize(rows: readonly InferenceRow[], ids: readonly Estimator[]): Map<Estimator, Share[]> {
  return new Map(
    ids.map((id) => [id, SIZES.map((size) => shareOfRows(rows, (row) => rightness(row, size, id)))] as const),
  );
}

/** A row a size, by its place among them. */
const bySizes = (title: string, columns: readonly Column<number>[]): Table =>
  tableOf(title, SIZES.keys(), [['G', (g) => String(SIZES[g])], ...columns], two);

const sharesTable = (title: string, shares: ReadonlyMap<Estimator, readonly Share[]>): Table =>
  bySizes(
    title,
    [...shares].map(([id, own]): Column<number> => [NAMES[id], (g) => own[g]]),
  );

function chartOf(title: string, shares: ReadonlyMap<Estimator, readonly Share[]>): LineChart {
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

const runsOf = (rows: Rows): LabRun[] => runsToOpen(rows.runs(TRAINING), ['cat']);

function judged(
  rows: Rows,
  id: Verdict['question'],
  rename: (name: string) => string,
  more: (
    all: readonly InferenceRow[],
    figures: readonly Estimate[],
  ) => { tables: Table[]; chart: Chart; limits?: readonly string[] },
  files: readonly string[] = [FILE],
): Judged | null {
  const all = read(rows, files);
  const found = verdictsOf(all).find(({ question }) => question === id);
  if (!found) return null;
  const figures = found.figures.map(([name, share]) => ofShare(rename(name), share, seedsIn(all)));
  const own = more(all, figures);
  return judgedAs(
    found.verdict,
    { show: two, unit: COMMON.unit, figures },
    {
      ...own,
      runs: runsOf(rows),
      inDocs: [`**${id} ${found.verdict}.**`, ...figures.map((figure) => shown(figure, two))],
    },
  );
}

const C1 = catQuestion('C1', {
  ...COMMON,
  says: {
    holds: 'Synthesis beats every way of choosing by 20 points.',
    'in part': 'Synthesis beats every way of choosing, by less than 20 points.',
    fails: 'Synthesis does not beat every way of choosing.',
  },
  caveat:
    'At G = 1 nothing can be composed or outvoted: what synthesis gains there comes from the data that it was trained on. So every table has a row for G = 1, and C4 measures what more attempts add.',
  judge: (rows) =>
    judged(
      rows,
      'C1',
      (name) => {
        const [, id, rest = ''] = /^− (\w+)(.*)$/.exec(name)!;
        return `synthesis − ${NAMES[id]}${rest}`;
      },
      (all) => {
        const shares = bySize(
          ofSplit(all, 'templates'),
          ESTIMATORS.map(([id]) => id).filter((id) => id !== 'mutual'),
        );
        const title = `Right on ${SPLITS.templates}`;
        return { tables: [sharesTable(title, shares)], chart: chartOf(title, shares) };
      },
    ),
});

/** C3's rule is of one group size: where another's interval is not within its bound, that is said. */
function otherSizes(rows: readonly InferenceRow[]): string[] {
  const beyond = SIZES.flatMap((size) => {
    const share = difference(ofSplit(rows, 'templates'), ['synthesis_question', size], ['synthesis', size]);
    const { interval } = share;
    const isWithin = interval && interval.low >= -BOUNDS.same && interval.high <= BOUNDS.same;
    return !interval || isWithin ? [] : [`G = ${size} ${shown(share)}`];
  });
  return beyond.length === 0
    ? []
    : [`“Within 5 points” is of G = 8 alone. Shown − blind elsewhere: ${beyond.join('; ')}.`];
}

/** C4's rule asks for its bound of the mean alone. */
const belowBound = ({ interval }: Estimate): string[] =>
  interval && interval.low < BOUNDS.attempts
    ? [`The bound of ${two(BOUNDS.attempts)} is met by the mean; the interval begins at ${two(interval.low)}.`]
    : [];

/**
 * The same rule on the base that came first. The second was made after that, with a look at these templates: its verdict is that of
 * a model developed on them.
 */
function onFirst(rows: Rows, id: Verdict['question']): string[] {
  const found = verdictsOf(read(rows, [FIRST])).find(({ question }) => question === id);
  if (!found) return [];
  const [[name, share]] = found.figures;
  return [
    `By the same rule it ${found.verdict} on the first base (${name} ${shown(share)}); this one was developed with these templates in view.`,
  ];
}

const C3 = catQuestion('C3', {
  ...COMMON,
  says: {
    holds: 'At G = 8, shown the question, synthesis is as often right as without it, within 5 points.',
    fails: 'Whether the question is shown makes a difference.',
    open: 'Whether showing the question matters is open.',
  },
  caveat:
    'Judged at G = 8 alone. With fewer attempts the question may decide a reading that they leave open: the table has every G.',
  judge: (rows) =>
    judged(
      rows,
      'C3',
      (name) => name,
      (all) => {
        const shares = bySize(ofSplit(all, 'templates'), ['synthesis', 'synthesis_question']);
        const title = `Right on ${SPLITS.templates}, question shown and not`;
        return { tables: [sharesTable(title, shares)], chart: chartOf(title, shares), limits: otherSizes(all) };
      },
    ),
});

const C4 = catQuestion('C4', {
  ...COMMON,
  files: [...COMMON.files, FIRST],
  says: {
    holds: 'Eight attempts give a better synthesis than one, by 5 points or more in the mean.',
    'in part': 'Eight attempts give a better synthesis than one, by less than 5 points.',
    fails: 'Eight attempts are not shown to give a better synthesis than one.',
  },
  caveat:
    'The model was trained on groups of up to eight: sixteen attempts are more than it has practised. And how much of the gain is the checker’s at G = 1 (C1)?',
  judge: (rows) =>
    judged(
      rows,
      'C4',
      (name) => name.replace('G 8 − G 1', 'synthesis, G 8 − G 1'),
      (all, figures) => ({
        tables: [
          sharesTable(`Right on ${SPLITS.templates}`, bySize(ofSplit(all, 'templates'), ['synthesis', 'majority'])),
        ],
        chart: {
          kind: 'dots',
          title: 'What eight attempts add to one, by kind of problem',
          x: 'G 8 − G 1, share right',
          bounds: [ZERO, { at: BOUNDS.attempts, label: `the bound, ${two(BOUNDS.attempts)}` }],
          rows: dotsOf(figures, () => 'cat'),
        },
        limits: [...belowBound(figures[0]), ...onFirst(rows, 'C4')],
      }),
    ),
});

const C5 = catQuestion('C5', {
  ...COMMON,
  files: [...COMMON.files, FIRST],
  says: {
    holds: 'The gain over the majority carries over to templates that training never had.',
    fails: 'The gain over the majority does not carry over to templates that training never had.',
  },
  caveat:
    'Held-out templates are sequences of steps that no training showed; their single steps are known. Nothing is said of other kinds of problem.',
  judge: (rows) =>
    judged(
      rows,
      'C5',
      (name) => name.replace('gain,', 'synthesis − majority,'),
      (all, figures) => ({
        tables: (['templates', 'params'] as const).map((split) => {
          const own = ofSplit(all, split);
          const gains = SIZES.map((size) => difference(own, ['synthesis', size], ['majority', size]));
          return bySizes(`Gain on ${SPLITS[split]}`, [
            ['synthesis − majority', (g) => gains[g]],
            ['problems', (g) => String(gains[g].problems)],
          ]);
        }),
        chart: {
          kind: 'dots',
          title: 'Gain over the majority at G = 8',
          x: 'synthesis − majority, share right',
          bounds: [ZERO],
          rows: dotsOf(figures, () => 'cat'),
        },
        limits: onFirst(rows, 'C5'),
      }),
    ),
});

const C12 = catQuestion('C12', {
  ...COMMON,
  section: 'Mutual predictability',
  files: [FILE, MUTUAL, TRAINING],
  commands: [
    `npm run lab -- synthesise --environment arithmetic --split templates --count 200 --group 8 --seeds 3 --estimators mutual --out FILE`,
    `npm run lab -- synthesise --rows public/results/${FILE},public/results/${MUTUAL}`,
  ],
  says: {
    holds:
      'The attempt that the others make likeliest is right more often than the majority, and less often than the self-chosen one.',
    'in part': 'The attempt that the others make likeliest is right more often than the majority.',
    fails: 'The attempt that the others make likeliest is not shown to be right more often than the majority.',
  },
  caveat:
    'It differs from the self-chosen attempt only in whether the attempt itself is among those shown. The two are not different methods.',
  judge: (rows) =>
    judged(
      rows,
      'C12',
      (name) => name.replaceAll('mutual', 'mutual predictability'),
      (all, figures) => ({
        tables: [
          sharesTable(
            `Right on ${SPLITS.templates}`,
            bySize(ofSplit(all, 'templates'), ['mutual', 'majority', 'self_bon', 'synthesis', 'single']),
          ),
        ],
        chart: {
          kind: 'dots',
          title: 'Mutual predictability against others at G = 8',
          x: 'difference, share right',
          bounds: [ZERO],
          rows: dotsOf(figures, () => 'self_bon'),
        },
      }),
      [FILE, MUTUAL],
    ),
});

export const INFERENCE = [C1, C3, C4, C5, C12];
