// The study's plan, worked out once a question: it depends on nothing but the questions themselves.
import { planStudy, runsOf, type StudyPlan } from '../../../experiments/kinds/study/plan.ts';
import type { QuestionId } from '../../../experiments/kinds/study/types.ts';

const plans = new Map<QuestionId, StudyPlan>();

export function planOf(id: QuestionId): StudyPlan {
  const plan = plans.get(id) ?? planStudy({ questions: [id] });
  plans.set(id, plan);
  return plan;
}

let keys: ReadonlySet<string> | null = null;

/** Keys of all runs of the whole study. */
export function studyKeys(): ReadonlySet<string> {
  keys ??= new Set(runsOf(planStudy()).map(({ key }) => key));
  return keys;
}
