// Problems of a file as an environment for chains of revisions (experiments/exit/chains.ts): one prompt, one answer, the end; a revision is
// the conversation so far with the last answer in it and the result of its check.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import type { Answer } from '../../environments/exit/types.ts';
import { type OneTurn, oneTurn, type Reward } from '../../environments/types.ts';
import type { TrainingEnvironment } from '../../experiments/step/environment.ts';
import type { ChatMessage } from '../../text/chatml.ts';
import type { OwnProblem } from './own-problems.ts';

export interface OwnTask {
  problem: OwnProblem;
  prompt: string;
}

interface PromptWriter {
  /** A conversation in the model's format, ending where the assistant begins. */
  say(messages: readonly ChatMessage[]): string;
  /** Whether a prompt leaves room for an answer. */
  fits(prompt: string): boolean;
}

type OwnEnvironment = Pick<
  TrainingEnvironment<OwnTask, OneTurn<OwnTask>, Answer>,
  'dynamics' | 'reward' | 'improvable'
>;

export function ownEnvironment({ say, fits }: PromptWriter): OwnEnvironment {
  /** Results of the check, by problem and answer. */
  const known = new Map<OwnProblem, Map<string, string>>();
  const reward: Reward<OwnTask, Answer> = {
    id: 'own-checks/1',
    asksNobody: true,
    async score(groups, _models, signal) {
      const judged = [];
      // Groups are graded in turn: a grader has its own workers, and answers come back in order.
      for (const { task, rollouts } of groups) {
        const own = [];
        for (const { turns } of rollouts) {
          const text = turns.at(-1)?.completion ?? '';
          const { quality, said } = await task.problem.check(text, signal);
          const texts = known.get(task.problem) ?? new Map<string, string>();
          known.set(task.problem, texts.set(text, said));
          own.push({ reward: quality, verdict: { text, quality } });
        }
        judged.push(own);
      }
      return judged;
    },
  };
  return {
    dynamics: oneTurn<OwnTask>('own-problems'),
    reward,
    improvable: {
      id: ({ problem }) => problem.id,
      answerOf: ({ verdict: { text, quality } }) => (text.trim() === '' ? null : { text, quality }),
      revise({ problem }, history) {
        const { text } = history[history.length - 1];
        const words = known.get(problem)?.get(text) ?? 'it can be better.';
        for (let shown = text; ; shown = `…${shown.slice(-Math.floor(shown.length / 2))}`) {
          const prompt = say([
            ...problem.messages,
            { role: 'assistant', content: shown },
            {
              role: 'user',
              content: `A check of your answer: ${words}\nImprove it, and answer again in the same form.`,
            },
          ]);
          if (fits(prompt)) return { problem, prompt };
          if (shown.length <= 2)
            throw new SpecError(
              `Problem ${problem.id}: no room is left to show an answer in.`,
              'Lower --max-new, or take a model with more positions.',
            );
        }
      },
    },
  };
}
