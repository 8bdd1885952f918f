// C9 to C11 and C14: other group sizes, a KL penalty towards the anchor, finetuning on references, and the reward for agreeing with the
// attempt that the anchor finds likeliest. The unit is the seed; a variant is compared with the plain runs of `cat` (groups of eight, no
// penalty) of the same seeds. Tables: docs/lab-book/cat.md.

import { experimentOf } from '../../../src/experiments/config/experiment-of.ts';
import type { Estimate } from '../../../src/experiments/judge/estimate.ts';
import { intervalText } from '../../../src/experiments/judge/estimate.ts';
import type { Table } from '../../../src/experiments/judge/figures.ts';
import { above, below, type Rule } from '../../../src/experiments/judge/rule.ts';
import { tableOf } from '../../../src/experiments/judge/table.ts';
import type { RunRecord } from '../../../src/experiments/records/events.ts';
import { dotChart, meanAndInterval, seedsEstimate } from '../../judge/estimates.ts';
import type { Question } from '../../judge/question.ts';
import type { LabRun } from '../../judge/types.ts';
import { type CatData, readOf } from './data.ts';
import { finalBySeed, variantOf } from './runs.ts';

const FILE = 'cat/variants.json.gz';
const CHOSEN_FILE = 'cat/self-chosen.json.gz';
const PLAIN_FILE = 'cat/training-2.json.gz';
const SIZES = [2, 4, 8, 16];
const PLAIN = 'G 8';

const ofVariants = (runs: readonly RunRecord[], wanted: (name: string) => boolean) =>
  runs.flatMap((run) => {
    const name = variantOf(run);
    return name !== null && wanted(name) ? [{ name, run }] : [];
  });

function finals(runs: readonly RunRecord[], wanted: (name: string) => boolean): Table {
  const names = [...new Set(ofVariants(runs, wanted).map(({ name }) => name))];
  const variants = names.map((name) => ({ name, values: [...finalBySeed(runs, name, 'solve').values()] }));
  return tableOf('Solve of the final evaluation, means over seeds [95 %]', variants, [
    ['variant', ({ name }) => name],
    ['n', ({ values }) => String(values.length)],
    ['solve', ({ values }) => meanAndInterval(values)],
  ]);
}

/** Difference in solve of two variants, by the seeds that both have; absent if there is none. */
function difference(runs: readonly RunRecord[], one: string, other: string): Estimate | undefined {
  const against = finalBySeed(runs, other, 'solve');
  const pairs = [...finalBySeed(runs, one, 'solve')].flatMap(([seed, value]) => {
    const beside = against.get(seed);
    return beside === undefined ? [] : [[seed, value - beside] as const];
  });
  // If a variant has fewer seeds than the plain runs, the published sheet numbers the units instead of naming the seeds.
  const seeds = pairs.length === finalBySeed(runs, PLAIN, 'solve').size ? pairs.map(([seed]) => seed) : [];
  const values = pairs.map(([, value]) => value);
  return pairs.length > 0 ? seedsEstimate(`solve, ${one} − ${other}`, seeds, values) : undefined;
}

const COMMON = { unit: 'training seeds', section: 'Variants of the training', files: [PLAIN_FILE, FILE] };
const PLAIN_SET = '--steps 30 --set evalEvery=0 --set finalEvalProblems=400 --set checkpointEvery=0 --json FILE';
const trainingCommands = (...arms: readonly string[]) => [
  ...arms.map((arm) => `npm run lab -- run --environment arithmetic --arms ${arm} --seeds 41,42,43 ${PLAIN_SET}`),
  `npm run research -- tables cat --runs public/results/${PLAIN_FILE},public/results/${FILE}`,
];

export const CHOSEN_RUNS = [
  `npm run lab -- run --environment arithmetic --arms self_bon --seeds 41,42,43,44,45 ${PLAIN_SET}`,
  `npm run research -- tables cat --runs public/results/${PLAIN_FILE},public/results/${CHOSEN_FILE}`,
];

/** The side of 0 on which the first difference is expected. */
const expectedSide = (side: 'above' | 'below'): Rule<'first'> => ({
  cases: [
    { status: 'holds', when: side === 'above' ? above('first') : below('first') },
    { status: 'fails', when: side === 'above' ? below('first') : above('first') },
    { status: 'open' },
  ],
});

/** Reads the runs, and shows the requested ones. */
const variantComparison = (
  id: string,
  arm: string,
  wanted: (name: string) => boolean,
  file = FILE,
): Pick<Question<CatData>, 'read' | 'shown'> => ({
  read: readOf({ runs: [PLAIN_FILE, file] }),
  shown: ({ runs }, { verdict, figures }) => ({
    tables: [finals(runs, wanted)],
    chart: dotChart('Difference in solve', 'difference in solve', figures, arm),
    runs: () =>
      ofVariants(runs, wanted).map(({ name, run }): LabRun => {
        return { group: name, name: `seed ${run.spec.seed}`, spec: experimentOf(run.spec), record: run };
      }),
    inDocs: [`**${id}: ${verdict.status}.**`, ...figures.map((figure) => intervalText(figure))],
  }),
});

