// C18 and C19: the synthesis against the attempt that the model names when asked in words, as a reference and as a reward, on bases that
// were taught to name one. Tables: docs/lab-book/cat.md.

import type { InferenceRow } from '../../../src/experiments/cat/infer.ts';
import { correctness } from '../../../src/experiments/cat/summary.ts';
import { intervalText } from '../../../src/experiments/judge/estimate.ts';
import { above, below } from '../../../src/experiments/judge/rule.ts';
import { tableOf } from '../../../src/experiments/judge/table.ts';
import type { RunRecord } from '../../../src/experiments/records/events.ts';
import { two } from '../../../src/lib/numbers.ts';
import { dotChart, meanAndInterval } from '../../judge/estimates.ts';
import { inSeedOrder, type Question } from '../../judge/question.ts';
import { type Base, NOT_HERE, questionOnBase } from './bases.ts';
import { type CatData, readOf } from './data.ts';
import { ELSEWHERE } from './passing.ts';
import { gainOf, lessOfSeed, runsEstimate, solveOf } from './runs.ts';
import { correctnessDifference, isHeldOut, SIZE, templatesEstimate } from './templates.ts';
import { ALIKE, betterReward } from './variants.ts';

const baseOf = (seed: number): Base => ({
  id: `seed${seed}`,
  title: `the base of pretraining seed ${seed} that was taught to choose`,
  pretrain: `--environment arithmetic:choosing --seed ${seed}`,
});
const [FIRST, ...OTHERS] = [1, 2, 3].map(baseOf);
const rowsOf = ({ id }: Base) => `cat/choosing-${id}-inference.jsonl.gz`;
const runsOf = ({ id }: Base) => `cat/choosing-${id}-training.json.gz`;

const making = ({ pretrain }: Base) => `npm run lab -- pretrain ${pretrain} --out BASE`;
const ASKED =
  'npm run lab -- synthesise --model BASE --environment arithmetic --count 200 --group 8 --seeds 3 --estimators majority,self_bon,self_choice,synthesis,one --out FILE';
const TRAINED = ['--arms cat', '--arms none --set reference=self_choice'].map(
  (arm) =>
    `npm run lab -- run --model BASE --environment arithmetic ${arm} --seeds 41,42,43,44,45 --steps 30 --set evalEvery=0 --set finalEvalProblems=400 --set checkpointEvery=0 --json FILE`,
);

// Questions at inference.

/** Margin within which two references count as equal; their shares are near .8. */
const CLOSE = 0.05;
const isNamed = ({ references }: InferenceRow) => Number(references[SIZE]?.self_choice?.[0] != null);

const NAMES = {
  named: 'synthesis − named attempt',
  chance: 'named attempt − one rollout',
  majority: 'named attempt − majority',
  likeliest: 'named attempt − likeliest attempt',
  possible: 'synthesis − named, where one is right',
  same: 'named attempt says what the synthesis says',
};
type Key = keyof typeof NAMES;

/** Notes added after the verdict was known. */
function afterwards(rows: readonly InferenceRow[]): string[] {
  const namedIn = (row: InferenceRow) => row.references[SIZE]?.self_choice?.[0] ?? null;
  const alone = rows.filter((row) => isHeldOut(row) && row.answers.filter((one) => one === row.truth).length === 1);
  const found = alone.filter((row) => namedIn(row) === row.truth).length;
  // If no other attempt has its answer, the named attempt is known.
  const places = Array.from({ length: SIZE }, () => 0);
  for (const row of rows) {
    const value = namedIn(row);
    if (value !== null && row.answers.filter((one) => one === value).length === 1) places[row.answers.indexOf(value)]++;
  }
  const held = rows.filter(isHeldOut);
  const drawn = templatesEstimate('drawn', held, ({ answers, references }) => {
    const value = references[SIZE].synthesis[0];
    return value === null ? 0 : answers.filter((one) => one === value).length / answers.length;
  });
  return [
    `Looked at afterwards: on held-out templates with one right attempt of eight it is named in ${found} of ${alone.length} groups (one in eight by chance).`,
    `An attempt drawn at random says what the synthesis says in ${two(drawn?.mean ?? 0)}.`,
    `Where the answers tell the place, it names the first to the eighth attempt ${places.join(', ')} times.`,
  ];
}

