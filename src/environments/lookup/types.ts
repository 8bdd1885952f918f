// What the environment of tools is made of: questions about made facts and sums, the calls that are answered, verdicts on episodes.

/** What a question needs: facts alone, a sum alone, or both. */
export const KINDS = ['look', 'calc', 'both'] as const;
export type Kind = (typeof KINDS)[number];

export const OPERATORS = ['+', '-', '*'] as const;
export type Operator = (typeof OPERATORS)[number];

/** Four that are not the answer, and one that is. */
export const MOST_TURNS = 5;

/** What stands in each place, and what is between: a question without its names and numbers. */
export interface Shape {
  /** `name+number`. */
  id: string;
  kind: Kind;
  operands: readonly ('name' | 'number')[];
  /** One less than there are operands; a product has two operands, so that no order of operations is to be known. */
  operators: readonly Operator[];
  /** In no pretraining and no training. */
  heldOut: boolean;
}

/** A number as it is said, or (with a name) as only the tool knows it. */
export interface Operand {
  name: string | null;
  value: number;
}

/** A name and what the tool says of it. */
export interface Fact {
  name: string;
  value: number;
}

export interface LookupProblem {
  /** Shape, names with their facts, numbers: `name+number(Mira=12,7)`. */
  id: string;
  shape: string;
  kind: Kind;
  operands: readonly Operand[];
  operators: readonly Operator[];
  /** All that the tool knows: of the names that are asked about. */
  facts: readonly Fact[];
  /** The whole prompt, chat markup included. */
  prompt: string;
  expected: string;
}

export interface LookupVerdict {
  /** What stands in the last turn's last box; null without one, or where it is too long to be a number. */
  answer: string | null;
  /** Its exact value in lowest terms; null where it is not a number. */
  value: string | null;
  expected: string;
  correct: boolean;
  /** A box with a number in it. */
  formatOk: boolean;
  /** The model's turns, the answer among them. */
  turns: number;
  /** Calls that a tool answered, and those that it refused (as everything that is neither a call nor an answer). */
  answered: number;
  refused: number;
}
