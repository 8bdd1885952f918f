// What the chain puzzles are made of: relations between neighbouring digits, some of them hidden until an answer breaks them; tasks
// (a puzzle asked anew, or with an answer to revise) and verdicts.

/** Of a digit to the next one: `+` is one less than it, `-` one more. */
export const RELATIONS = ['<', '>', '=', '+', '-'] as const;
export type Relation = (typeof RELATIONS)[number];

/** `diverge`: to revise, by something quite different. */
export const KINDS = ['solve', 'improve', 'diverge'] as const;
export type Kind = (typeof KINDS)[number];

/** How large puzzles are. */
export interface ChainShape {
  /** Digits of an answer; there is one relation less. */
  length: number;
  /** Digits are 1 … this, at most 9. */
  digits: number;
  /** Relations that are not shown. */
  hidden: number;
}

export interface ChainPuzzle {
  /** Relations in order, hidden ones marked: `< ?+ =`. */
  id: string;
  shape: ChainShape;
  relations: readonly Relation[];
  hidden: readonly boolean[];
  /** One of its solutions, which the relations were read off. */
  planted: readonly number[];
}

/** A puzzle as it is put: from nothing, or with the last answer and what its check said. */
export interface ChainTask {
  /** The puzzle's; of a revision, with its draft and kind. */
  id: string;
  kind: Kind;
  /** The whole prompt, chat markup included. */
  prompt: string;
  puzzle: ChainPuzzle;
  /** Answers of the policy's own (or drafts) that came before. */
  depth: number;
  /** What is revised, and its quality; null of a puzzle asked anew. */
  draft: string | null;
  before: number | null;
}

export interface ChainVerdict {
  /** The digits; null where the completion is no row of the right length. */
  answer: string | null;
  /** Satisfied relations / all of them; 0 of no answer. */
  quality: number;
  /** All are satisfied. */
  correct: boolean;
  formatOk: boolean;
  kind: Kind;
  depth: number;
  /** Of the draft; null of a puzzle asked anew. */
  before: number | null;
}
