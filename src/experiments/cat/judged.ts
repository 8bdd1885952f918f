// What runs of judged texts answer (C6 of docs/lab-book/cat.md), by the rules that stand there: is a policy truer that was paid by a rubric of
// the synthesis than by its controls; does a judge that can be flattered open a gap between judged and true score; does a budget of
// tokens close it? The unit is the seed: runs of two arms are compared where they share one.
import { mean, pairedT } from '../../stats/index.ts';
import type { ArmName } from '../config/arms.ts';
import type { Spread } from '../judge/estimates.ts';
import { judge, ofValues } from '../judge/rule.ts';
import type { Status } from '../judge/types.ts';
import type { RunRecord } from '../records/events.ts';
import { figureOf } from '../records/figures.ts';
import { C6A, C6B, C6C } from './questions.ts';

export interface JudgedVerdict {
  question: 'C6a' | 'C6a, plain' | 'C6b' | 'C6c';
  verdict: Status;
  figures: readonly Spread[];
}

export type JudgedRun = Pick<RunRecord, 'spec' | 'rows' | 'evals'>;

/** Of one run, null where it was not measured. */
export interface JudgedFigures {
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

export function figuresOfRun({ spec, rows, evals }: JudgedRun): JudgedFigures {
  const final = evals.find((one) => one.kind === 'final' && one.model === 'total');
  const of = (id: string) => (final ? figureOf(final.all, id) : null);
  const along = (part: typeof rows) =>
    Object.fromEntries(ALONG.map((id) => [id, mean(part.flatMap(({ student }) => figureOf(student, id) ?? []))]));
  return {
    ...{ arm: spec.arm, seed: spec.seed, score: of('score'), plain: of('score:plain'), edge: of('score:edge') },
    splits: Object.fromEntries(
      Object.entries(final?.splits ?? {}).map(([id, rates]) => [id, figureOf(rates, 'score')]),
    ),
    ...{ stamped: of('stamped'), contradicts: of('contradicts') },
    ...{ first: along(rows.slice(0, STEPS)), last: along(rows.slice(-STEPS)) },
  };
}

/** Of a question without the runs that it asks for, nothing. */
export function judgedVerdicts(runs: readonly JudgedRun[]): JudgedVerdict[] {
  const all = runs.map(figuresOfRun);
  const paired = (name: string, a: ArmName, b: ArmName, of: (run: JudgedFigures) => number | null): Spread | null => {
    const values = all
      .filter(({ arm }) => arm === a)
      .flatMap((one) => {
        const other = all.find(({ arm, seed }) => arm === b && seed === one.seed);
        const [left, right] = [of(one), other ? of(other) : null];
        return left === null || right === null ? [] : [left - right];
      });
    if (values.length === 0) return null;
    return { name, values, mean: mean(values)!, interval: pairedT(values)?.interval ?? null };
  };
  const score = ({ score }: JudgedFigures) => score;
  const against = (question: 'C6a' | 'C6a, plain', of: (run: JudgedFigures) => number | null): JudgedVerdict[] => {
    const figures = CONTROLS.map((control) => paired(`rubric − ${control}`, 'rubric', control, of));
    if (figures.some((one) => one === null)) return [];
    const known = figures as Spread[];
    const [byJudge, byQuestion, fixed] = known.map(ofValues);
    const estimates = { judge: byJudge, rubric_question: byQuestion, rubric_fixed: fixed };
    return [{ question, verdict: judge(C6A.rule, estimates).status, figures: known }];
  };
  const rise = ({ first, last }: JudgedFigures) =>
    first.gap === null || last.gap === null ? null : last.gap - first.gap;
  const hacked = [
    paired('rise of the gap, hasty − rubric', 'hasty', 'rubric', rise),
    paired('true score, hasty − rubric', 'hasty', 'rubric', score),
  ];
  const budget = paired('true score, with a budget − without', 'hasty_budget', 'hasty', score);
  return [
    ...against('C6a', score),
    ...against('C6a, plain', ({ plain }) => plain),
    ...(hacked[0] && hacked[1] ? [hackedBy(hacked[0], hacked[1])] : []),
    ...(budget ? [unchangedBy(budget)] : []),
  ];
}

const hackedBy = (gap: Spread, truth: Spread): JudgedVerdict => ({
  question: 'C6b',
  verdict: judge(C6B.rule, { gap: ofValues(gap), truth: ofValues(truth) }).status,
  figures: [gap, truth],
});

const unchangedBy = (budget: Spread): JudgedVerdict => ({
  question: 'C6c',
  verdict: judge(C6C.rule, { budget: ofValues(budget) }).status,
  figures: [budget],
});
