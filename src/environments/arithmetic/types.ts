// What the arithmetic environment is made of: templates of one to three steps, problems made from them, verdicts on answers.
import type { Revised } from '../exit/revised.ts';

/**
 * What the pretraining data gets wrong in a template: nothing but slips (`plain`), a fact of everyday life that is restated
 * wrongly in the working and can be seen there (`fact`), or what the question means, with a working that holds (`reading`).
 */
export const KINDS = ['plain', 'fact', 'reading'] as const;
export type Kind = (typeof KINDS)[number];

export interface Template {
  /** Its steps joined: `gain-dozen-lose`. */
  id: string;
  kind: Kind;
  steps: readonly string[];
  /** In no pretraining and no training. */
  heldOut: boolean;
}

export interface ArithmeticProblem extends Revised {
  /** Template and parameters: `gain-lose(12,5,3)`. */
  id: string;
  template: string;
  kind: Kind;
  /** The number that the story begins with, then one for each step. */
  params: readonly number[];
  /** The whole prompt, chat markup included. */
  prompt: string;
  /** The value, as a decimal. */
  expected: string;
  /** The one wrong value that the template's misconception leads to; null where it has none. */
  misconception: string | null;
}

export interface ArithmeticVerdict {
  /** What stands in the last box; null without one, or where it is too long to be a number. */
  answer: string | null;
  /** Its exact value in lowest terms; null where it is not a number. */
  value: string | null;
  expected: string;
  correct: boolean;
  /** A box with a number in it. */
  formatOk: boolean;
  /** The template's own wrong answer. */
  misconception: boolean;
}

/** Of a rollout that was paid for agreeing with its group's reference. Plain values, since records hold them; what is said of the
 *  group is the same for all of its rollouts. The truth is measured here and enters no reward. */
export interface ReferredVerdict extends ArithmeticVerdict {
  /** The reference's value; null where none could be made. */
  reference: string | null;
  /** What it was made of or written as, as answers are written; null of a bare value, and in records of before it was kept. */
  referenceText?: string | null;
  agrees: boolean;
  referenceCorrect: boolean;
  /** What a majority of the rollouts says, and whether it is right. */
  majority: string | null;
  majorityCorrect: boolean;
  /** No rollout of the group is right. */
  allWrong: boolean;
  /** Every rollout has the same reward: nothing is learnt from the group. */
  dead: boolean;
  /** Tokens read and written for the reference, each rollout's part. */
  referenceTokens: number;
}
