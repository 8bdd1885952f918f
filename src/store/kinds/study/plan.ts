// The study's plan, worked out once a question: it depends on nothing but the questions themselves.
import { planStudy, runsOf, type StudyPlan } from '../../../experiments/kinds/study/plan.ts';
import { QUESTION_IDS, type QuestionId } from '../../../experiments/kinds/study/types.ts';

const plans = new Map<QuestionId, StudyPlan>();

export function planOf(id: QuestionId): StudyPlan {
  const plan = plans.get(id) ?? planStudy({ questions: [id] });
  plans.set(id, plan);
  return plan;
}

let asking: ReadonlyMap<string, ReadonlySet<QuestionId>> | null = null;

/** Keys of all runs of the whole study, each with the questions that ask for it; a question at a time, for the page to answer a click. */
export async function studyKeys(): Promise<ReadonlyMap<string, ReadonlySet<QuestionId>>> {
  if (asking) return asking;
  const found = new Map<string, Set<QuestionId>>();
  for (const id of QUESTION_IDS) {
    for (const { key } of runsOf(planOf(id))) found.set(key, (found.get(key) ?? new Set()).add(id));
    await breathe();
  }
  asking = found;
  return found;
}

/** Lets the page answer what came meanwhile. */
export const breathe = () => new Promise<void>((resolve) => setTimeout(resolve));
