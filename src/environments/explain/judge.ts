// Texts are judged by the program, which knows the truth, and by models, which do not.
// The program decides whether a text meets a criterion, and how good the text is. A text meets a criterion if it states it and states
// nothing else on the same subject. The comparison is deliberately literal: a true statement in another form (the cases in the other
// order) is true, but meets none of the five criteria.

import { anchorOf, greedy, synthesisEstimator } from '../cat/estimators.ts';
import type { AttemptGroup } from '../cat/types.ts';
import type { Group, ModelHandles, ModelRole } from '../types.ts';
import {
  type Claim,
  claimOf,
  claimsIn,
  criterionOf,
  type ExplainTask,
  type ExplainVerdict,
  FIXED_RUBRIC,
  type Fn,
  gradePrompt,
  isStamped,
  isTrue,
  judgePrompt,
  questionIn,
  rubricPrompt,
  sentencesIn,
  synthesisPrompt,
  trueClaims,
} from './task.ts';

/** Returns the criteria that a text states, by subject. */
export function saidIn(claims: readonly Claim[]): Map<string, Set<string>> {
  const claimed = new Map<string, Set<string>>();
  for (const claim of claims) {
    const own = claimed.get(claim.subject) ?? new Set();
    claimed.set(claim.subject, own.add(criterionOf(claim)));
  }
  return claimed;
}

const subjectIn = (criterion: string): string | null =>
  claimOf(criterion)?.subject ?? (FIXED_RUBRIC.includes(criterion) ? criterion.slice('some '.length) : null);

/** Returns null for a text that is not a criterion. */
export function meets(text: string, criterion: string): boolean | null {
  const subject = subjectIn(criterion);
  if (subject === null) return null;
  const claimed = saidIn(claimsIn(text)).get(subject);
  return claimed?.size === 1 && (FIXED_RUBRIC.includes(criterion) || claimed.has(criterion));
}

/** Returns what the text states on a criterion's subject. */
export const quoteOf = (text: string, criterion: string): string =>
  [...(saidIn(claimsIn(text)).get(subjectIn(criterion) ?? '') ?? ['nothing'])].join(', ');

export function gradeExplanation(fn: Fn, text: string): ExplainVerdict {
  const claims = claimsIn(text);
  const claimed = saidIn(claims);
  const different = [...new Map(claims.map((claim) => [criterionOf(claim), claim])).values()];
  const truths = trueClaims(fn);
  const met = truths.filter((claim) => meets(text, criterionOf(claim))).length;
  return {
    score: met / truths.length,
    complete: met === truths.length,
    formatOk: claims.length > 0,
    said: different.length,
    wrong: different.filter((claim) => !isTrue(fn, claim)).length,
    contradicts: [...claimed.values()].some(({ size }) => size > 1),
    stamped: isStamped(text),
  };
}

/** Grades a rubric: how many of its criteria are true of the function, and how many of the five true ones it has. The criteria of the
 *  fixed rubric state nothing about a function, so they count as neither. */
export function gradeRubric(fn: Fn, criteria: readonly string[]): { right: number; found: number } {
  const claims = criteria.filter((one) => !FIXED_RUBRIC.includes(one)).map(claimOf);
  const known = new Set(claims.flatMap((claim) => (claim ? [criterionOf(claim)] : [])));
  return {
    right: claims.filter((claim) => claim !== null && isTrue(fn, claim)).length,
    found: trueClaims(fn).filter((claim) => known.has(criterionOf(claim))).length,
  };
}

// Prompts of models for a reward: one text synthesised from a group's attempts, a rubric from a text, a judge's yes or no on an answer
// and a criterion, a grade without a rubric. All are decoded greedily, all groups of a step together. Nothing here knows the true function.

/** Most tokens of a synthesis, a rubric, a verdict and a grade. BATCH is the number of prompts in one call, which bounds memory. */
const MAX_NEW = { synthesis: 56, rubric: 56, verdict: 24, grade: 2 } as const;
const BATCH = 96;
/** Further criteria of a rubric are ignored. */
const MOST_CRITERIA = 12;

export const textOfRollout = ({ turns }: Pick<Group<ExplainTask>['rollouts'][number], 'turns'>): string =>
  turns.at(-1)?.completion.trim() ?? '';

