// How attempts are shown again: to a model that makes one working of several, and to one that revises its own.

import { BEFORE_ANSWER, BEFORE_USER, promptOf } from '../../text/chatml.ts';
import type { AskedGroup, Attempt, Prompts } from '../agreement/types.ts';
import { type Revised, revisionOf } from '../exit/revised.ts';
import type { Improvable } from '../exit/types.ts';
import type { Group } from '../types.ts';
import {
  type ArithmeticProblem,
  type ArithmeticVerdict,
  gradeArithmetic,
  lastBox,
  parseRational,
  showRational,
} from './task.ts';

// What the synthesiser of this environment reads and writes: workings in one line each, every step under its letter, so that sixteen fit
// into the model's positions and a step is found by its letter: `A3+4=7B7*3=21`. (Without letters a model of this size lost the order
// while it copied: of eight equal and right attempts it made a wrong working in one case of five, with another step's numbers and
// never with a wrong result of the right ones.) Lines of one step stand together, `Adozen=12:2*12=24;7+24=31`, so that a step that
// some attempts tell in two lines and others in one does not move the letters of what follows. Nothing of the problem is shown unless
// it is asked for. Whatever else a model wrote stays as it is, up to a length.

/** Characters of an attempt's line: a longer answer is cut, as it was when it was written. */
const LONGEST = 96;
/** Of steps; later ones share the last. */
const LETTERS = 'ABCDEFGH';

/** An answer as the synthesiser reads it, its box left out where the last line says the same: `A7/2=3.5>7/2`. */
export function attemptLine(completion: string): string {
  const lines = linesOf(completion);
  const box = lastBox(completion);
  const says = lines.at(-1)?.split('=').at(-1);
  return `${lettered(lines)}${box === null || box === says ? '' : `>${box}`}`.slice(0, LONGEST);
}

/** An answer as the synthesiser writes one. */
export function synthesisText(completion: string): string {
  const box = lastBox(completion);
  return `${lettered(linesOf(completion))}${box === null ? '' : `\\boxed{${box}}`}`;
}

/** The other way round, to be read by people: a line for each line. */
export const workingOfSynthesis = (text: string): string =>
  text
    .replaceAll(/[A-H:;](?=[\da-z])/g, '\n')
    .replaceAll(/\n?\\boxed/g, '\n\\boxed')
    .trim();

/** `problem` null: question-blind. Else a whole prompt of the environment, chat markup included, whose story is shown before the attempts. */
export function synthesisPrompt(lines: readonly string[], problem: string | null = null): string {
  const story = problem === null ? '' : `${problem.slice(BEFORE_USER.length, -BEFORE_ANSWER.length)}\n`;
  return promptOf(`${story}SYN\n${lines.join('\n')}`);
}

/** Chat markup that a model wrote by itself is left out: it would end the prompt. */
const linesOf = (completion: string): string[] =>
  completion
    .replaceAll(/<\|[^|]*\|>/g, '')
    .replaceAll(/\\boxed\{[^{}]*\}/g, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

function lettered(lines: readonly string[]): string {
  const steps: string[][] = [];
  for (const [i, line] of lines.entries()) {
    if (i > 0 && isSameStep(lines[i - 1], line)) steps[steps.length - 1].push(line);
    else steps.push([line]);
  }
  return steps.map((step, i) => LETTERS[Math.min(i, LETTERS.length - 1)] + joined(step)).join('');
}

/** The last line of a step, which has the running number, stands after `;`, what comes before it after `:`. */
const joined = (step: readonly string[]): string =>
  [step.slice(0, -1).join(':'), step[step.length - 1]].filter((part) => part !== '').join(';');

/** After a fact, and where a product is added at once. */
function isSameStep(line: string, next: string): boolean {
  if (!/[-+*/]/.test(line)) return true;
  const product = /^\d+\*\d+=(\d+)$/.exec(line)?.[1];
  return product !== undefined && /^\d+\+(\d+)=/.exec(next)?.[1] === product;
}

// The word problems as estimators of references see them: attempts with their parsed values, and what a model is shown of them.

/** The exact value of the last box, in lowest terms: 1/2, 0.5 and 2/4 are one. Null without a number in a box. */
export function answerOf(text: string): string | null {
  const box = lastBox(text);
  const value = box === null ? null : parseRational(box);
  return value && showRational(value);
}

const attemptLines = (attempts: readonly Attempt[]): string[] => attempts.map(({ text }) => attemptLine(text));

/** `prompt`: of the problem, for those that are shown it. */
export const promptsOf = (prompt: string): Prompts => ({
  synthesis: (attempts, withQuestion) => synthesisPrompt(attemptLines(attempts), withQuestion ? prompt : null),
  // A model of this size follows no instruction to choose: the attempt that it would itself write after all of them is its choice.
  choice: (attempts) => ({
    prompt: synthesisPrompt(attemptLines(attempts)),
    options: attempts.map(({ text }) => synthesisText(text)),
  }),
  prediction: (others) => synthesisPrompt(attemptLines(others)),
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

// A word problem's answer shown again: behind its story, in the form in which this environment's model was taught to read attempts, with what
// its check said, which is never the right number. (As a turn of a conversation, which it never saw, the base revises nothing: docs/lab-book/exit.md has the figures.)

export const arithmeticQuality = ({ correct }: ArithmeticVerdict): number => (correct ? 1 : 0);

export const arithmeticImprovable: Improvable<ArithmeticProblem, ArithmeticVerdict> = {
  id: ({ id }) => id,
  answerOf: ({ verdict }, completion) =>
    completion === '' ? null : { text: completion, quality: arithmeticQuality(verdict) },
  revise(root, history, how): ArithmeticProblem & Revised {
    const { text } = history[history.length - 1];
    const { correct, formatOk } = gradeArithmetic(root, text);
    // A revision is written as a synthesis is: one line, steps under letters.
    const line = attemptLine(history.length > 1 || /^A/.test(text) ? workingOfSynthesis(text) : text);
    const said = correct ? 'right' : formatOk ? 'wrong' : 'no number';
    const lines = [`${line} ${said}`, ...(how === 'diverge' ? ['another way'] : [])];
    return revisionOf(root, history, synthesisPrompt(lines, root.prompt));
  },
};
