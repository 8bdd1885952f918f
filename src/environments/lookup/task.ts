import { promptAfter } from '../../text/chatml.ts';
import { lastBox } from '../arithmetic/task.ts';
import type { Dynamics, Observation } from '../types.ts';

// Parts of the environment with tools: questions about invented facts and sums, the tools' replies, verdicts on episodes.

/** Needs of a question: only facts, only a sum, or both. */
export const KINDS = ['look', 'calc', 'both'] as const;
export type Kind = (typeof KINDS)[number];

export const OPERATORS = ['+', '-', '*'] as const;
export type Operator = (typeof OPERATORS)[number];

/** Four calls and the answer. */
export const MOST_TURNS = 5;

/** A question without its names and numbers: the kinds of its operands, and its operators. */
export interface Shape {
  /** `name+number`. */
  id: string;
  kind: Kind;
  operands: readonly ('name' | 'number')[];
  /** There is one operator less than operands; a product has two operands, so that precedence of operators does not matter. */
  operators: readonly Operator[];
  /** Held-out shapes are not in pretraining or training. */
  heldOut: boolean;
}

/** A number that the question states, or (with a name) that only the tool knows. */
export interface Operand {
  name: string | null;
  value: number;
}

/** A name and the tool's value for it. */
export interface Fact {
  name: string;
  value: number;
}

export interface LookupProblem {
  /** Shape, names with their facts, numbers: `name+number(Ann-Lou=5,7)`. */
  id: string;
  shape: string;
  kind: Kind;
  operands: readonly Operand[];
  operators: readonly Operator[];
  /** All facts that the tool knows: those of the names in the question. */
  facts: readonly Fact[];
  /** The whole prompt with its chat markup. */
  prompt: string;
  expected: string;
}

export interface LookupVerdict {
  /** Text in the last box of the last turn; null if there is no box, or if the text is too long for a number. */
  answer: string | null;
  /** Its exact value in lowest terms; null if it is not a number. */
  value: string | null;
  expected: string;
  correct: boolean;
  /** The answer is a box with a number in it. */
  formatOk: boolean;
  /** Number of the model's turns, the answer included. */
  turns: number;
  /** Number of calls that a tool answered, and of those that it refused (everything that is neither a valid call nor an answer). */
  answered: number;
  refused: number;
}

// The tools: how a turn of the model is parsed, and what is shown in reply. A turn is a call and nothing else, or it has a box and is the
// answer. Of the model's text only the value of a sum is shown again, and time is linear in the turn's length.

/** A longer turn is not a call, which bounds a sum. */
export const MAX_CALL = 40;
const CALL = /^(CALC|LOOK)\(([^()]*)\)$/;
const SUM = /^\d{1,4}(?:[+*-]\d{1,4}){1,7}$/;

export const REFUSALS = { call: 'error: no call', sum: 'error: no sum', name: 'error: no such name' } as const;

export type Reply = { kind: 'answer' } | { kind: 'answered' | 'refused'; text: string };

const refused = (why: keyof typeof REFUSALS): Reply => ({ kind: 'refused', text: REFUSALS[why] });

/** Exact value, products first. Null if the text is not a sum of numbers of at most four digits. */
export function calculate(sum: string): bigint | null {
  if (!SUM.test(sum)) return null;
  const product = (text: string) => text.split('*').reduce((value, factor) => value * BigInt(factor), 1n);
  // A sign belongs to the product that follows it.
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

// Questions with tools as an Environment: the model calls a tool and is shown its reply, up to four times, and answers in a box. The turn
// after the last call ends the episode, for any text.

export interface LookupEpisode {
  readonly problem: LookupProblem;
  /** Number of turns taken. */
  readonly turns: number;
  /** Text that is shown next; null if the episode is over. */
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
