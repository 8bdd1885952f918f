// Targets of a user's data set: the fields that a mapping names, and the line of the lab's file that is made from them.
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import type { Mapped, TargetFields } from './mapping.ts';

export interface Target {
  /** Name of the target's rows in messages. */
  readonly what: string;
  readonly fields: TargetFields;
  /** Most rows of its file. */
  readonly most: number;
  /** Value of a line. `row` counts from 1. Throws FormatError; LeftOutError for a row that the lab cannot use. */
  line(mapped: Mapped, row: { readonly number: number; readonly where: string }, options: TargetOptions): unknown;
  /** Reads the whole file as a run does. Throws FormatError, naming the line. */
  check(text: string, name: string): void;
}

/** Thrown for a row that has nothing that the lab can use; the row is left out and reported. */
export class LeftOutError extends FormatError {
  constructor(where: string, why: string) {
    super(`${where}: ${why}.`, 'The other rows are taken.');
  }
}

/** Kinds of checks that can be made from an answer. */
export const ANSWER_CHECKS = ['number', 'equals', 'contains'] as const;
export type AnswerCheck = (typeof ANSWER_CHECKS)[number];

export interface TargetOptions {
  /** Comparison with `answer`, in problems with checks. */
  readonly check: AnswerCheck;
  /** A check as JSON that is rewarded instead of the true one; null: the true one is rewarded. */
  readonly flawed: string | null;
}

export const text = (about: string) => ({ form: 'text', about }) as const;
export const needed = (about: string) => ({ form: 'text', about, needed: true }) as const;
export const value = (about: string) => ({ form: 'value', about }) as const;
export const neededValue = (about: string) => ({ form: 'value', about, needed: true }) as const;
