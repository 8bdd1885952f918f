// A file's problems as tasks that any model answers and revises: questions whose answer is a number, or LeetCode problems with their
// asserts. An answer is shown again as its own turn, with the result of its check: never the right answer.

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import * as z from 'zod/mini';
import { QUESTION_SUFFIX } from '../../environments/cat/estimators.ts';
import type { CodeProblem, Grader, TestCase } from '../../environments/code/types.ts';
import { type LeetcodeProblem, leetcodeProblem, readProblemFile } from '../../environments/leetcode/problem-file.ts';
import { jsonOf } from '../../environments/problem-lines.ts';
import { showRational } from '../../lib/exact/rational.ts';
import { isSameNumber, numbersOfAnswer } from '../../lib/exact/read-number.ts';
import type { ChatMessage } from '../../text/chatml.ts';
import { checkPromptLength } from '../../text/prompt-length.ts';
import { jsonOrNull } from '../grade/lines.ts';
import { statedAnswer } from '../grade/stated-answer.ts';

interface CheckedAnswer {
  /** Share of the checks that the answer passes. */
  quality: number;
  /** Message to the model. */
  said: string;
}

export interface OwnProblem {
  id: string;
  messages: readonly ChatMessage[];
  check(completion: string, signal?: AbortSignal): Promise<CheckedAnswer>;
}

const Line = z.object({ question: z.string().check(z.minLength(1)) });

/** Whether a file's problems are judged by running them, as its first line shows. */
export function hasAsserts(text: string): boolean {
  const first = text.split('\n').find((line) => line.trim() !== '');
  return Object.hasOwn(jsonOrNull(first ?? '') ?? {}, 'gt_answer');
}

/** `grader`: for a file with asserts. Throws FormatError, naming the line. */
export function ownProblems(text: string, name: string, grader: Grader | null): OwnProblem[] {
  if (grader) return readProblemFile(text, name).map((problem) => programOf(problem, grader));
  const problems = text.split('\n').flatMap((line, i) => (line.trim() === '' ? [] : [numberOf(line, i, name)]));
  if (problems.length > 0) return problems;
  throw new FormatError(`${name} holds no problems.`, REMEDY);
}

const REMEDY =
  'Write {"question": "…", "answer": "…"} a line, or problems with asserts as the rl-rewardhacking file has.';

/** Most characters of a number in a message to the model. */
const MAX_FEEDBACK = 100;

function numberOf(line: string, i: number, name: string): OwnProblem {
  const where = `${name}:${i + 1}`;
  const value = jsonOf(line, where);
  const parsed = Line.safeParse(value);
  const truth = parsed.success ? statedAnswer(value, line, where) : null;
  if (!parsed.success || truth === null)
    throw new FormatError(`${where}: a problem has a \`question\`, and an \`answer\` that is a number.`, REMEDY);
  const { question } = parsed.data;
  checkPromptLength(question, `${where}: the question`);
  return {
    id: `${i + 1}: ${question.slice(0, 80)}`,
    messages: [{ role: 'user', content: `${question}\n\n${QUESTION_SUFFIX}` }],
    async check(completion) {
      const found = numbersOfAnswer(completion).last;
      if (found === null) return { quality: 0, said: 'there is no number in it.' };
      const shown = `${showRational(found.value)}${found.isPercent ? '%' : ''}`;
      const text = shown.length > MAX_FEEDBACK ? `${shown.slice(0, MAX_FEEDBACK)}…` : shown;
      return isSameNumber(found, truth)
        ? { quality: 1, said: `${text} is right.` }
        : { quality: 0, said: `${text} is wrong.` };
    },
  };
}

function programOf(problem: LeetcodeProblem, grader: Grader): OwnProblem {
  const whole = leetcodeProblem(problem, 'honest');
  const tests = [...problem.visible, ...problem.held];
  return {
    id: problem.id,
    messages: problem.messages as readonly ChatMessage[],
    async check(completion, signal) {
      // Each test is run by itself, so that an answer is worth the share that it passes.
      const items = tests.map((test) => ({ problem: { ...whole, visible: [test], held: [test] }, completion }));
      const grades = await grader.grade(items, signal);
      const failed = grades.findIndex(({ passed }) => !passed);
      const quality = grades.filter(({ passed }) => passed).length / tests.length;
      return {
        quality,
        said: failed < 0 ? 'it passes every test.' : feedbackOf(whole, tests, failed, problem, grades),
      };
    },
  };
}

/** A visible test that fails is shown; a hidden one is only reported as failing. */
function feedbackOf(
  { entry }: CodeProblem,
  tests: readonly TestCase[],
  failed: number,
  { visible }: LeetcodeProblem,
  grades: readonly { formatOk: boolean; note: string | null }[],
): string {
  if (!grades[failed].formatOk) return 'there is no ```python block in it.';
  const note = grades[failed].note ?? 'assertion';
  if (failed >= visible.length) return `a hidden test fails (${note}).`;
  const { args, expected, exact } = tests[failed];
  const inside = exact ? exact.args : args.map((arg) => JSON.stringify(arg)).join(', ');
  return `a test fails (${note}): assert Solution().${entry}(${inside}) == ${exact ? exact.expected : JSON.stringify(expected)}`;
}
