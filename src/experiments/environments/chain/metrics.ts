// What the chain puzzles measure. The figures themselves are made in figures.ts and of chains (experiments/exit).
import { KS } from '../../exit/steps.ts';
import type { MetricInfo, SplitInfo } from '../metric.ts';
import type { Profile } from '../profile.ts';

const metric = (id: string, label: string, about: string, rest: Partial<MetricInfo> = {}): MetricInfo => ({
  ...{ id, label, about, unit: 'share', range: [0, 1], better: 'higher', measured: 'both' },
  ...{ formula: 'mean', nullValue: 'The untrained base.', notShown: 'Other puzzles.', occasional: true },
  ...rest,
});
const ofChains = { measured: 'evaluation', undrawn: true } as const;

export const CHAIN_METRICS: readonly MetricInfo[] = [
  metric('quality', 'Quality', 'Relations that first answers satisfy (K = 0).', {
    ...{ headline: true, brief: 'relations satisfied at once', of: 'all relations', occasional: false },
    words: { verb: 'satisfies', none: 'no puzzles: no delta' },
  }),
  ...KS.slice(1).map((k) =>
    metric(`q${k}`, `Quality, K = ${k}`, `After ${k} revisions, the last answer.`, {
      ...ofChains,
      ...(k === KS[KS.length - 1]
        ? { headline: true, brief: `after ${k} revisions`, words: { verb: 'reaches', none: 'no puzzles: no delta' } }
        : {}),
    }),
  ),
  metric('solve', 'Solve', 'First answers that satisfy all.', { occasional: false }),
  metric('format', 'Format', 'Answers that are a row of digits.', { occasional: false }),
  metric('revised', 'Revisions', 'Rollouts that revise.', { better: 'neither', measured: 'training' }),
  metric('depth', 'Depth', 'Answers before a revision.', {
    ...{ unit: 'number', range: [0, null], better: 'neither', measured: 'training' },
  }),
  metric('fixed', 'Fixed', 'Revisions that solve.', { measured: 'training' }),
  metric('worse', 'Worse', 'Revisions that lose quality.', { measured: 'training', better: 'lower' }),
  metric('fixRate', 'Fix rate', 'Unsolved answers that a step solves.', ofChains),
  metric('breakRate', 'Break rate', 'Solved answers that a step breaks.', { ...ofChains, better: 'lower' }),
];

export const CHAIN_PROFILES: readonly Profile[] = [
  {
    ...{ id: 'q', title: 'Quality over revisions', along: 'revisions, K' },
    about: 'The last answer after K revisions.',
    points: KS.map((k) => ({ x: k, metric: k === 0 ? 'quality' : `q${k}` })),
  },
];

export const CHAIN_REWARD = {
  about: 'Relations satisfied; of a revision, what it gained.',
  ticks: [-1, -0.5, 0, 0.5, 1],
} as const;

export const CHAIN_SPLITS: readonly (SplitInfo & { id: 'prompts' })[] = [
  { id: 'prompts', label: 'unseen prompts', unseen: 'Prompts of no training.' },
];
