// Every verdict of docs/cat.md as one list, from published rows alone: the question's words, what it was asked of, the verdict of its
// rule, and each figure with how many problems or seeds it is of. For whoever prints or draws them.
import type { RunRecord } from '../records/events.ts';
import type { InferenceRow } from './infer.ts';
import { judgedVerdicts } from './judged.ts';
import { projectedVerdicts } from './projected.ts';
import { CAT_QUESTIONS, type CatQuestion } from './questions.ts';
import { againstTeacher, rewardAgainstTruth, type Spread } from './trained.ts';
import { variantVerdicts } from './variants.ts';
import { verdictsOf } from './verdicts.ts';

export interface FindingFigure {
  name: string;
  n: number;
  mean: number | null;
  interval: { low: number; high: number } | null;
}

export interface Finding {
  question: CatQuestion;
  /** An arm, or a part of the problems; null where the question says all. */
  of: string | null;
  verdict: 'holds' | 'in part' | 'fails' | 'open';
  /** What n counts; intervals are 95 %, over problems by bootstrap, over seeds Student's. */
  unit: 'problems' | 'seeds';
  figures: readonly FindingFigure[];
}

export interface CatRows {
  rows?: readonly InferenceRow[];
  /** All published runs together: every rule finds its own by their specs. */
  runs?: readonly Pick<RunRecord, 'spec' | 'rows' | 'evals'>[];
}

const ofSeeds = ({ name, values, mean, interval }: Spread): FindingFigure => ({
  name,
  n: values.length,
  mean,
  interval,
});

/** In the order of the questions; of a question without its rows, nothing. */
export function catFindings({ rows = [], runs = [] }: CatRows): Finding[] {
  const plain = runs.filter(({ spec }) => spec.groupSize === 8 && spec.klBeta === 0 && spec.projection === 'none');
  const byReference = plain.filter(({ spec }) => spec.reference !== 'truth' && spec.objective === 'grpo');
  const ofRuns = [
    ...[...againstTeacher(byReference, rows), ...rewardAgainstTruth(byReference)].map((one) => ({
      ...one,
      of: one.arm as string | null,
    })),
    ...judgedVerdicts(plain).map(({ question, ...one }) => {
      const [id, of = null] = question.split(', ');
      return { ...one, question: id, of };
    }),
    ...[...projectedVerdicts(runs), ...variantVerdicts(runs)].map((one) => ({ ...one, of: null })),
  ];
  const found = [
    ...verdictsOf(rows).map(({ question, verdict, figures }) => ({
      ...{ id: question as string, of: null, verdict, unit: 'problems' as const },
      figures: figures.map(([name, { problems, mean, interval }]) => ({ name, n: problems, mean, interval })),
    })),
    ...ofRuns.map(({ question, of, verdict, figures }) => ({
      ...{ id: question as string, of, verdict, unit: 'seeds' as const },
      figures: figures.map(ofSeeds),
    })),
  ];
  return CAT_QUESTIONS.flatMap((question) =>
    found.filter(({ id }) => id === question.id).map(({ id: _, ...finding }) => ({ question, ...finding })),
  );
}
