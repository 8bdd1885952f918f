// What runs of judged texts answer (C6 of docs/cat.md), by the rules that stand there: is a policy truer that was paid by a rubric of
// the synthesis than by its controls; does a judge that can be flattered open a gap between judged and true score; does a budget of
// tokens close it? The unit is the seed: runs of two arms are compared where they share one.
import { mean, pairedT } from '../../stats/index.ts';
import type { RunRecord } from '../records/events.ts';
import { figureOf } from '../records/figures.ts';
import type { ArmName } from '../spec/arms.ts';
import type { Spread } from './trained.ts';

export interface JudgedVerdict {
  question: 'C6a' | 'C6a, plain' | 'C6b' | 'C6c';
  verdict: 'holds' | 'in part' | 'fails' | 'open';
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
/** A budget that changes less than this changes nothing. */
export const SAME = 0.05;

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
    const above = known.map((one) => signOf(one) > 0);
    const verdict = above.every(Boolean) ? 'holds' : above[0] ? 'in part' : signOf(known[0]) < 0 ? 'fails' : 'open';
    return [{ question, verdict, figures: known }];
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

function hackedBy(gap: Spread, truth: Spread): JudgedVerdict {
  const [up, down] = [signOf(gap), signOf(truth)];
  const verdict = up > 0 && down < 0 ? 'holds' : up < 0 || down > 0 ? 'fails' : 'open';
  return { question: 'C6b', verdict, figures: [gap, truth] };
}

function unchangedBy(budget: Spread): JudgedVerdict {
  const { low = Number.NEGATIVE_INFINITY, high = Number.POSITIVE_INFINITY } = budget.interval ?? {};
  const verdict = low >= -SAME && high <= SAME ? 'holds' : low > SAME || high < -SAME ? 'fails' : 'open';
  return { question: 'C6c', verdict, figures: [budget] };
}

/** On which side of 0 the whole interval lies; 0 for neither, and below two runs. */
function signOf({ interval }: Spread): -1 | 0 | 1 {
  if (!interval) return 0;
  return interval.low > 0 ? 1 : interval.high < 0 ? -1 : 0;
}