const C9: Question<CatData, 'first' | 'four' | 'eight' | 'sixteen'> = {
  id: 'C9',
  title: 'Larger groups in training, at equal rollouts',
  hypothesis:
    'With 64 rollouts a step, groups of eight end truer than groups of two; sixteen are no better than eight.',
  falsified: 'Groups of two end truer.',
  names: {
    first: 'solve, G 8 − G 2',
    four: 'solve, G 4 − G 2',
    eight: 'solve, G 8 − G 4',
    sixteen: 'solve, G 16 − G 8',
  },
  rule: expectedSide('above'),
  ...COMMON,
  commands: trainingCommands(...[2, 16].map((size) => `cat --set groupSize=${size} --set promptsPerStep=${64 / size}`)),
  says: {
    holds: 'Groups of eight end truer than groups of two, at equal rollouts.',
    fails: 'Groups of two end truer than groups of eight, at equal rollouts.',
    open: 'Whether larger groups end truer is open.',
  },
  caveat:
    'At equal rollouts a larger group sees fewer problems: both change at once, and cost of synthesis is not counted.',
  estimates({ runs }) {
    const of = (one: number, other: number) => difference(runs, `G ${one}`, `G ${other}`);
    const first = of(8, 2);
    return first ? { first, four: of(4, 2), eight: of(8, 4), sixteen: of(16, 8) } : null;
  },
  ...variantComparison('C9', 'cat', (name) => SIZES.some((size) => name === `G ${size}`)),
};

const C10: Question<CatData, 'first' | 'weaker'> = {
  id: 'C10',
  title: 'A pull towards the anchor',
  hypothesis: 'It costs what is learnt: solve ends lower than without.',
  falsified: 'Solve ends higher.',
  names: { first: 'solve, with the strongest pull − without', weaker: 'solve, with a weaker pull − without' },
  rule: expectedSide('below'),
  ...COMMON,
  commands: trainingCommands('cat --set klBeta=0.1'),
  says: {
    holds: 'A pull towards the anchor costs what is learnt.',
    fails: 'A pull towards the anchor does not cost: solve ends higher.',
    open: 'Whether a pull towards the anchor costs is open.',
  },
  caveat: 'One strength is judged, at thirty steps: what a pull is for, longer runs, is not asked.',
  estimates({ runs }) {
    const pulls = [...new Set(runs.map(variantOf))].filter((name) => name?.startsWith('KL ')) as string[];
    const [first, weaker] = pulls
      .sort()
      .reverse()
      .flatMap((name) => difference(runs, name, PLAIN) ?? []);
    return first ? { first, weaker } : null;
  },
  ...variantComparison('C10', 'cat', (name) => name === PLAIN || name.startsWith('KL ')),
};

const C11: Question<CatData, 'first'> = {
  id: 'C11',
  title: 'Finetuning on references instead of paying for agreement',
  hypothesis:
    'In as many steps it ends lower: it learns from one text a group, and from the wrong ones as from the right ones.',
  falsified: 'It ends higher.',
  names: { first: 'solve, finetuned − paid' },
  rule: expectedSide('below'),
  ...COMMON,
  commands: trainingCommands('cat_sft'),
  says: {
    holds: 'Finetuning on references ends lower than being paid for agreeing with them.',
    fails: 'Finetuning on references ends higher than being paid for agreeing with them.',
    open: 'Whether finetuning on references ends lower is open.',
  },
  caveat: 'At the same rate and as many steps, not at the best rate of each: at this one a run in three broke.',
  estimates({ runs }) {
    const first = difference(runs, 'finetuned', PLAIN);
    return first ? { first } : null;
  },
  ...variantComparison('C11', 'cat_sft', (name) => name === PLAIN || name === 'finetuned'),
};

/** Margin within which two rewards count as equal. */
export const ALIKE = 0.03;
const SEEDS = 5;

/** Whether the first of two rewards is the better one. `because`: reason given if it is not. */
export const betterReward = (because: string): Rule<'first'> => ({
  needs: [{ of: ['first'], least: SEEDS, what: 'training seeds' }],
  cases: [
    { status: 'holds', when: above('first') },
    { status: 'fails', because, when: below('first') },
    { status: 'fails', because: 'they end alike', when: { within: 'first', margin: ALIKE } },
    { status: 'open' },
  ],
});

export const C14: Question<CatData, 'first'> = {
  id: 'C14',
  title: 'Is the synthesis a better reward than the attempt that the anchor finds likeliest?',
  hypothesis:
    'Paid for agreeing with the synthesis, the policy ends higher than paid for agreeing with one of its own attempts, the one that the same anchor finds likeliest (`self_bon`).',
  falsified: `It ends lower, or its difference includes 0 and lies within ± ${ALIKE}.`,
  names: { first: 'solve, G 8 − self-chosen' },
  rule: betterReward('the chosen attempt is the better reward'),
  ...COMMON,
  files: [PLAIN_FILE, CHOSEN_FILE],
  commands: CHOSEN_RUNS,
  says: {
    holds: 'Paid by the synthesis, the policy ends higher than paid by the attempt that the anchor finds likeliest.',
    'fails: the chosen attempt is the better reward':
      'Paid by the attempt that the anchor finds likeliest, the policy ends higher than paid by the synthesis.',
    'fails: they end alike':
      'Paid by the synthesis or by the attempt that the anchor finds likeliest, the policy ends alike.',
    open: 'Whether the synthesis is a better reward than the attempt that the anchor finds likeliest is open.',
  },
  caveat:
    'The likelihood is that of an anchor trained to write syntheses, not of a model that is asked in words which attempt is best, as in the paper. One base, one environment, one rate.',
  estimates({ runs }) {
    const first = difference(runs, PLAIN, 'self-chosen');
    return first ? { first } : null;
  },
  ...variantComparison('C14', 'self_bon', (name) => name === PLAIN || name === 'self-chosen', CHOSEN_FILE),
};

export const VARIANTS: readonly Question<CatData>[] = [C9, C10, C11, C14];
