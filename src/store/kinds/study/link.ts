// The address of a question and of one of the study's runs: `?view=questions&q=Q2&run=<runId>`.
import { QUESTION_IDS, type QuestionId } from '../../../experiments/kinds/study/types.ts';

export interface QuestionRef {
  question: QuestionId | null;
  runId: string | null;
}

/** What the address asks for; what is no question's name asks for none. */
export function asksForQuestion(search: string): QuestionRef {
  const params = new URLSearchParams(search);
  const asked = params.get('q')?.toUpperCase();
  const runId = params.get('run');
  return {
    question: QUESTION_IDS.find((id) => id === asked) ?? null,
    runId: runId !== null && /^[\w./-]{1,200}$/.test(runId) ? runId : null,
  };
}

/** The page's address with that in it. */
export function withQuestion(href: string, { question, runId }: QuestionRef): string {
  const url = new URL(href);
  const { searchParams } = url;
  searchParams.set('view', 'questions');
  for (const [name, value] of [
    ['q', question],
    ['run', runId],
  ] as const) {
    if (value === null) searchParams.delete(name);
    else searchParams.set(name, value);
  }
  return url.href;
}