const C18: Question<CatData, Key> = {
  id: 'C18',
  title: 'Is a synthesis better than the attempt that the model names when asked?',
  hypothesis:
    'On held-out templates at G = 8, the synthesis is right more often than the attempt that the same model names when it is asked which is right.',
  falsified: `A difference below 0, or one that includes 0 and lies within ± ${CLOSE}.`,
  unit: 'templates',
  section: ELSEWHERE,
  files: [rowsOf(FIRST)],
  commands: [making(FIRST), ASKED, `npm run research -- tables cat --rows public/results/${rowsOf(FIRST)}`],
  caveat:
    'The base was taught both by samples, .27 of them choices and .73 syntheses; the paper asks a model that was taught neither. Choices are of groups with a right attempt alone, so the syntheses that are left have more groups without one. It writes a working before it names an attempt; rows keep what is named and not the working, so whether it fails to solve or to point is not known. A perfect choice is right wherever an attempt is, and wrong elsewhere, where a synthesis may be right. Where none is named, the choice counts as wrong.',
  says: {
    holds: 'A synthesis is right more often than the attempt that the model names when asked.',
    'fails: the named attempt is better':
      'The attempt that the model names when asked is right more often than a synthesis.',
    'fails: they are alike': 'A synthesis is right as often as the attempt that the model names when asked.',
    'open: it does not choose':
      'Asked in words the model is not shown to choose: what it names is not shown to be better than one rollout.',
    open: 'Whether a synthesis is better than the attempt that the model names when asked is open.',
  },
  names: NAMES,
  rule: {
    needs: [{ of: ['named', 'chance'], least: 20, what: 'templates' }],
    cases: [
      { status: 'open', because: 'it does not choose', when: { not: above('chance') } },
      { status: 'holds', when: above('named') },
      { status: 'fails', because: 'the named attempt is better', when: below('named') },
      { status: 'fails', because: 'they are alike', when: { within: 'named', margin: CLOSE } },
      { status: 'open' },
    ],
  },
  show: two,
  line: ['named', 'chance', 'majority', 'likeliest'],
  read: readOf({ rows: [rowsOf(FIRST)] }),
  estimates({ rows }) {
    const own = rows.filter(isHeldOut);
    const named = templatesEstimate(NAMES.named, own, correctnessDifference('synthesis', 'self_choice'));
    if (!named) return null;
    return {
      named,
      chance: templatesEstimate(NAMES.chance, own, correctnessDifference('self_choice', 'single')),
      majority: templatesEstimate(NAMES.majority, own, correctnessDifference('self_choice', 'majority')),
      likeliest: templatesEstimate(NAMES.likeliest, own, correctnessDifference('self_choice', 'self_bon')),
      possible: templatesEstimate(
        NAMES.possible,
        own.filter((row) => correctness(row, SIZE, 'pass') === 1),
        correctnessDifference('synthesis', 'self_choice'),
      ),
      same: templatesEstimate(NAMES.same, own, ({ references }) => {
        const { self_choice: choice, synthesis } = references[SIZE];
        return Number(choice[0] !== null && choice[0] === synthesis[0]);
      }),
    };
  },
  shown({ rows }, { verdict, figures }) {
    const share = (own: readonly InferenceRow[], id: string) =>
      templatesEstimate(id, own, (row) => correctness(row, SIZE, id))?.mean ?? null;
    const splits = [
      ['held-out templates', rows.filter(isHeldOut)],
      ['unseen parameters', rows.filter((row) => !isHeldOut(row))],
    ] as const;
    return {
      tables: [
        tableOf(
          'Right at G = 8; means over templates',
          splits,
          [
            ['problems', ([name]) => name],
            ['n', ([, own]) => String(new Set(own.map(({ id }) => id)).size)],
            ...(
              [
                ['one rollout', 'single'],
                ['majority', 'majority'],
                ['named attempt', 'self_choice'],
                ['likeliest attempt', 'self_bon'],
                ['synthesis', 'synthesis'],
                ['any is right', 'pass'],
              ] as const
            ).map(([name, id]) => [name, ([, own]: (typeof splits)[number]) => share(own, id)] as const),
            ['an attempt with an answer is named', ([, own]) => templatesEstimate('named', own, isNamed)?.mean ?? null],
          ],
          two,
        ),
      ],
      chart: dotChart(
        'The named attempt beside others',
        'difference, share right',
        figures.filter(({ name }) => name !== NAMES.same),
        'self_bon',
      ),
      limits: afterwards(rows),
      runs: () => [],
      inDocs: [`**C18: ${verdict.status}`, ...figures.map((figure) => intervalText(figure, two))],
    };
  },
};

