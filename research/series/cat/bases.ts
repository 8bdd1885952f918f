// Learning without labels on other bases: C1 to C5, C13, C14, C16 and C17 on the bases of two more pretraining seeds, and C15, on a base
// whose training data give a correct majority where attempts alone cannot show how a story was meant. None of these bases comes with the
// lab. Tables: docs/lab-book/cat.md.

import type { InferenceRow } from '../../../src/experiments/cat/infer.ts';
import { correctness } from '../../../src/experiments/cat/summary.ts';
import { intervalText } from '../../../src/experiments/judge/estimate.ts';
import { above } from '../../../src/experiments/judge/rule.ts';
import { tableOf } from '../../../src/experiments/judge/table.ts';
import { two } from '../../../src/lib/numbers.ts';
import { mean } from '../../../src/stats/index.ts';
import { dotChart } from '../../judge/estimates.ts';
import type { JudgedQuestion, Question } from '../../judge/question.ts';
import { ADAPTER_RUNS, C13 } from './adapters.ts';
import { type CatData, readOf } from './data.ts';
import { INFERENCE, MADE } from './inference.ts';
import { LASTING_RUNS, lasting } from './lasting.ts';
import { ELSEWHERE, passing } from './passing.ts';
import { correctnessDifference, isHeldOut, SIZE, templateIn, templatesEstimate } from './templates.ts';
import { C2, RUNS } from './training.ts';
import { C14, CHOSEN_RUNS } from './variants.ts';

export interface Base {
  /** Suffix of a question's id and of its files. */
  id: string;
  title: string;
  /** Flags of `lab pretrain`. */
  pretrain: string;
}
const OF_SEEDS: readonly Base[] = [2, 3].map((seed) => ({
  id: `seed${seed}`,
  title: `the base of pretraining seed ${seed}`,
  pretrain: `--environment arithmetic --seed ${seed}`,
}));
const RIGHT_MAJORITY: Base = {
  id: 'right-majority',
  title: 'the base whose training data have a right majority of mirrored readings',
  pretrain: '--environment arithmetic:right-majority',
};

const inferenceOf = ({ id }: Base) => `cat/${id}-inference.jsonl.gz`;
const trainingOf = ({ id }: Base) => `cat/${id}-training.json.gz`;
const lastingOf = ({ id }: Base) => `cat/${id}-lasting.json.gz`;
const chosenOf = ({ id }: Base) => `cat/${id}-self-chosen.json.gz`;
const adaptersOf = ({ id }: Base) => `cat/${id}-adapters.json.gz`;
const passingOf = ({ id }: Base) => `cat/${id}-passing.json.gz`;
/** Adds the base as the model of a command. */
const onModel = (command: string) =>
  command.replace('--environment arithmetic', '--model BASE --environment arithmetic');
const FILES = {
  rows: 'cat/inference-2.jsonl.gz',
  runs: 'cat/training-2.json.gz',
  chosen: 'cat/self-chosen.json.gz',
} as const;
const namedForBase = (command: string, base: Base) =>
  command
    .replace(FILES.rows, inferenceOf(base))
    .replace(FILES.runs, trainingOf(base))
    .replace(FILES.chosen, chosenOf(base));

export const NOT_HERE = 'The base does not come with the lab: no run of it opens.';

/** Copies a question of the embedded base, with the same rule, for another base; none of its runs can be opened on the page. */
export function questionOnBase(
  question: Question<CatData>,
  base: Base,
  own: Pick<Question<CatData>, 'files' | 'commands' | 'read'>,
): Question<CatData> {
  const id = `${question.id}-${base.id}`;
  return {
    ...question,
    ...own,
    id,
    title: `${question.id}, on ${base.title}`,
    section: ELSEWHERE,
    says: Object.fromEntries(
      Object.entries(question.says).map(([verdict, text]) => [verdict, text.replace(/\.$/, `, on ${base.title}.`)]),
    ),
    caveat: `${NOT_HERE} ${question.caveat}`,
    commands: [`npm run lab -- pretrain ${base.pretrain} --out BASE`, ...own.commands],
    shown(data: CatData, answered: JudgedQuestion) {
      const shownAnswer = question.shown(data, answered);
      const { inDocs = [] } = shownAnswer;
      return { ...shownAnswer, runs: () => [], inDocs: inDocs.map((line) => line.replace(question.id, id)) };
    },
  };
}

const inferenceCommands = (base: Base) => MADE.map((one) => namedForBase(onModel(one), base));

