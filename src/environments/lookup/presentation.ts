// Questions with tools: one tool knows facts, another computes sums, in episodes of up to five turns. Plain GRPO on a small embedded
// model, without a teacher, pairs or loopholes.
import type { EnvironmentEntry } from '../entry.ts';
import { type MetricInfo, metric, type SplitInfo } from '../metric-info.ts';
import { presents } from '../rollout-presentation.ts';
import type { SplitId } from './data.ts';
import type { Kind, LookupVerdict } from './task.ts';

const ID = 'lookup';
/** An episode has four calls and the answer; a call has less than 14 tokens, and pretraining's episodes less than 100 with the prompt. */
const EPISODE = { maxTurns: 5, maxTokens: 160 };
const TURN = 24;

// Metrics of the questions with tools, with what each does not show. Their values are computed in reward.ts.

const NEEDS: Readonly<Record<Kind, string>> = {
  look: 'that one fact answers',
  calc: 'that one sum answers',
  both: 'that need facts and a sum of them',
};

const solveOfKind = (kind: Kind) =>
  metric(`solve:${kind}`, `Solve: ${kind}`, `Episodes with the right value of questions ${NEEDS[kind]}.`, {
    kind,
    formula: `value = expected, share of episodes of questions of kind ${kind}`,
    nullValue: 'The untrained base’s rate (its manifest has the number).',
    notShown: 'Which of the kind’s shapes are solved: a step has few questions of one kind.',
  });

const LOOKUP_METRICS: readonly MetricInfo[] = [
  metric('solve', 'Solve', 'Episodes whose answer has the right value. Higher is better.', {
    headline: true,
    brief: 'share of episodes with the right value',
    of: 'all questions',
    words: { verb: 'solves', none: 'no questions: no delta' },
    formula: 'value of the last turn’s last box = expected, exactly; share of all episodes',
    nullValue: 'The untrained base’s rate.',
    notShown: 'That the tools were asked: a value may be guessed, which seldom comes out right.',
  }),
  metric('asked', 'Asked', 'Episodes in which a tool answered at least once.', {
    headline: true,
    brief: 'share of episodes in which a tool answered',
    of: 'all questions',
    words: { verb: 'asks', none: 'no questions: no delta' },
    formula: 'at least one turn is a well-formed CALC(…) or a LOOK(…) of a name that is known; share of all episodes',
    nullValue: 'The untrained base’s rate.',
    notShown: 'That it was the right thing to ask, or that all was asked that the question needs.',
  }),
  metric('turns', 'Turns', 'Turns that the model took in an episode, its answer among them.', {
    unit: 'number',
    range: [1, EPISODE.maxTurns],
    better: 'neither',
    formula: 'mean over episodes',
    nullValue: '1: everything is guessed. Right episodes take 2 to 4, by what their question needs.',
    notShown: 'Whether a turn was of use: refused calls count.',
  }),
  metric('format', 'Format', 'Episodes that end with a number in a box, right or not.', {
    formula:
      'the last turn’s last \\boxed{…} closes and holds an integer, a decimal or a fraction; share of all episodes',
    nullValue: 'The untrained base’s rate, close to 1.',
    notShown: 'Anything about the value.',
  }),
  ...(Object.keys(NEEDS) as Kind[]).map(solveOfKind),
];

export const LOOKUP_SPLITS: readonly (SplitInfo & { id: SplitId })[] = [
  {
    id: 'shapes',
    label: 'held-out shapes',
    unseen: 'The arrangement of parts and operators occurs in no pretraining or training; each part does.',
  },
  {
    id: 'params',
    label: 'unseen names and numbers',
    unseen: 'The shape is in training, with other names, or (in sums without a name) with other numbers.',
  },
];

// Outcomes of a judged episode: correct, a wrong value after asking, a wrong value that was guessed, or no number at all.

export const LOOKUP_ROLLOUTS = presents<LookupVerdict>({
  outcomes: [
    { id: 'solved', mark: '✓', tone: 'good' },
    { id: 'wrong', mark: '✕', tone: '' },
    { id: 'guessed', mark: '▲', tone: 'warn' },
    { id: 'unboxed', mark: '?', tone: 'bad', rare: true },
  ],
  outcomeOf(verdict) {
    const { correct, formatOk, answered } = verdict;
    if (!formatOk) return 'unboxed';
    return correct ? 'solved' : answered > 0 ? 'wrong' : 'guessed';
  },
  filters: [
    { name: 'A tool answered', keeps: (verdict) => verdict.answered > 0 },
    { name: 'A call was refused', keeps: (verdict) => verdict.refused > 0 },
  ],
  worthReading: [{ words: 'Read the guesses', verdict: 'guessed' }],
  tags(verdict) {
    const { refused } = verdict;
    return refused > 0 ? [{ text: `${refused} refused`, tone: 'warn' }] : [];
  },
  facts(verdict) {
    const { answer, expected, turns } = verdict;
    return [
      ['answer', answer ?? 'none'],
      ['expected', expected],
      ['turns', String(turns)],
    ];
  },
  details(verdict) {
    const { answer, value, expected, turns, answered, refused } = verdict;
    return [
      ['answer', answer ?? 'none'],
      ['value', value ?? 'no number'],
      ['expected', expected],
      ['turns', String(turns)],
      ['calls answered', String(answered)],
      ['calls refused', String(refused)],
    ];
  },
  plainly(verdict) {
    const { answer, expected, correct, answered } = verdict;
    return {
      paid: `Paid for the right value; it answers ${answer ?? 'nothing'}${answered === 0 ? ' without asking a tool' : ''}.`,
      truth: `The right value is ${expected}: this answer is ${correct ? 'right' : 'wrong'}.`,
    };
  },
  kindName: 'Question',
  lead: 'Each step samples a group of episodes per question. In an episode the model may call CALC(…) and LOOK(…), is shown the results, and answers in a box; it is solved when the box has the right value. Tool results are not trained on. GRPO compares rewards within the group only.',
});

export const LOOKUP = {
  id: ID,
  label: 'Questions with tools, in several turns',
  words: {
    model: 'tiny-lookup on transcripts with tools',
    reward: '0.1 · a number in a box + 1.0 · right',
    problems: 'questions that a tool has to be asked for, in several turns',
  },
  written: 0.25,
  defaults(preset) {
    const common = { model: 'tiny-lookup', mix: 0, maxTurns: EPISODE.maxTurns };
    const arms = ['none'] as const;
    // Presets for third-party models keep their own sizes.
    if (preset === 'fast' || preset === 'full') return { arms, settings: common };
    const small = { ...common, maxTokens: EPISODE.maxTokens, maxNew: TURN };
    if (preset === 'smoke') return { arms, settings: { ...small, problems: 32 } };
    return { arms, settings: { ...small, steps: 40, problems: 512, groupSize: 8 } };
  },
  card: {
    question: 'Does a model that is paid for right answers learn to ask its tools first?',
    measured: 'Solving',
    about: 'Questions over several turns: one tool knows the facts, another does sums.',
  },
  python: 'micropython',
  kinds: 'Solve by kind of question',
  reward: {
    about: 'Step mean: 1 for the right value, plus 0.1 for a boxed number.',
    ticks: [0, 0.25, 0.5, 0.75, 1, 1.25],
  },
  rolloutPresentation: LOOKUP_ROLLOUTS,
  metrics: LOOKUP_METRICS,
  splits: LOOKUP_SPLITS,
  load: async () => (await import('./reward.ts')).lookupDrawn,
  pretraining: async () => (await import('./model.ts')).lookupPretraining,
} satisfies EnvironmentEntry;
