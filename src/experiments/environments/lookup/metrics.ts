// What the questions with tools measure, with what each figure does not show. The figures themselves are made in figures.ts.
import type { SplitId } from '../../../environments/lookup/split.ts';
import { KINDS, type Kind, MOST_TURNS } from '../../../environments/lookup/types.ts';
import type { MetricInfo, SplitInfo } from '../metric.ts';

const share = { unit: 'share', range: [0, 1], measured: 'both' } as const;

const NEEDS: Readonly<Record<Kind, string>> = {
  look: 'that one fact answers',
  calc: 'that one sum answers',
  both: 'that need facts and a sum of them',
};

const solveOfKind = (kind: Kind): MetricInfo => ({
  id: `solve:${kind}`,
  kind,
  label: `Solve: ${kind}`,
  about: `Episodes with the right value of questions ${NEEDS[kind]}.`,
  ...share,
  better: 'higher',
  formula: `value = expected, share of episodes of questions of kind ${kind}`,
  nullValue: 'The untrained base’s rate (its manifest has the figure).',
  notShown: 'Which of the kind’s shapes are solved: a step has few questions of one kind.',
});

export const LOOKUP_METRICS: readonly MetricInfo[] = [
  {
    id: 'solve',
    label: 'Solve',
    about: 'Episodes whose answer has the right value. Higher is better.',
    ...share,
    better: 'higher',
    headline: true,
    brief: 'share of episodes with the right value',
    of: 'all questions',
    words: { verb: 'solves', none: 'no questions: no delta' },
    formula: 'value of the last turn’s last box = expected, exactly; share of all episodes',
    nullValue: 'The untrained base’s rate.',
    notShown: 'That the tools were asked: a value may be guessed, which seldom comes out right.',
  },
  {
    id: 'asked',
    label: 'Asked',
    about: 'Episodes in which a tool answered at least once.',
    ...share,
    better: 'higher',
    headline: true,
    brief: 'share of episodes in which a tool answered',
    of: 'all questions',
    words: { verb: 'asks', none: 'no questions: no delta' },
    formula: 'at least one turn is a well-formed CALC(…) or a LOOK(…) of a name that is known; share of all episodes',
    nullValue: 'The untrained base’s rate.',
    notShown: 'That it was the right thing to ask, or that all was asked that the question needs.',
  },
  {
    id: 'turns',
    label: 'Turns',
    about: 'Turns that the model took in an episode, its answer among them.',
    unit: 'number',
    range: [1, MOST_TURNS],
    better: 'neither',
    measured: 'both',
    formula: 'mean over episodes',
    nullValue: '1: everything is guessed. Right episodes take 2 to 4, by what their question needs.',
    notShown: 'Whether a turn was of use: refused calls count.',
  },
  {
    id: 'format',
    label: 'Format',
    about: 'Episodes that end with a number in a box, right or not.',
    ...share,
    better: 'higher',
    formula:
      'the last turn’s last \\boxed{…} closes and holds an integer, a decimal or a fraction; share of all episodes',
    nullValue: 'The untrained base’s rate, close to 1.',
    notShown: 'Anything about the value.',
  },
  ...KINDS.map(solveOfKind),
];

export const LOOKUP_REWARD = {
  about: 'Mean over the step: 1 for the right value, and 0.1 for a number in a box.',
  ticks: [0, 0.25, 0.5, 0.75, 1, 1.25],
} as const;

export const LOOKUP_SPLITS: readonly (SplitInfo & { id: SplitId })[] = [
  {
    id: 'shapes',
    label: 'held-out shapes',
    unseen:
      'What stands in which place, and the operators between, are in no pretraining and no training; each part is.',
  },
  {
    id: 'params',
    label: 'unseen names and numbers',
    unseen: 'The shape is in training, with other names, or (in sums without a name) with other numbers.',
  },
];
