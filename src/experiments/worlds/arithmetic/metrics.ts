// What the word problems measure, with what each figure does not show. The figures themselves are made in figures.ts.
import type { SplitId } from '../../../environments/arithmetic/split.ts';
import { KINDS, type Kind } from '../../../environments/arithmetic/types.ts';
import type { MetricInfo, SplitInfo } from '../metric.ts';

const share = { unit: 'share', range: [0, 1], measured: 'both' } as const;

const ERRORS: Readonly<Record<Kind, string>> = {
  plain: 'whose errors are slips',
  fact: 'in which pretraining mostly restated a fact wrongly, as a dozen of ten',
  reading: 'whose story pretraining mostly misread, as fewer for more',
};

const solveOfKind = (kind: Kind): MetricInfo => ({
  id: `solve:${kind}`,
  kind,
  label: `Solve: ${kind}`,
  about: `Answers with the right value to problems ${ERRORS[kind]}.`,
  ...share,
  better: 'higher',
  formula: `value = expected, share of answers to problems of kind ${kind}`,
  nullValue:
    kind === 'plain'
      ? 'The untrained base: about seven in ten (its manifest has the figure).'
      : 'The untrained base: about a quarter (its manifest has the figure).',
  notShown: 'Which of the kind’s templates are solved: a step has few problems of one kind.',
});

/** Of runs whose reward is agreement with a reference. */
const reference = (
  id: string,
  label: string,
  about: string,
  formula: string,
  rest: Partial<MetricInfo> = {},
): MetricInfo => ({
  ...{ id, label, about, formula, unit: 'share', range: [0, 1], better: 'neither', measured: 'training' },
  nullValue: 'The arm “random”.',
  notShown: 'Anything that a reward may use: the truth is measured beside it.',
  occasional: true,
  ...rest,
});

const DELTA: Partial<MetricInfo> = {
  unit: 'number',
  range: [-1, 1],
  better: 'higher',
  nullValue: '0: nothing left to learn.',
};
const DELTA_FORMULA = 'right references − right rollouts, as shares';

const REFERENCE_METRICS: readonly MetricInfo[] = [
  reference(
    'teacherDelta',
    'Teacher delta',
    'How much more often the reference is right than a rollout.',
    DELTA_FORMULA,
    DELTA,
  ),
  reference('referenceSolve', 'Right references', 'References with the right value.', 'share of groups'),
  reference(
    'rewardTrue',
    'True rewards',
    'Rewards that the truth would have given.',
    '1[agrees] = 1[right], share of rollouts',
  ),
  reference('deadGroups', 'Dead groups', 'Groups in which all rewards are equal.', 'share of groups'),
  reference('differs', 'Differs from majority', 'References that are not the majority’s answer.', 'share of groups'),
  reference(
    'differsRight',
    'Differs, right',
    'Of those that differ, the right references.',
    'share of groups that differ',
  ),
  reference(
    'differsMajority',
    'Differs, majority right',
    'Of those that differ, the right majorities.',
    'share of groups that differ',
  ),
  reference('allWrong', 'All wrong', 'Groups without a right rollout.', 'share of groups'),
  reference(
    'rescued',
    'All wrong, reference right',
    'Of those, the right references.',
    'share of groups without a right rollout',
  ),
  reference(
    'referenceTokens',
    'Reference tokens',
    'Read and written for the reference, for each rollout.',
    'tokens / rollouts',
    {
      unit: 'tokens',
      range: [0, null],
    },
  ),
  ...KINDS.map((kind) =>
    reference(`teacherDelta:${kind}`, `Teacher delta: ${kind}`, `Of problems ${ERRORS[kind]}.`, DELTA_FORMULA, {
      ...DELTA,
      kind,
    }),
  ),
];

export const ARITHMETIC_METRICS: readonly MetricInfo[] = [
  {
    id: 'solve',
    label: 'Solve',
    about: 'Answers whose last box has the right value. Higher is better.',
    ...share,
    better: 'higher',
    headline: true,
    brief: 'share of answers with the right value',
    of: 'all problems',
    words: { verb: 'solves', none: 'no problems: no delta' },
    formula: 'value of the last box = expected, exactly (1/2 = 0.5 = 2/4), share of all answers',
    nullValue: 'The untrained base’s rate.',
    notShown: 'That the working is right: it is not looked at.',
  },
  {
    id: 'misconception',
    label: 'Misconception',
    about: 'Answers with the one wrong value that their template’s misconception leads to. Lower is better.',
    ...share,
    better: 'lower',
    headline: true,
    brief: 'share of answers with their template’s own mistake',
    of: 'problems with a misconception',
    words: { verb: 'errs', none: 'no problems with a misconception: no delta' },
    formula: 'value = the misconception’s, share of answers to problems of the kinds fact and reading',
    nullValue:
      'The untrained base’s rate: about a third, more than it solves there, so that a majority of several answers is mostly wrong.',
    notShown: 'That the mistake was made for that reason: a slip may lead to the same value.',
  },
  {
    id: 'format',
    label: 'Format',
    about: 'Answers with a number in a box, right or not.',
    ...share,
    better: 'higher',
    formula: 'the last \\boxed{…} closes and holds an integer, a decimal or a fraction; share of all answers',
    nullValue: 'The untrained base’s rate, close to 1.',
    notShown: 'Anything about the value.',
  },
  ...KINDS.map(solveOfKind),
  ...REFERENCE_METRICS,
];

export const ARITHMETIC_REWARD = {
  about: 'Mean over the step: 1 for the right value, and 0.1 for a number in a box.',
  ticks: [0, 0.25, 0.5, 0.75, 1, 1.25],
} as const;

export const ARITHMETIC_SPLITS: readonly (SplitInfo & { id: SplitId })[] = [
  {
    id: 'templates',
    label: 'held-out templates',
    unseen: 'The sequence of steps is in no pretraining and no training; its steps are.',
  },
  { id: 'params', label: 'unseen parameters', unseen: 'The template is in training, with other numbers.' },
];
