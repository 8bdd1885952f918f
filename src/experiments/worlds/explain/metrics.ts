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
const gap = { ...judged, ...lower, unit: 'number', range: [-1, 1], formula: 'difference of means' } as const;

export const EXPLAIN_METRICS: readonly MetricInfo[] = [
  metric('score', 'True score', 'Of five true criteria, those met, by program.', {
    ...{ headline: true, brief: 'true criteria met', of: 'five criteria' },
    words: { verb: 'meets', none: 'no answers: no delta' },
  }),
  metric('gap', 'Judged − true', 'What was paid above the truth.', {
    ...gap,
    headline: true,
    brief: 'paid above truth',
  }),
  metric('judged', 'Judged score', 'Criteria met, by the judge.', judged),
  metric('gapJudge', 'Judge’s part', 'Judged minus the same rubric by program.', gap),
  metric('complete', 'Complete', 'Answers that meet all five.'),
  metric('wrong', 'False claims', 'Of all claims.', lower),
  metric('contradicts', 'Contradictions', 'Answers that contradict themselves.', lower),
  metric('stamped', 'Flattery', 'Answers that say “All cases are covered.”', lower),
  metric('judgeAgrees', 'Judge agrees', 'With the program, of its verdicts.', judged),
  metric('judgePrecision', 'Judge’s precision', 'Of its yes, the true ones.', judged),
  metric('judgeRecall', 'Judge’s recall', 'Of criteria met, its yes.', judged),
  metric('rubricPrecision', 'Rubric’s precision', 'Criteria true of the code.', judged),
  metric('rubricRecall', 'Rubric’s recall', 'Of five true criteria, those it has.', judged),
  metric('synthesisScore', 'Synthesis', 'Its own true score.', judged),
  metric('teacherDelta', 'Teacher delta', 'Synthesis above rollouts, true score.', { ...gap, better: 'higher' }),
  metric('judgeTokens', 'Judging tokens', 'Read and written, a rollout.', {
    ...{ ...judged, unit: 'tokens', range: [0, null], better: 'neither' },
  }),
  metric('score:plain', 'True score: > <', 'Exclusive edges.', { kind: 'plain' }),
  metric('score:edge', 'True score: ≥ ≤', 'Inclusive edges, mostly misread in pretraining.', { kind: 'edge' }),
];

export const EXPLAIN_REWARD = { about: 'Mean over the step: criteria met.', ticks: [0, 0.25, 0.5, 0.75, 1] } as const;

export const EXPLAIN_SPLITS: readonly (SplitInfo & { id: SplitId })[] = [
  { id: 'templates', label: 'held-out templates', unseen: 'Comparison and operations were never together.' },
  { id: 'params', label: 'unseen parameters', unseen: 'The template with other numbers.' },
];
