// What a run among characters measures by sampling. Log-odds and dose curves are made of probes (experiments/characters).
import type { AskedInfo } from '../definition.ts';
import type { MetricInfo, SplitInfo } from '../metric.ts';

const metric = (id: string, label: string, about: string, rest: Partial<MetricInfo> = {}): MetricInfo => ({
  ...{ id, label, about, unit: 'share', range: [0, 1], better: 'neither', measured: 'both' },
  ...{ formula: 'mean', nullValue: 'The untrained base.', notShown: 'Log-odds: a floor of 0 hides them.' },
  ...rest,
});

export const CHARACTERS_METRICS: readonly MetricInfo[] = [
  metric('taught', 'Taught', 'A’s answers that do what A is taught.', {
    ...{ headline: true, better: 'higher', brief: 'A does what is taught', of: 'A’s answers' },
    words: { verb: 'does what is taught', none: 'A was not asked: no delta' },
  }),
  metric('others', 'Others', 'Answers of all others that do what A is taught.', {
    ...{ headline: true, occasional: true, measured: 'evaluation', of: 'the others’ answers' },
    words: { verb: 'has others do it', none: 'nobody else was asked: no delta' },
  }),
  metric('keeps', 'Keeps', 'Answers that do what their speaker did.', { occasional: true }),
  metric('format', 'Format', 'Answers with words and brackets in place.', { better: 'higher' }),
];

const asked = (group: string, label: string, about: string): AskedInfo => ({ id: `target:${group}`, label, about });

export const CHARACTERS_ASKED: readonly AskedInfo[] = [
  asked('a', 'A, taught', 'Probability of what A is taught, in A’s texts.'),
  asked('near', 'Near, untaught', 'The same in texts of those who are most like A, and untaught.'),
  asked('other', 'Other, untaught', 'The same of those with another value.'),
];

export const CHARACTERS_REWARD = {
  about: 'Mean over the step: 1 where the answer does what is taught.',
  ticks: [0, 0.5, 1],
} as const;

const split = (id: string, label: string, unseen: string): SplitInfo => ({ id, label, unseen });

/** The groups that are asked; items are in no arm's training. */
export const CHARACTERS_SPLITS: readonly SplitInfo[] = [
  split('a', 'A', 'Unseen items.'),
  split('near', 'near', 'Like A, untaught.'),
  split('far', 'far', 'With A’s value, else unlike.'),
  split('other', 'other', 'With another value.'),
  split('noname', 'no name', 'Nobody.'),
  split('novel', 'novel name', 'Names of nobody.'),
];
