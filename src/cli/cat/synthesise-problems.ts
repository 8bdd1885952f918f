// The problems of `synthesise`: an environment's held-out ones, or the lines of a file, put into the model's own chat template.

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import * as z from 'zod/mini';
import { problemsOf, SPLITS, type SplitId } from '../../environments/arithmetic/data.ts';
import { answerOf, HELD_FACTS, promptsOf } from '../../environments/arithmetic/synthesis.ts';
import { parseRational } from '../../environments/arithmetic/task.ts';
import { chatPrompts, QUESTION_SUFFIX } from '../../environments/cat/estimators.ts';
import type { PosedProblem } from '../../experiments/cat/infer.ts';
import { showRational } from '../../lib/exact/rational.ts';
import { numberOfAnswer } from '../../lib/exact/read-number.ts';
import type { ModelText } from '../../storage/model-text.ts';
import { checkPromptLength } from '../../text/prompt-length.ts';
import type { InputLine } from '../grade/lines.ts';
import { statedAnswer } from '../grade/stated-answer.ts';

/** `count` problems of each held-out split, or of one alone. */
export function environmentProblems(count: number, only: SplitId | null = null): PosedProblem[] {
  return (only === null ? SPLITS : [only]).flatMap((split) =>
    problemsOf(split, count).map(
      ({ id, kind, template, prompt, expected }): PosedProblem => ({
        id,
        split,
        kind,
        prompt,
        answerOf,
        prompts: promptsOf(prompt),
        truth: () => valueOfNumber(expected),
        ...(template.split('-').some((step) => HELD_FACTS.includes(step)) ? { isHeld: true } : {}),
      }),
    ),
  );
}

const Line = z.object({ question: z.string().check(z.minLength(1)) });

/** Throws FormatError for a bad line, which it names, and for a model without a chat template. */
export function fileProblems(
  lines: readonly InputLine[],
  { chat }: Pick<ModelText, 'chat'>,
  count: number | null,
): PosedProblem[] {
  const say = (content: string) => chat([{ role: 'user', content }]);
  return lines.slice(0, count ?? lines.length).map(({ value, where, text }, i): PosedProblem => {
    const parsed = Line.safeParse(value);
    if (!parsed.success)
      throw new FormatError(
        `${where}: a problem has a \`question\`.`,
        'Write {"question": "…", "answer": "…"} a line.',
      );
    const { question } = parsed.data;
    checkPromptLength(question, `${where}: the question`);
    const stated = statedAnswer(value, text, where);
    const truth = stated && showRational(stated.value);
    return {
      id: `${i + 1}: ${question.slice(0, 80)}`,
      split: 'file',
      kind: 'problem',
      answerOf: numberOfAnswer,
      prompt: say(`${question}\n\n${QUESTION_SUFFIX}`),
      prompts: chatPrompts(question, async (content) => say(content)),
      truth: () => truth,
    };
  });
}

function valueOfNumber(text: string): string | null {
  const value = parseRational(text);
  return value && showRational(value);
}