/** A question on references at inference. */
const atInference = (question: Question<CatData>, base: Base) =>
  questionOnBase(question, base, {
    files: [inferenceOf(base)],
    commands: inferenceCommands(base),
    read: readOf({ rows: [inferenceOf(base)] }),
  });

/** A question on runs, compared with the references of their untrained model. */
function inTraining(question: Question<CatData>, base: Base, runs: string, made: readonly string[]) {
  const rows = inferenceOf(base);
  return questionOnBase(question, base, {
    files: [runs, rows],
    commands: [inferenceCommands(base)[0], ...made],
    read: readOf({ rows: [rows], runs: [runs] }),
  });
}

const trains = (base: Base) =>
  inTraining(
    C2 as Question<CatData>,
    base,
    trainingOf(base),
    RUNS.map((one) => namedForBase(onModel(one), base)),
  );

function passes(base: Base) {
  const question = passing(passingOf(base), inferenceOf(base)) as Question<CatData>;
  return inTraining(question, base, passingOf(base), question.commands.map(onModel));
}

const lasts = (base: Base) =>
  questionOnBase(lasting(lastingOf(base)) as Question<CatData>, base, {
    files: [lastingOf(base)],
    commands: LASTING_RUNS.map(onModel),
    read: readOf({ runs: [lastingOf(base)] }),
  });

const chooses = (base: Base) =>
  questionOnBase(C14 as Question<CatData>, base, {
    files: [trainingOf(base), chosenOf(base)],
    commands: [...RUNS.slice(0, 1), ...CHOSEN_RUNS].map((one) => namedForBase(onModel(one), base)),
    read: readOf({ runs: [trainingOf(base), chosenOf(base)] }),
  });

const adapts = (base: Base) =>
  questionOnBase(
    {
      ...(C13 as Question<CatData>),
      caveat:
        'The rates are those of the first base’s pilot; there was none on this one, where the SVD adapter may do better at another: the last two figures have it at .03, as C2’s runs have. One environment.',
    },
    base,
    {
      files: [adaptersOf(base), inferenceOf(base), trainingOf(base)],
      commands: [inferenceCommands(base)[0], ...[...ADAPTER_RUNS, RUNS[0]].map(onModel)],
      read: readOf({ rows: [inferenceOf(base)], runs: [adaptersOf(base), trainingOf(base)] }),
    },
  );

const ASKED = ['C1', 'C3', 'C4', 'C5'];
const ON_SEEDS = OF_SEEDS.flatMap((base) => [
  ...INFERENCE.filter(({ id }) => ASKED.includes(id)).map((question) => atInference(question, base)),
  trains(base),
  passes(base),
  lasts(base),
  adapts(base),
  chooses(base),
]);

// C15.

const OWN = 'cat/readings.jsonl.gz';
const MENDED = 'cat/right-majority-readings.jsonl.gz';
/** Margin within which two bases follow the majority equally, and below which a base counts as following it. */
const MARGIN = 0.1;
const MIRRORED = /fewer|more/;
const asksForFewer = (row: InferenceRow) => templateIn(row).includes('fewer');
const readings = (rows: readonly InferenceRow[]) => rows.filter((row) => MIRRORED.test(templateIn(row)));

const against = correctnessDifference('synthesis', 'majority');
const right = (row: InferenceRow): number | null => correctness(row, SIZE, 'synthesis');

/** Difference, corrected − original base, on the same problems and sampling seeds. */
function mendedMinusOwn(first: readonly InferenceRow[], of: (row: InferenceRow) => number | null) {
  const own = new Map(first.map((row) => [`${row.seed} ${row.id}`, of(row)]));
  return (row: InferenceRow): number | null => {
    const [one, other] = [of(row), own.get(`${row.seed} ${row.id}`) ?? null];
    return one === null || other === null ? null : one - other;
  };
}

const NAMES = {
  rise: 'synthesis − majority, mended − as it was',
  mended: 'synthesis − majority, mended',
  own: 'synthesis − majority, as it was',
  fewer: '“fewer” in held-out templates, mended − as it was',
  right: 'right, mirrored readings, mended − as it was',
  all: 'right, all held-out, mended − as it was',
};
type Key = keyof typeof NAMES;

