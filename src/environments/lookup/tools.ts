// The tools: what a turn of the model says, and what is shown for it. A turn is a call and nothing else, or it has a box and is the
// answer. Nothing that the model wrote is shown again but the value of a sum, and time is linear in the turn's length.
import { lastBox } from '../arithmetic/grader.ts';
import type { LookupProblem } from './types.ts';

/** A longer turn is no call: no sum gets large, whatever a model writes. */
export const MAX_CALL = 40;
const CALL = /^(CALC|LOOK)\(([^()]*)\)$/;
const SUM = /^\d{1,4}(?:[+*-]\d{1,4}){1,7}$/;

export const REFUSALS = {
  call: 'error: no call',
  sum: 'error: no sum',
  name: 'error: no such name',
} as const;

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
  const said = completion.trim();
  const call = said.length <= MAX_CALL ? CALL.exec(said) : null;
  if (!call) return refused('call');
  const [, tool, asked] = call;
  if (tool === 'CALC') {
    const value = calculate(asked.replaceAll(' ', ''));
    return value === null ? refused('sum') : { kind: 'answered', text: `= ${value}` };
  }
  const fact = facts.find(({ name }) => name.toLowerCase() === asked.trim().toLowerCase());
  return fact ? { kind: 'answered', text: `${fact.name}: ${fact.value}` } : refused('name');
}
