// What any model that talks is asked, after the paper's intent: several responses become one, what they share is found, where they
// differ it is decided, reasoning is weighed, the final answer is boxed. The question is not among them unless it is to be shown.
import type { Attempt, Prompts } from './types.ts';

const numbered = (attempts: readonly Attempt[]): string =>
  attempts.map(({ text }, i) => `Response ${i + 1}:\n${text.trim()}`).join('\n\n');

const MERGE =
  'Several responses to one and the same task follow; the task is not shown. Write one response that merges them: find what they have in common, decide where they contradict each other by weighing each reasoning step, keep what only one of them saw and is right, and be not much longer than they are. Put the final answer in \\boxed{}.';
const CHOOSE =
  'Several responses to one and the same task follow. Which of them is the best? Answer with its number alone.';
const FORESEE =
  'Several responses to one and the same task follow; the task is not shown. Write another response to that task. Put the final answer in \\boxed{}.';

export const QUESTION_SUFFIX = 'Reason step by step, and put the final answer in \\boxed{}.';

/** `chat`: the model's own template around one user's message. */
export function chatPrompts(question: string, chat: (message: string) => Promise<string>): Prompts {
  return {
    synthesis: (attempts, withQuestion) =>
      chat(`${MERGE}\n\n${withQuestion ? `The task: ${question}\n\n` : ''}${numbered(attempts)}`),
    choice: async (attempts) => ({
      prompt: await chat(`${CHOOSE}\n\nThe task: ${question}\n\n${numbered(attempts)}`),
      options: attempts.map((_, i) => String(i + 1)),
    }),
    prediction: (others) => chat(`${FORESEE}\n\n${numbered(others)}`),
  };
}