const C15: Question<CatData, Key> = {
  id: 'C15',
  title: 'Does a synthesis follow a right majority, if its training data do?',
  hypothesis:
    'Trained on syntheses in which most attempts read “more” and “fewer” rightly, the model follows the majority there: the loss against the majority goes.',
  falsified: `The rise against the majority lies within ± ${MARGIN}, or below 0.`,
  unit: 'templates',
  section: ELSEWHERE,
  files: [MENDED, OWN],
  commands: [
    `npm run lab -- pretrain ${RIGHT_MAJORITY.pretrain} --out BASE`,
    ...['', '--model BASE '].map(
      (model) =>
        `npm run lab -- synthesise ${model}--environment arithmetic --count 400 --group 8 --seeds 3 --estimators majority,self_bon,synthesis --out FILE`,
    ),
    `npm run research -- tables cat --rows public/results/${MENDED}`,
  ],
  caveat:
    'The attempts are each base’s own, so that the two majorities differ as well. One base of each kind; which data it learns syntheses from is all that differs in its training. No held-out template is in either’s data. Which reading a story has is known from the story, not from attempts: a majority is followed here because it is right more often than not, and where it is wrong the synthesis is wrong with it.',
  says: {
    holds: 'Where its data have a right majority, the synthesis follows it: the defect came from its training data.',
    'in part: the loss does not go':
      'With a right majority in its data the synthesis follows it more; that nothing is lost is not shown.',
    fails: 'With a right majority in its data the synthesis does not follow it more.',
    open: 'Whether the synthesis follows a right majority, if its data do, is open.',
  },
  names: NAMES,
  rule: {
    needs: [{ of: ['rise', 'mended'], least: 20, what: 'templates' }],
    cases: [
      { status: 'holds', when: { all: [above('rise'), { notBelow: 'mended', margin: MARGIN }] } },
      { status: 'in part', because: 'the loss does not go', when: above('rise') },
      { status: 'fails', when: { any: [{ within: 'rise', margin: MARGIN }, { below: 'rise' }] } },
      { status: 'open' },
    ],
  },
  show: two,
  line: ['rise', 'mended', 'own', 'fewer'],
  read: readOf({ rows: [MENDED], first: [OWN] }),
  estimates({ rows, first }) {
    const mirrored = readings(rows);
    const rise = templatesEstimate(NAMES.rise, mirrored, mendedMinusOwn(first, against));
    if (!rise) return null;
    return {
      rise,
      mended: templatesEstimate(NAMES.mended, mirrored, against),
      own: templatesEstimate(NAMES.own, readings(first), against),
      fewer: templatesEstimate(
        NAMES.fewer,
        mirrored.filter(isHeldOut).filter(asksForFewer),
        mendedMinusOwn(first, against),
      ),
      right: templatesEstimate(NAMES.right, mirrored, mendedMinusOwn(first, right)),
      all: templatesEstimate(NAMES.all, rows.filter(isHeldOut), mendedMinusOwn(first, right)),
    };
  },
  shown({ rows, first }, { verdict, figures }) {
    const kinds = [
      ['fewer', asksForFewer],
      ['more', (row: InferenceRow) => templateIn(row).includes('more')],
      ['all others', (row: InferenceRow) => !MIRRORED.test(templateIn(row))],
    ] as const;
    const share = (own: readonly InferenceRow[], estimator: string) =>
      mean(own.flatMap((row) => correctness(row, SIZE, estimator) ?? []));
    const table = [
      ...(['templates', 'params'] as const).flatMap((split) =>
        kinds.flatMap(([kind, is]) =>
          [['as it was', first] as const, ['mended', rows] as const].map(([base, all]) => {
            return { split, kind, base, own: all.filter((row) => row.split === split && is(row)) };
          }),
        ),
      ),
    ];
    return {
      tables: [
        tableOf(
          'Right at G = 8, by what the story says; means over problems and sampling seeds',
          table,
          [
            [
              'problems',
              ({ split, kind }) => `${split === 'templates' ? 'held-out templates' : 'unseen parameters'}, ${kind}`,
            ],
            ['base', ({ base }) => base],
            ['n', ({ own }) => String(new Set(own.map(({ id }) => id)).size)],
            ...(['single', 'majority', 'self_bon', 'synthesis'] as const).map(
              (one) => [one, ({ own }: (typeof table)[number]) => share(own, one)] as const,
            ),
          ],
          two,
        ),
      ],
      chart: dotChart('Against the majority, and between the two bases', 'difference, share right', figures, 'cat'),
      runs: () => [],
      inDocs: [`**C15: ${verdict.status}`, ...figures.map((figure) => intervalText(figure, two))],
    };
  },
};

export const ON_BASES: readonly Question<CatData>[] = [...ON_SEEDS, C15 as Question<CatData>, trains(RIGHT_MAJORITY)];
