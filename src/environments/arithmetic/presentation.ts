// The environment of word problems with one to three steps, answered by a number in a box. It has its own small model and labelled pairs on the
// misconception, but no teacher and no flaw to exploit.

import { choice, type OptionGroup } from '../../lib/option.ts';
import { ESTIMATORS } from '../cat/types.ts';
import type { EnvironmentEntry } from '../entry.ts';
import { type MetricInfo, metric, metricsWith, type SplitInfo } from '../metric-info.ts';
import { type Fact, presents } from '../rollout-presentation.ts';
import type { SplitId } from './data.ts';
import type { ArithmeticVerdict, Kind, ReferredVerdict } from './task.ts';

const ID = 'arithmetic';
/** The model whose syntheses have a correct majority for mirrored readings; not embedded. */
export const RIGHT_MAJORITY = 'arithmetic:right-majority';
/** The model that was also trained to name a correct attempt; not embedded. */
export const CHOOSING = 'arithmetic:choosing';
/** Token limit of an answer, slightly above the longest answer of 48 tokens. */
const ANSWER_TOKENS = 52;

// The environment's own setting: the reference that an answer is rewarded for matching.
export const ARITHMETIC_OPTIONS = {
  heading: 'Problems',
  role: 'intervention',
  needs: 'references',
  options: {
    reference: choice(['truth', ...ESTIMATORS], {
      default: 'truth',
      label: 'Reference',
      help: 'What an answer must agree with to be paid.',
      helpMore:
        'self_bon: the attempt that the untrained model finds likeliest. self_choice: the one that it names when asked; only a base of arithmetic:choosing was taught to.',
      glossary: 'reference',
    }),
  },
  concepts: {
    reference: {
      title: 'Reference',
      meaning: 'The answer that a rollout must agree with to be paid.',
      formula: 'R = 1[answer = reference]; with the truth, the environment’s own reward',
      range: 'the truth, or a way to make a reference of the group',
      nullValue: 'random: an answer of the group by chance. one: a single answer.',
      notShown: 'That the reference is right.',
    },
  },
} satisfies OptionGroup;

// Metrics of the word problems, each with what it does not show; reward.ts computes them.

const ERRORS: Readonly<Record<Kind, string>> = {
  plain: 'whose errors are slips',
  fact: 'whose fact pretraining mostly misstated, such as a dozen as 10',
  reading: 'whose story pretraining mostly misread, as fewer for more',
};

const solveOfKind = (kind: Kind) =>
  metric(`solve:${kind}`, `Solve: ${kind}`, `Answers with the right value to problems ${ERRORS[kind]}.`, {
    kind,
    formula: `value = expected, share of answers to problems of kind ${kind}`,
    nullValue:
      kind === 'plain'
        ? 'The untrained base: about two in three (its manifest has the number).'
        : 'The untrained base: about three in ten (its manifest has the number).',
    notShown: 'Which of the kind’s templates are solved: a step has few problems of one kind.',
  });

