// Chain puzzles: digits with relations, some hidden until an answer breaks them. Plain GRPO or ExIt on a small embedded model, without a
// teacher or loopholes.

import { percent } from '../../lib/numbers.ts';
import type { EnvironmentEntry } from '../entry.ts';
import { KS } from '../exit/types.ts';
import { type MetricInfo, metricsWith, type Profile, type SplitInfo } from '../metric-info.ts';
import { type Fact, presents } from '../rollout-presentation.ts';
import type { ChainVerdict } from './task.ts';

const ID = 'chain';
/** An answer has seven digits and the end token. */
const ANSWER = 8;

// Metrics of the chain puzzles. Their values are computed in reward.ts, and those of chains of revisions in experiments/exit.

const metric = metricsWith({
  formula: 'mean',
  nullValue: 'The untrained base.',
  notShown: 'Other puzzles.',
  occasional: true,
});
const ofChains = { measured: 'evaluation', undrawn: true } as const;

const CHAIN_METRICS: readonly MetricInfo[] = [
  metric('quality', 'Quality', 'Relations that first answers satisfy (K = 0).', {
    headline: true,
    brief: 'relations satisfied at once',
    of: 'all relations',
    occasional: false,
    words: { verb: 'satisfies', none: 'no puzzles: no delta' },
  }),
  ...KS.slice(1).map((k) =>
    metric(`q${k}`, `Quality, K = ${k}`, `Relations that the last answer satisfies after ${k} revisions.`, {
      ...ofChains,
      ...(k === KS[KS.length - 1]
        ? { headline: true, brief: `after ${k} revisions`, words: { verb: 'reaches', none: 'no puzzles: no delta' } }
        : {}),
    }),
  ),
  metric('solve', 'Solve', 'First answers that satisfy all relations.', { occasional: false }),
  metric('format', 'Format', 'Answers that are a row of digits.', { occasional: false }),
  metric('revised', 'Revisions', 'Share of rollouts that revise an answer.', {
    better: 'neither',
    measured: 'training',
  }),
  metric('depth', 'Depth', 'How many answers came before a revision.', {
    unit: 'number',
    range: [0, null],
    better: 'neither',
    measured: 'training',
  }),
  metric('fixed', 'Fixed', 'Revisions that solve the puzzle.', { measured: 'training' }),
  metric('worse', 'Worse', 'Revisions that lose quality.', { measured: 'training', better: 'lower' }),
  metric('fixRate', 'Fix rate', 'Unsolved answers that a step solves.', ofChains),
  metric('breakRate', 'Break rate', 'Solved answers that a step breaks.', { ...ofChains, better: 'lower' }),
];

const CHAIN_PROFILES: readonly Profile[] = [
  {
    id: 'q',
    title: 'Quality over revisions',
    along: 'revisions, K',
    about: 'The last answer after K revisions.',
    points: KS.map((k) => ({ x: k, metric: k === 0 ? 'quality' : `q${k}` })),
  },
];

export const CHAIN_SPLITS: readonly (SplitInfo & { id: 'prompts' })[] = [
  { id: 'prompts', label: 'unseen prompts', unseen: 'Prompts that are in no training.' },
];

// Outcomes of a judged answer: solved, better or worse than its draft, wrong, or not a row of digits.

const facts = (verdict: ChainVerdict): Fact[] => {
  const { answer, quality, before, depth } = verdict;
  const shares =
    before === null
      ? []
      : ([
          ['draft', before.toFixed(2)],
          ['depth', String(depth)],
        ] as const);
  return [['answer', answer ?? 'none'], ['quality', quality.toFixed(2)], ...shares];
};

export const CHAIN_ROLLOUTS = presents<ChainVerdict>({
  outcomes: [
    { id: 'solved', mark: '✓', tone: 'good' },
    { id: 'better', mark: '▲', tone: '' },
    { id: 'wrong', mark: '✕', tone: '' },
    { id: 'worse', mark: '▼', tone: 'warn' },
    { id: 'malformed', mark: '?', tone: 'bad', rare: true },
  ],
  outcomeOf(verdict) {
    const { formatOk, correct, quality, before } = verdict;
    if (!formatOk) return 'malformed';
    if (correct) return 'solved';
    if (before === null || before === quality) return 'wrong';
    return quality > before ? 'better' : 'worse';
  },
  worthReading: [{ words: 'Read what got better', verdict: 'better' }],
  facts,
  plainly(verdict) {
    const { quality, before, correct } = verdict;
    return {
      paid: `It meets ${percent(quality, 0)} of the puzzle’s relations${before === null ? '' : `; the draft that it was given met ${percent(before, 0)}`}.`,
      truth: correct ? 'The puzzle is solved.' : 'The puzzle is not solved yet.',
    };
  },
  kindName: 'Kind',
  lead: 'Each step samples a group of answers for each puzzle, or for each answer that is revised. GRPO compares rewards within the group only.',
});

export const CHAIN = {
  id: ID,
  label: 'Chain puzzles, improved step by step',
  words: {
    model: 'tiny-chain on puzzles',
    reward: 'share of relations, or what a revision gained',
    problems: 'digits by hidden relations',
  },
  pairSets: ['sandbag'],
  improves: true,
  answersEvaluated: 1 + Math.max(...KS),
  written: 1,
  defaults(preset) {
    const exit = {
      bufferSize: 256,
      bufferMin: 16,
      kappa: 8,
      divergeShare: 0,
      prefix: 'whole',
      gain: 'signed',
    } as const;
    const common = { model: 'tiny-chain', mix: 0, scaleRewards: 'group', ...exit } as const;
    // Presets for third-party models keep their own sizes.
    if (preset === 'fast' || preset === 'full') return { arms: ['none'] as const, settings: common };
    const small = { ...common, adapter: 'lora', lr: 1e-3, maxNew: ANSWER } as const;
    if (preset === 'smoke') return { arms: ['exit'] as const, settings: { ...small, bufferMin: 1, problems: 32 } };
    return {
      arms: ['none', 'exit'] as const,
      settings: { ...small, steps: 150, problems: 512, finalEvalProblems: 128 },
    };
  },
  card: {
    question: 'Does training single steps of improvement carry over many?',
    measured: 'Satisfied',
    about: 'Puzzles with hidden rules. Training teaches the model to revise its answers.',
  },
  python: 'micropython',
  reward: { about: 'Relations satisfied; of a revision, what it gained.', ticks: [-1, -0.5, 0, 0.5, 1] },
  rolloutPresentation: CHAIN_ROLLOUTS,
  metrics: CHAIN_METRICS,
  profiles: CHAIN_PROFILES,
  splits: CHAIN_SPLITS,
  load: async () => (await import('./reward.ts')).chainDrawn,
} satisfies EnvironmentEntry;
