import { promptAfter } from '../../text/chatml.ts';
import { lastBox } from '../arithmetic/task.ts';
import type { Dynamics, Observation } from '../types.ts';

// Parts of the environment of tools: questions about made facts and sums, the calls that are answered, verdicts on episodes.

/** Needs of a question: facts alone, a sum alone, or both. */
export const KINDS = ['look', 'calc', 'both'] as const;
export type Kind = (typeof KINDS)[number];

export const OPERATORS = ['+', '-', '*'] as const;
export type Operator = (typeof OPERATORS)[number];

/** Four that are not the answer, and one that is. */
export const MOST_TURNS = 5;

/** A question without its names and numbers: the kind of each place, and what is between. */
export interface Shape {
  /** `name+number`. */
  id: string;
  kind: Kind;
  operands: readonly ('name' | 'number')[];
  /** One less than there are operands; a product has two operands, so that no order of operations is to be known. */
  operators: readonly Operator[];
  /** Held-out shapes are in no pretraining and no training. */
  heldOut: boolean;
}

/** A number that the question states, or (with a name) that only the tool knows. */
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
  /** All that the tool knows: facts of the names in the question. */
  facts: readonly Fact[];
  /** The whole prompt, chat markup included. */
  prompt: string;
  expected: string;
}

export interface LookupVerdict {
  /** Text in the last turn's last box; null without one, or where it is too long to be a number. */
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

// The tools: what a turn of the model says, and what is shown for it. A turn is a call and nothing else, or it has a box and is the
// answer. Nothing that the model wrote is shown again but the value of a sum, and time is linear in the turn's length.

/** A longer turn is no call: no sum gets large, whatever a model writes. */
export const MAX_CALL = 40;
const CALL = /^(CALC|LOOK)\(([^()]*)\)$/;
const SUM = /^\d{1,4}(?:[+*-]\d{1,4}){1,7}$/;

export const REFUSALS = { call: 'error: no call', sum: 'error: no sum', name: 'error: no such name' } as const;

export type Reply = { kind: 'answer' } | { kind: 'answered' | 'refused'; text: string };

const refused = (why: keyof typeof REFUSALS): Reply => ({ kind: 'refused', text: REFUSALS[why] });

/** Products first; exact. Null for what is no sum of numbers of at most four digits. */
export function calculate(sum: string): bigint | null {
  if (!SUM.test(sum)) return null;
  const product = (text: string) => text.split('*').reduce((value, factor) => value * BigInt(factor), 1n);
  // A sign belongs to the product after it.
  const terms = sum.match(/[+-]?[^+-]+/g) ?? [];
  return terms.reduce((value, term) => {
    if (term[0] === '-') return value - product(term.slice(1));
    return value + product(term[0] === '+' ? term.slice(1) : term);
  }, 0n);
}

export function replyTo({ facts }: Pick<LookupProblem, 'facts'>, completion: string): Reply {
  if (lastBox(completion) !== null) return { kind: 'answer' };
  const text = completion.trim();
  const call = text.length <= MAX_CALL ? CALL.exec(text) : null;
  if (!call) return refused('call');
  const [, tool, asked] = call;
  if (tool === 'CALC') {
    const value = calculate(asked.replaceAll(' ', ''));
    return value === null ? refused('sum') : { kind: 'answered', text: `= ${value}` };
  }
  const fact = facts.find(({ name }) => name.toLowerCase() === asked.trim().toLowerCase());
  return fact ? { kind: 'answered', text: `${fact.name}: ${fact.value}` } : refused('name');
}

// Questions with tools as an Environment: the model calls a tool and is shown what it says, up to four times, and answers in a box.
// The turn after the last call ends the episode, whatever it says.

export interface LookupEpisode {
  readonly problem: LookupProblem;
  /** Turns that were taken. */
  readonly turns: number;
  /** Text that is shown next; null where the episode is over. */
  readonly next: string | null;
}

export const lookupDynamics: Dynamics<LookupProblem, LookupEpisode> = {
  id: 'lookup',
  begin: (problem) => ({ problem, turns: 0, next: problem.prompt }),
  observe: ({ next }): Observation => (next === null ? { kind: 'end' } : { kind: 'prompt', text: next }),
  async act({ problem, turns }, completion, ended = true) {
    const reply = replyTo(problem, completion);
    const isOver = reply.kind === 'answer' || turns + 1 >= MOST_TURNS;
    return { problem, turns: turns + 1, next: isOver ? null : promptAfter(reply.text, ended) };
  },
};
