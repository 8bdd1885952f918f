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
      ? 'The untrained base: about two in three (its manifest has the figure).'
      : 'The untrained base: about three in ten (its manifest has the figure).',
  notShown: 'Which of the kind’s templates are solved: a step has few problems of one kind.',
});

/** Of runs whose reward is agreement with a reference. */
const reference = (id: string, label: string, about: string, rest: Partial<MetricInfo> = {}): MetricInfo => ({
  ...{ id, label, about, ...share, better: 'neither', measured: 'training', occasional: true },
  formula: 'share of groups',
  nullValue: 'The arm “random”.',
  notShown: 'The reward.',
  ...rest,
});

const DELTA = {
  unit: 'number',
  range: [-1, 1],
  better: 'higher',
  formula: 'right references − right rollouts',
} as const satisfies Partial<MetricInfo>;

const REFERENCE_METRICS: readonly MetricInfo[] = [
  reference(
    'teacherDelta',
    'Teacher delta',
    'How much more often references are right; 0: nothing is left to learn.',
    DELTA,
  ),
  reference('rewardTrue', 'True rewards', 'Rewards as the truth would give them.', { formula: '1[agrees] = 1[right]' }),
  reference('differs', 'Not the majority', 'References that are not the majority’s answer.'),
  reference('differsRight', 'Not the majority, right', 'Of those, the right ones.'),
  reference('differsMajority', 'Not the majority, wrongly', 'Of those, the right majorities.'),
  reference('allWrong', 'All wrong', 'Groups without a right rollout.'),
  reference('rescued', 'All wrong, reference right', 'Of those, the right references.'),
  reference('referenceTokens', 'Reference tokens', 'Read and written for the reference, a rollout.', {
    unit: 'tokens',
    range: [0, null],
  }),
  ...KINDS.map((kind) =>
    reference(`teacherDelta:${kind}`, `Teacher delta: ${kind}`, `Of problems ${ERRORS[kind]}.`, { ...DELTA, kind }),
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
