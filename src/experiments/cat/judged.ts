// What runs of judged texts answer (C6 of docs/lab-book/cat.md), by the rules that stand there: is a policy truer that was paid by a rubric of
// the synthesis than by its controls; does a judge that can be flattered open a gap between judged and true score; does a budget of
// tokens close it? The unit is the seed: runs of two arms are compared where they share one.
import { mean } from '../../stats/index.ts';
import type { ArmName } from '../config/arms.ts';
import { type Spread, spreadOver } from '../judge/estimates.ts';
import type { RunRecord } from '../records/events.ts';
import { finalRow, metricValue } from '../records/metrics.ts';
import { by, C6A, C6B, C6C, type RunsVerdict } from './questions.ts';

export type JudgedRun = Pick<RunRecord, 'spec' | 'rows' | 'evals'>;

/** Of one run, null where it was not measured. */
export interface JudgedMetrics {
  arm: ArmName;
  seed: number;
  score: number | null;
  splits: Readonly<Record<string, number | null>>;
  plain: number | null;
  edge: number | null;
  stamped: number | null;
  contradicts: number | null;
  /** Means of the first and the last steps, by metric. */
  first: Readonly<Record<string, number | null>>;
  last: Readonly<Record<string, number | null>>;
}

/** Steps that a beginning and an end are means of. */
export const STEPS = 10;
const ALONG = [
  ...(['judged', 'score', 'gap', 'gapJudge', 'judgeAgrees', 'judgePrecision', 'judgeRecall'] as const),
  ...(['rubricPrecision', 'rubricRecall', 'synthesisScore', 'teacherDelta', 'stamped'] as const),
];
const CONTROLS = ['judge', 'rubric_question', 'rubric_fixed'] as const;

export function metricsOfRun({ spec, rows, evals }: JudgedRun): JudgedMetrics {
  const final = finalRow({ evals }, 'total');
  const of = (id: string) => (final ? metricValue(final.all, id) : null);
  const along = (part: typeof rows) =>
    Object.fromEntries(ALONG.map((id) => [id, mean(part.flatMap(({ student }) => metricValue(student, id) ?? []))]));
  return {
    ...{ arm: spec.arm, seed: spec.seed, score: of('score'), plain: of('score:plain'), edge: of('score:edge') },
    splits: Object.fromEntries(
      Object.entries(final?.splits ?? {}).map(([id, rates]) => [id, metricValue(rates, 'score')]),
    ),
    ...{ stamped: of('stamped'), contradicts: of('contradicts') },
    ...{ first: along(rows.slice(0, STEPS)), last: along(rows.slice(-STEPS)) },
  };
}

/** Of a question without the runs that it asks for, nothing. */
export function judgedVerdicts(runs: readonly JudgedRun[]): RunsVerdict[] {
  const all = runs.map(metricsOfRun);
  const paired = (name: string, a: ArmName, b: ArmName, of: (run: JudgedMetrics) => number | null): Spread | null => {
    const values = all
      .filter(({ arm }) => arm === a)
      .flatMap((one) => {
        const other = all.find(({ arm, seed }) => arm === b && seed === one.seed);
        const [left, right] = [of(one), other ? of(other) : null];
        return left === null || right === null ? [] : [left - right];
      });
    return spreadOver(name, values);
  };
  const score = ({ score }: JudgedMetrics) => score;
  const against = (question: 'C6a' | 'C6a, plain', of: (run: JudgedMetrics) => number | null): RunsVerdict[] => {
    const [judge, rubric_question, rubric_fixed] = CONTROLS.map((control) =>
      paired(`rubric − ${control}`, 'rubric', control, of),
    );
    if (!judge || !rubric_question || !rubric_fixed) return [];
    return [{ ...by(C6A, { judge, rubric_question, rubric_fixed }), question }];
  };
  const rise = ({ first, last }: JudgedMetrics) =>
    first.gap === null || last.gap === null ? null : last.gap - first.gap;
  const gap = paired(C6B.names.gap, 'hasty', 'rubric', rise);
  const truth = paired(C6B.names.truth, 'hasty', 'rubric', score);
  const budget = paired(C6C.names.budget, 'hasty_budget', 'hasty', score);
  return [
    ...against('C6a', score),
    ...against('C6a, plain', ({ plain }) => plain),
    ...(gap && truth ? [by(C6B, { gap, truth })] : []),
    ...(budget ? [by(C6C, { budget })] : []),
  ];
}
