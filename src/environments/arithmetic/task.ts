// Questions and answers: templates, problems, verdicts; the environment, of one turn; exact values, and what an answer comes to.
import { type Rational, sameValue, showRational } from '../../lib/exact/rational.ts';
import { readNumber } from '../../lib/exact/read-number.ts';
import type { Revised } from '../exit/types.ts';
import { oneTurn } from '../types.ts';

// Parts of the arithmetic environment: templates of one to three steps, problems made from them, verdicts on answers.

/** Mistake of the pretraining data in a template: nothing but slips (`plain`), a fact of everyday life that is restated wrongly in the
 *  working and can be seen there (`fact`), or what the question means, with a working that holds (`reading`). */
export const KINDS = ['plain', 'fact', 'reading'] as const;
export type Kind = (typeof KINDS)[number];

export interface Template {
  /** Ids of its steps, joined: `gain-dozen-lose`. */
  id: string;
  kind: Kind;
  steps: readonly string[];
  /** True if neither pretraining nor training has it. */
  heldOut: boolean;
}

export interface ArithmeticProblem extends Revised {
  /** Template and parameters: `gain-lose(12,5,3)`. */
  id: string;
  template: string;
  kind: Kind;
  /** The number that the story begins with, then one for each step. */
  params: readonly number[];
  /** The whole prompt with its chat markup. */
  prompt: string;
  /** The right value as a decimal. */
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
  /** Whether there is a box with a number in it. */
  formatOk: boolean;
  /** Whether this is the template's own wrong answer. */
  misconception: boolean;
}

/** Verdict on a rollout that was paid for agreeing with its group's reference. Plain values, since records hold them; what is said of the
 *  group is the same for all of its rollouts. The truth is measured here and enters no reward. */
export interface ReferredVerdict extends ArithmeticVerdict {
  /** The reference's value; null if none could be made. */
  reference: string | null;
  /** Text that the reference was made of; null for a bare value, and in records older than this field. */
  referenceText?: string | null;
  agrees: boolean;
  referenceCorrect: boolean;
  /** The rollouts' most frequent answer, and whether it is right. */
  majority: string | null;
  majorityCorrect: boolean;
  /** True if no rollout of the group is right. */
  allWrong: boolean;
  /** True if all rewards are equal, so that the group teaches nothing. */
  dead: boolean;
  /** This rollout's share of the tokens read and written for the reference. */
  referenceTokens: number;
}

export const arithmeticDynamics = oneTurn<ArithmeticProblem>('arithmetic');

// Answers of this environment are integers, decimals and fractions in their plain spellings, so that 1/2, 0.5 and 2/4 are one answer.
// What is published was graded so: of the spellings that the lab's reader knows (lib/exact), no further ones are admitted here.

/** A longer text is no number. Products of two texts this long stay small, whatever a model writes. */
export const MAX_LENGTH = 40;

const DECIMAL = '[+-]?(?:\\d+(?:\\.\\d*)?|\\.\\d+)';
const ADMITTED = new RegExp(
  [
    `^\\s*${DECIMAL}\\s*(?:/\\s*${DECIMAL}\\s*)?$`,
    `^\\s*[+-]?\\s*\\\\[dt]?frac\\{\\s*${DECIMAL}\\s*\\}\\{\\s*${DECIMAL}\\s*\\}\\s*$`,
  ].join('|'),
);

/** `12`, `-3.50`, `7/2`, `\frac{7}{2}`; null for anything else, a division by nought among it. */
export function parseRational(text: string): Rational | null {
  if (text.length > MAX_LENGTH || !ADMITTED.test(text)) return null;
  const read = readNumber(text.replaceAll(/\s/g, ''));
  return 'value' in read ? read.value : null;
}

// Judges an answer by its exact value: what stands in the last box of the text. Time is linear in the text's length.

const BOX = '\\boxed{';

/** Text in the last box, braces balanced; null without one, or where it does not close soon enough to hold a number. */
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