/** The group's attempts as one text, written without the question. Null if the model wrote nothing. */
export async function syntheses(
  groups: readonly Group<ExplainTask>[],
  models: ModelHandles,
  signal?: AbortSignal,
): Promise<{ text: string | null; tokens: number }[]> {
  const references = await synthesisEstimator(false, { maxNew: MAX_NEW.synthesis }).estimate(
    groups.map(askedOf),
    models,
    signal,
  );
  return references.map(({ value, cost }) => ({ text: value, tokens: cost.read + cost.written }));
}

/** The group of attempts, with a question that is never shown and no truth. */
function askedOf({ task, rollouts }: Group<ExplainTask>): AttemptGroup {
  const prompt = (texts: readonly { text: string }[], withQuestion: boolean) =>
    synthesisPrompt(
      texts.map(({ text }) => text),
      withQuestion ? questionIn(task.prompt) : null,
    );
  return {
    id: task.id,
    attempts: rollouts.map((rollout) => ({ text: textOfRollout(rollout), value: null })),
    prompts: {
      synthesis: prompt,
      choice: (attempts) => ({ prompt: prompt(attempts, false), options: attempts.map(({ text }) => text) }),
      prediction: (others) => prompt(others, false),
    },
    answerOf: (text) => text.trim() || null,
    truth: () => null,
  };
}

/** Returns the criteria of each source (a text, or the code). */
export async function rubrics(
  sources: readonly string[],
  models: ModelHandles,
  signal?: AbortSignal,
): Promise<{ criteria: string[]; tokens: number }[]> {
  const written = await ask('anchor', sources.map(rubricPrompt), MAX_NEW.rubric, models, signal);
  return written.map(({ text, tokens }) => ({ criteria: criteriaIn(text), tokens }));
}

/** Criteria in the order written, each once; text that the grammar does not know counts as a criterion too. */
const criteriaIn = (rubric: string): string[] => [...new Set(sentencesIn(rubric))].slice(0, MOST_CRITERIA);

export interface Question {
  answer: string;
  criterion: string;
}

/** A verdict is a quote and then yes or no: `y`, `n`, or `?` for neither. An empty answer is shown to no model and fails. Each different
 *  question is asked once. */
export async function verdicts(
  questions: readonly Question[],
  isHasty: boolean,
  models: ModelHandles,
  signal?: AbortSignal,
): Promise<{ mark: string; tokens: number }[]> {
  const promptOf = ({ answer, criterion }: Question) => judgePrompt(isHasty, answer, criterion);
  const prompts = [...new Set(questions.filter(({ answer }) => answer !== '').map(promptOf))];
  const written = await ask('judge', prompts, MAX_NEW.verdict, models, signal);
  const claimed = new Map(prompts.map((prompt, i) => [prompt, written[i]]));
  return questions.map((question) => {
    const found = claimed.get(promptOf(question));
    if (!found) return { mark: 'n', tokens: 0 };
    return { mark: /\byes$/.test(found.text) ? 'y' : /\bno$/.test(found.text) ? 'n' : '?', tokens: found.tokens };
  });
}

/** Grades without a rubric: 0 to 5 by a model that reads the code and the answer; 0 if it writes no such digit. */
export async function grades(
  asked: readonly { prompt: string; answer: string }[],
  models: ModelHandles,
  signal?: AbortSignal,
): Promise<{ grade: number; tokens: number }[]> {
  const prompts = asked.map(({ prompt, answer }) => gradePrompt(questionIn(prompt), answer));
  const written = await ask('judge', prompts, MAX_NEW.grade, models, signal);
  return written.map(({ text, tokens }, i) => ({
    grade: asked[i].answer !== '' && /^[0-5]$/.test(text) ? Number(text) : 0,
    tokens,
  }));
}

/** The answers, and the tokens read and written. The judge is the anchor if the host gave no other model. */
async function ask(
  role: ModelRole,
  prompts: readonly string[],
  maxNew: number,
  models: ModelHandles,
  signal: AbortSignal | undefined,
): Promise<{ text: string; tokens: number }[]> {
  const model = models.get(role) ?? anchorOf(models);
  const ids = prompts.map((prompt) => model.codec.encodeChat(prompt));
  const written = await greedy(model, ids, maxNew, signal, BATCH);
  return written.map(({ text, cost }) => ({ text: text.trim(), tokens: cost.read + cost.written }));
}
