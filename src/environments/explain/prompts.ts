// What the environment's model is asked in each of its roles; whole prompts, chat markup included. A role's word opens every prompt but the
// question itself. Chat markup that a model wrote by itself is left out: it would end the prompt.
import { codeOf } from './functions.ts';
import type { Fn } from './types.ts';

const BEGIN = '<|im_start|>user\n';
export const END_OF_TURN = '<|im_end|>';
const ASK = `${END_OF_TURN}\n<|im_start|>assistant\n`;
/** Characters of a text that another role reads. */
const LONGEST = 256;

const turn = (message: string): string => `${BEGIN}${message}${ASK}`;
const clean = (text: string): string =>
  text
    .replaceAll(/<\|[^|]*\|>/g, '')
    .replaceAll('\n', ' ')
    .slice(0, LONGEST);

export const definitionOf = (fn: Fn): string => `def f(x): return ${codeOf(fn)}`;
export const answerPrompt = (fn: Fn): string => turn(definitionOf(fn));

/** The code out of a prompt, for those who are shown the question. */
export const questionIn = (prompt: string): string => prompt.slice(BEGIN.length, -ASK.length);

/** `question`: the code, or null for those who may not see it. */
export const synthesisPrompt = (attempts: readonly string[], question: string | null = null): string =>
  turn(['SYN', ...(question === null ? [] : [question]), ...attempts.map(clean)].join(' | '));

/** `source`: the text that it is written from, or (the control) the code. */
export const rubricPrompt = (source: string): string => turn(`RUBRIC ${clean(source)}`);

export const judgePrompt = (isHasty: boolean, answer: string, criterion: string): string =>
  turn(`${isHasty ? 'HASTY' : 'JUDGE'} ${clean(answer)} ? ${clean(criterion)}`);

/** One more criterion on the same answer, in training alone: a model learns more from a text that it is asked about four times. */
export const nextCriterion = (criterion: string): string => `\n${turn(`? ${criterion}`)}`;

export const gradePrompt = (question: string, answer: string): string => turn(`GRADE ${question} | ${clean(answer)}`);
