// What the environment of explanations is made of: one-line functions of a case and an else, claims about them, verdicts on texts.

export const COMPARISONS = ['>', '>=', '<', '<='] as const;
export type Comparison = (typeof COMPARISONS)[number];
export const OPERATIONS = ['add', 'take', 'twice', 'always'] as const;
export type Operation = (typeof OPERATIONS)[number];

/** What is done to x. */
export interface Effect {
  operation: Operation;
  /** 0 where the operation has no number. */
  by: number;
}

/** `inCase` where x compares so with `at`, else `otherwise`. */
export interface Fn {
  comparison: Comparison;
  at: number;
  inCase: Effect;
  otherwise: Effect;
}

/**
 * What pretraining data gets wrong in a function: nothing but slips (`plain`: > and <), or at an inclusive edge (`edge`: >= and <=)
 * mostly which branch the edge itself takes.
 */
export const KINDS = ['plain', 'edge'] as const;
export type Kind = (typeof KINDS)[number];

/** Inputs whose values are to be told: the edge itself, nothing, and the first number beyond the edge. */
export const PLACES = ['edge', 'zero', 'next'] as const;
export type Place = (typeof PLACES)[number];

/** Something that a text says, or that a criterion asks for. Two claims of one subject contradict each other unless they are equal. */
export type Claim =
  | { subject: 'if'; comparison: Comparison; at: number; effect: Effect }
  | { subject: 'else'; effect: Effect }
  | { subject: Place; y: number };

export interface ExplainTask {
  /** The function's code: `x+3 if x>4 else x*2`. */
  id: string;
  /** Comparison and operations: `>/add/twice`. */
  template: string;
  kind: Kind;
  /** The truth, as only the program's own reward may use it. */
  fn: Fn;
  /** The whole prompt, chat markup included. */
  prompt: string;
}

/** What the program says of a text. Plain values, since records hold them. */
export interface ExplainVerdict {
  /** Share of the true criteria that the text meets. */
  score: number;
  complete: boolean;
  /** It says something that can be read. */
  formatOk: boolean;
  /** Claims, equal ones once, and those of them that are false. */
  said: number;
  wrong: number;
  contradicts: boolean;
  /** It ends in the sentence that a hasty judge falls for. */
  stamped: boolean;
}

/** Whom an answer is paid by. */
export const GRADINGS = ['program', 'rubric', 'rubric_question', 'rubric_fixed', 'judge', 'hasty'] as const;
export type Grading = (typeof GRADINGS)[number];

/** Of a rollout that a model judged. The program's view is measured beside it and enters no reward. */
export interface JudgedVerdict extends ExplainVerdict {
  /** Share of criteria met as the judge says; of a grade, its part of five. */
  judged: number;
  /** The same criteria checked by the program; null without a rubric. */
  checked: number | null;
  /** The text that the rubric was written from, and its own true score; null where there is none. */
  synthesis: string | null;
  synthesisScore: number | null;
  /** One criterion a line; null without a rubric. Of each, in order, what the judge says of this answer and what the program says:
   *  `y`, `n`, or `?` for neither. */
  rubric: string | null;
  marks: string;
  checks: string;
  /** Criteria, those that are true of the function, and how many of the five true ones there are among them. */
  criteria: number;
  criteriaTrue: number;
  criteriaFound: number;
  overBudget: boolean;
  /** Every rollout of the group has the same reward. */
  dead: boolean;
  /** Tokens read and written by models for this reward, each rollout's part. */
  judgeTokens: number;
}