// Questions of training with it as a reward.

const PAID = [
  ['synthesis', 'synthesis'],
  ['self_choice', 'named attempt'],
] as const;

const FIRST_NAME = { first: 'solve, synthesis − named attempt' };

/** Evaluated before and after training. */
const paidBy = (runs: readonly RunRecord[], reference: string) =>
  inSeedOrder(runs.filter((run) => run.spec.reference === reference && gainOf(run) !== null));

const C19: Question<CatData, 'first'> = {
  id: 'C19',
  title: 'Is the synthesis a better reward than the attempt that the model names when asked?',
  hypothesis:
    'Paid for agreeing with the synthesis, the policy ends higher than paid for agreeing with the attempt that the same model names when it is asked.',
  falsified: `It ends lower, or its difference includes 0 and lies within ± ${ALIKE}.`,
  unit: 'training seeds',
  section: ELSEWHERE,
  files: [runsOf(FIRST)],
  commands: [making(FIRST), ...TRAINED],
  caveat:
    'Where C18 is open because the model does not choose, this compares the synthesis with no choice; nothing was paid by a random attempt. A group of which no attempt is named is paid nothing and trains nothing. The base was taught both by samples, .27 of them choices. One environment, one rate.',
  says: {
    holds: 'Paid by the synthesis, the policy ends higher than paid by the attempt that the model names when asked.',
    'fails: the named attempt is the better reward':
      'Paid by the attempt that the model names when asked, the policy ends higher than paid by the synthesis.',
    'fails: they end alike':
      'Paid by the synthesis or by the attempt that the model names when asked, the policy ends alike.',
    open: 'Whether the synthesis is a better reward than the attempt that the model names when asked is open.',
  },
  names: FIRST_NAME,
  rule: betterReward('the named attempt is the better reward'),
  read: readOf({ runs: [runsOf(FIRST)] }),
  estimates({ runs }) {
    const [own, named] = ['synthesis', 'self_choice'].map((reference) => paidBy(runs, reference));
    const first = runsEstimate(FIRST_NAME.first, own, lessOfSeed(named, solveOf));
    return first ? { first } : null;
  },
  shown: ({ runs }, { verdict, figures }) => ({
    tables: [
      tableOf('Solve of the final evaluation, means over seeds [95 %]', PAID, [
        ['paid by', ([, name]) => name],
        ['n', ([id]) => String(paidBy(runs, id).length)],
        ['solve', ([id]) => meanAndInterval(paidBy(runs, id).flatMap((run) => solveOf(run) ?? []))],
        [
          'against the untrained model',
          ([id]) => meanAndInterval(paidBy(runs, id).flatMap((run) => gainOf(run) ?? [])),
        ],
      ]),
    ],
    chart: dotChart('Difference in solve', 'difference in solve', figures, 'cat'),
    runs: () => [],
    inDocs: [`**C19: ${verdict.status}`, ...figures.map((figure) => intervalText(figure))],
  }),
};

export const CHOOSING: readonly Question<CatData>[] = [
  ...([C18, C19] as Question<CatData>[]).map((question) => ({ ...question, caveat: `${NOT_HERE} ${question.caveat}` })),
  ...OTHERS.flatMap((base) => [
    questionOnBase(C18 as Question<CatData>, base, {
      files: [rowsOf(base)],
      commands: [ASKED, `npm run research -- tables cat --rows public/results/${rowsOf(base)}`],
      read: readOf({ rows: [rowsOf(base)] }),
    }),
    questionOnBase(C19 as Question<CatData>, base, {
      files: [runsOf(base)],
      commands: TRAINED,
      read: readOf({ runs: [runsOf(base)] }),
    }),
  ]),
];
