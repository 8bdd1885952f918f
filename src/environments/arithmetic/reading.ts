// The word problems as estimators of references see them: attempts with their parsed values, and what a model is shown of them.
import type { AskedGroup, Attempt, Prompts } from '../agreement/types.ts';
import type { Group } from '../types.ts';
import { lastBox } from './grader.ts';
import { parseRational, showRational } from './rational.ts';
import { attemptLine, synthesisPrompt, synthesisText } from './synthesis-prompt.ts';
import type { ArithmeticProblem } from './types.ts';

/** The exact value of the last box, in lowest terms: 1/2, 0.5 and 2/4 are one. Null without a number in a box. */
export function answerOf(text: string): string | null {
  const box = lastBox(text);
  const value = box === null ? null : parseRational(box);
  return value && showRational(value);
}

const linesOf = (attempts: readonly Attempt[]): string[] => attempts.map(({ text }) => attemptLine(text));

/** `prompt`: of the problem, for those that are shown it. */
export const promptsOf = (prompt: string): Prompts => ({
  synthesis: (attempts, withQuestion) => synthesisPrompt(linesOf(attempts), withQuestion ? prompt : null),
  // A model of this size follows no instruction to choose: the attempt that it would itself write after all of them is its choice.
  choice: (attempts) => ({
    prompt: synthesisPrompt(linesOf(attempts)),
    options: attempts.map(({ text }) => synthesisText(text)),
  }),
  prediction: (others) => synthesisPrompt(linesOf(others)),
  said: ({ text }) => synthesisText(text),
});

/** The truth is asked for by the oracle alone. */
export function askedOf({
  task,
  rollouts,
}: Pick<Group<Pick<ArithmeticProblem, 'id' | 'prompt' | 'expected'>>, 'task' | 'rollouts'>): AskedGroup {
  return {
    id: task.id,
    attempts: rollouts.map(({ turns }) => {
      const last = turns.at(-1);
      const text = last?.completion ?? '';
      return { text, value: answerOf(text), ...(last?.logprobs && { logprobs: last.logprobs }) };
    }),
    prompts: promptsOf(task.prompt),
    answerOf,
    truth() {
      const value = parseRational(task.expected);
      return value && showRational(value);
    },
  };
}
