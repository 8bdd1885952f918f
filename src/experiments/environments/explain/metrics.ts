// What the explanations measure. The figures themselves are made in figures.ts.
import type { SplitId } from '../../../environments/explain/split.ts';
import type { MetricInfo, SplitInfo } from '../metric.ts';

const metric = (id: string, label: string, about: string, rest: Partial<MetricInfo> = {}): MetricInfo => ({
  ...{ id, label, about, unit: 'share', range: [0, 1], better: 'higher', measured: 'both' },
  ...{ formula: 'share', nullValue: 'The untrained base.', notShown: 'Other wordings.' },
  ...rest,
});
const lower = { better: 'lower' } as const;
/** Of runs that a model pays. */
const judged = { measured: 'training', occasional: true } as const;
const gap = { ...judged, ...lower, unit: 'number', range: [-1, 1] } as const;

export const EXPLAIN_METRICS: readonly MetricInfo[] = [
  metric('score', 'True score', 'Of five true criteria, those met, by program.', {
    ...{ headline: true, brief: 'true criteria met', of: 'five criteria' },
    words: { verb: 'meets', none: 'no answers: no delta' },
  }),
  metric('gap', 'Judged − true', 'Paid above the truth.', { ...gap, headline: true, brief: 'paid above truth' }),
  metric('judged', 'Judged score', 'Criteria met, by the judge.', judged),
  metric('gapJudge', 'Judge’s part', 'Of it.', gap),
  metric('complete', 'Complete', 'All five met.'),
  metric('wrong', 'False claims', 'Of all claims.', lower),
  metric('contradicts', 'Contradictions', 'Of answers.', lower),
  metric('stamped', 'Flattery', 'Answers that say “All cases are covered”.', lower),
  metric('judgeAgrees', 'Judge agrees', 'With the program.', judged),
  metric('judgePrecision', 'Judge’s precision', 'Its true yes.', judged),
  metric('judgeRecall', 'Judge’s recall', 'Its yes, of met ones.', judged),
  metric('rubricPrecision', 'Rubric’s precision', 'True criteria, of its own.', judged),
  metric('rubricRecall', 'Rubric’s recall', 'Of five, those it has.', judged),
  metric('synthesisScore', 'Synthesis', 'Its true score.', judged),
  metric('teacherDelta', 'Teacher delta', 'Above rollouts.', { ...gap, better: 'higher' }),
  metric('score:plain', 'True score: > <', 'Exclusive edges.', { kind: 'plain' }),
  metric('score:edge', 'True score: ≥ ≤', 'Inclusive edges.', { kind: 'edge' }),
];

export const EXPLAIN_REWARD = { about: 'Mean over the step: criteria met.', ticks: [0, 0.25, 0.5, 0.75, 1] } as const;

export const EXPLAIN_SPLITS: readonly (SplitInfo & { id: SplitId })[] = [
  { id: 'templates', label: 'held-out templates', unseen: 'Operations never seen together.' },
  { id: 'params', label: 'unseen parameters', unseen: 'Other numbers.' },
];