/** Metrics of runs whose reward is agreement with a reference. */
const reference = metricsWith({
  better: 'neither',
  measured: 'training',
  occasional: true,
  formula: 'share of groups',
  nullValue: 'The arm “random”.',
  notShown: 'The reward.',
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
  reference('differs', 'Overrides the majority', 'References that are not the majority’s answer.'),
  reference('differsRight', 'Overrides the majority, right', 'Of those, the share that is right.'),
  reference('differsMajority', 'Overrides a right majority', 'Of those, the share whose majority was right.'),
  reference('allWrong', 'All wrong', 'Groups without a right rollout.'),
  reference('rescued', 'All wrong, reference right', 'Of those, the right references.'),
  reference('referenceTokens', 'Reference tokens', 'Tokens read and written for the reference, for each rollout.', {
    unit: 'tokens',
    range: [0, null],
  }),
  ...(Object.keys(ERRORS) as Kind[]).map((kind) =>
    reference(`teacherDelta:${kind}`, `Teacher delta: ${kind}`, `Of problems ${ERRORS[kind]}.`, { ...DELTA, kind }),
  ),
];

const ARITHMETIC_METRICS: readonly MetricInfo[] = [
  metric('solve', 'Solve', 'Answers whose last box has the right value. Higher is better.', {
    headline: true,
    brief: 'share of answers with the right value',
    of: 'all problems',
    words: { verb: 'solves', none: 'no problems: no delta' },
    formula: 'value of the last box = expected, exactly (1/2 = 0.5 = 2/4), share of all answers',
    nullValue: 'The untrained base’s rate.',
    notShown: 'That the working is right: it is not looked at.',
  }),
  metric(
    'misconception',
    'Misconception',
    'Answers with the one wrong value that their template’s misconception leads to. Lower is better.',
    {
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
  ),
  metric('format', 'Format', 'Answers with a number in a box, right or not.', {
    formula: 'the last \\boxed{…} closes and holds an integer, a decimal or a fraction; share of all answers',
    nullValue: 'The untrained base’s rate, close to 1.',
    notShown: 'Anything about the value.',
  }),
  ...(Object.keys(ERRORS) as Kind[]).map(solveOfKind),
  ...REFERENCE_METRICS,
];

export const ARITHMETIC_SPLITS: readonly (SplitInfo & { id: SplitId })[] = [
  {
    id: 'templates',
    label: 'held-out templates',
    unseen: 'The sequence of steps is in no pretraining and no training; its steps are.',
  },
  { id: 'params', label: 'unseen parameters', unseen: 'The template is in training, with other numbers.' },
];

// Outcomes of a judged answer: correct, the template's own mistake, another wrong value, or no number.

/** Whether the reward was agreement with a reference instead of the truth. */
const isReferred = (verdict: ArithmeticVerdict): verdict is ReferredVerdict => 'reference' in verdict;

/** Facts about the reference of an answer; empty if the reward was the truth. */
function referenceFacts(verdict: ArithmeticVerdict): Fact[] {
  if (!isReferred(verdict)) return [];
  const { reference, agrees, referenceCorrect, majority, majorityCorrect } = verdict;
  const judgedText = (value: string | null, isRight: boolean) => `${value ?? 'none'} (${isRight ? 'right' : 'wrong'})`;
  return [
    ['reference', judgedText(reference, referenceCorrect)],
    ['agrees', agrees ? 'yes' : 'no'],
    ['majority', judgedText(majority, majorityCorrect)],
  ];
}

/** An exact value as answers write it: 13/2 as 6.5, and 1/3 as 1/3. */
function asWritten(value: string): string {
  const [, above, below] = /^(-?\d+)\/(\d+)$/.exec(value) ?? [];
  const decimal = String(Number(above) / Number(below));
  return below !== undefined && decimal.length <= EXACT ? decimal : value;
}
/** Most characters of a decimal; longer ones stay fractions. */
const EXACT = 10;

export const ARITHMETIC_ROLLOUTS = presents<ArithmeticVerdict>({
  outcomes: [
    { id: 'solved', mark: '✓', tone: 'good' },
    { id: 'misconception', mark: '▲', tone: 'warn' },
    { id: 'wrong', mark: '✕', tone: '' },
    { id: 'unboxed', mark: '?', tone: 'bad', rare: true },
  ],
  outcomeOf(verdict) {
    const { correct, misconception, formatOk } = verdict;
    if (!formatOk) return 'unboxed';
    return correct ? 'solved' : misconception ? 'misconception' : 'wrong';
  },
  filters: [
    {
      name: 'only the vote was wrong',
      keeps: (verdict) => isReferred(verdict) && verdict.referenceCorrect && !verdict.majorityCorrect,
    },
    { name: 'voted', keeps: (verdict) => isReferred(verdict) && verdict.majority !== null },
  ],
  worthReading: [
    { words: 'Read what the vote got wrong', verdict: 'only the vote was wrong' },
    { words: 'Read what was voted', verdict: 'voted' },
    { words: 'Read the misconceptions', verdict: 'misconception' },
  ],
  facts(verdict) {
    const { answer, expected } = verdict;
    return [['answer', answer ?? 'none'], ['expected', expected], ...referenceFacts(verdict).slice(0, 2)];
  },
  details(verdict) {
    const { answer, value, expected, misconception } = verdict;
    return [
      ['answer', answer ?? 'none'],
      ['value', value ?? 'no number'],
      ['expected', expected],
      ['the template’s mistake', misconception ? 'yes' : 'no'],
      ...referenceFacts(verdict),
    ];
  },
  plainly(verdict) {
    const { answer, expected, correct } = verdict;
    const truth = `The right value is ${asWritten(expected)}: this answer is ${correct ? 'right' : 'wrong'}.`;
    if (!isReferred(verdict))
      return { paid: `Paid for the right value; this answer says ${answer ?? 'nothing'}.`, truth };
    const { reference, referenceCorrect, agrees, majority, majorityCorrect } = verdict;
    const whichIs = (isRight: boolean) => `which is ${isRight ? 'right' : 'wrong'}`;
    const text = reference === null ? 'nothing' : `${asWritten(reference)}, ${whichIs(referenceCorrect)}`;
    const vote =
      majority === null || majority === reference
        ? ''
        : ` The vote says ${asWritten(majority)}, ${whichIs(majorityCorrect)}.`;
    return {
      paid: `The reference says ${text}; this answer ${agrees ? 'agrees' : 'differs'}.`,
      truth: `${truth}${vote}`,
    };
  },
  comparedWith(verdict) {
    const text = isReferred(verdict) && !verdict.agrees ? verdict.referenceText : null;
    return text ? { title: 'What the reference wrote', text } : null;
  },
  kindName: 'Template',
  lead: 'Each step samples a group of answers per problem. An answer is solved when its last box has the right value; a misconception when it has the one wrong value that pretraining mostly gave. GRPO compares rewards within the group only.',
});

export const ARITHMETIC = {
  id: ID,
  label: 'Word problems of one to three steps',
  words: {
    model: 'tiny-arithmetic on word problems',
    reward: '0.1 · a number in a box + 1.0 · right',
    problems: 'word problems of one to three steps',
  },
  pairSets: ['misconceive', 'misconceive_slips', 'misconceive_words'],
  references: true,
  improves: true,
  defaults(preset) {
    const common = { model: 'tiny-arithmetic', mix: 0 };
    const arms = ['none'] as const;
    // Presets for third-party models keep their own sizes.
    if (preset === 'fast' || preset === 'full') return { arms, settings: common };
    if (preset === 'smoke') return { arms, settings: { ...common, maxNew: ANSWER_TOKENS, problems: 32 } };
    // Vanilla, with labels, is the upper bound; the two other arms learn without labels.
    const compared = ['none', 'cat', 'ttrl'] as const;
    return { arms: compared, settings: { ...common, steps: 40, maxNew: ANSWER_TOKENS, problems: 512 } };
  },
  card: {
    question: 'Can a model learn from its own attempts?',
    measured: 'Solving',
    about: 'Word problems. CaT and TTRL are paid for agreement, vanilla for right answers.',
  },
  python: 'micropython',
  kinds: 'Solve by kind of template',
  reward: {
    about: 'Step mean: 1 for the right value, plus 0.1 for a boxed number.',
    ticks: [0, 0.25, 0.5, 0.75, 1, 1.25],
  },
  rolloutPresentation: ARITHMETIC_ROLLOUTS,
  metrics: ARITHMETIC_METRICS,
  splits: ARITHMETIC_SPLITS,
  options: ARITHMETIC_OPTIONS,
  load: async () => (await import('./reward.ts')).arithmeticDrawn,
  replicates: [RIGHT_MAJORITY, CHOOSING],
  async pretraining(environment) {
    const { arithmeticPretraining, choosingPretraining, rightMajorityPretraining } = await import('./model.ts');
    if (environment === CHOOSING) return choosingPretraining;
    return environment === RIGHT_MAJORITY ? rightMajorityPretraining : arithmeticPretraining;
  },
} satisfies EnvironmentEntry;
