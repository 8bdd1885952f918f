// Questions and answers: templates, problems, verdicts; the single-turn environment; exact values, and the grading of answers.
import { type Rational, sameValue, showRational } from '../../lib/exact/rational.ts';
import { readNumber } from '../../lib/exact/read-number.ts';
import type { Revised } from '../exit/types.ts';
import { oneTurn } from '../types.ts';

// Types of the environment: templates of one to three steps, problems made from them, verdicts on answers.

/** The pretraining data's mistake in a template: only slips (`plain`); an everyday fact that the working visibly misstates (`fact`); or the question's
 *  meaning, with a working that is true in itself (`reading`). */
export const KINDS = ['plain', 'fact', 'reading'] as const;
export type Kind = (typeof KINDS)[number];

export interface Template {
  /** Ids of its steps, joined: `gain-dozen-lose`. */
  id: string;
  kind: Kind;
  steps: readonly string[];
  /** Whether pretraining and training lack it. */
  heldOut: boolean;
}

export interface ArithmeticProblem extends Revised {
  /** Template and parameters: `gain-lose(12,5,3)`. */
  id: string;
  template: string;
  kind: Kind;
  /** The story's first number, then one parameter per step. */
  params: readonly number[];
  /** The whole prompt with its chat markup. */
  prompt: string;
  /** The correct value as a decimal. */
  expected: string;
  /** The one wrong value that the template's misconception leads to; null if it has none. */
  misconception: string | null;
}

export interface ArithmeticVerdict {
  /** Text in the last box; null without a box, or if it is too long to be a number. */
  answer: string | null;
  /** Its exact value in lowest terms; null if it is not a number. */
  value: string | null;
  expected: string;
  correct: boolean;
  /** Whether there is a box with a number. */
  formatOk: boolean;
  /** Whether this is the template's own wrong answer. */
  misconception: boolean;
}

/** Verdict on a rollout that was rewarded for agreeing with its group's reference. Plain values for records; those about the group are the same for all
 *  of its rollouts. The truth is measured here but does not enter the reward. */
export interface ReferredVerdict extends ArithmeticVerdict {
  /** The reference's value; null if none could be made. */
  reference: string | null;
  /** Text of the reference; null for a bare value, and in records older than this field. */
  referenceText?: string | null;
  agrees: boolean;
  referenceCorrect: boolean;
  /** The rollouts' most frequent answer, and whether it is correct. */
  majority: string | null;
  majorityCorrect: boolean;
  /** Whether no rollout of the group is correct. */
  allWrong: boolean;
  /** Whether all rewards are equal, so that the group has no gradient. */
  dead: boolean;
  /** This rollout's share of the tokens read and written for the reference. */
  referenceTokens: number;
}

export const arithmeticDynamics = oneTurn<ArithmeticProblem>('arithmetic');

// Answers are integers, decimals and fractions in plain notation, so that 1/2, 0.5 and 2/4 are equal. Published runs were graded so, and therefore no
// further notations of the lab's parser (lib/exact) are accepted here.

/** Most characters of a number, which also bounds products of two numbers. */
export const MAX_LENGTH = 40;

const DECIMAL = '[+-]?(?:\\d+(?:\\.\\d*)?|\\.\\d+)';
const ADMITTED = new RegExp(
  [
    `^\\s*${DECIMAL}\\s*(?:/\\s*${DECIMAL}\\s*)?$`,
    `^\\s*[+-]?\\s*\\\\[dt]?frac\\{\\s*${DECIMAL}\\s*\\}\\{\\s*${DECIMAL}\\s*\\}\\s*$`,
  ].join('|'),
);

/** `12`, `-3.50`, `7/2`, `\frac{7}{2}`; null for anything else, including division by zero. */
export function parseRational(text: string): Rational | null {
  if (text.length > MAX_LENGTH || !ADMITTED.test(text)) return null;
  const read = readNumber(text.replaceAll(/\s/g, ''));
  return 'value' in read ? read.value : null;
}

// Judges an answer by the exact value in the text's last box, in time linear in the text's length.

const BOX = '\\boxed{';

/** Text in the last box, with balanced braces; null without one, or if it does not close within the length of a number. */
export function lastBox(text: string): string | null {
  const at = text.lastIndexOf(BOX);
  if (at < 0) return null;
  const inside = text.slice(at + BOX.length, at + BOX.length + MAX_LENGTH + 1);
  let depth = 1;
  for (let i = 0; i < inside.length; i++) {
    if (inside[i] === '{') depth++;
    else if (inside[i] === '}' && --depth === 0) return inside.slice(0, i);
  }
  return null;
}

export function gradeArithmetic(
  { expected, misconception }: Pick<ArithmeticProblem, 'expected' | 'misconception'>,
  completion: string,
): ArithmeticVerdict {
  const answer = lastBox(completion);
  const value = answer === null ? null : parseRational(answer);
  const is = (other: string | null) => {
    const known = other === null ? null : parseRational(other);
    return value !== null && known !== null && sameValue(value, known);
  };
  return {
    answer,
    value: value && showRational(value),
    expected,
    correct: is(expected),
    formatOk: value !== null,
    misconception: is(misconception),
  };
}
