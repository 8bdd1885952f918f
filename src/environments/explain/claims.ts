// Claims as texts and criteria write them, one form for each: `if x>4: x+3`, `else: x*2`, `edge=8`, `zero=0`, `next=8`; which of them
// are true; and the way back. Every claim begins with one word of its own: a small model finds what is said by that word.
import { expressionOf, placed, valueAt } from './functions.ts';
import { type Claim, type Comparison, type Effect, type Fn, PLACES, type Place } from './types.ts';

/** Two claims are equal where this is. */
export function criterionOf(claim: Claim): string {
  if (claim.subject === 'if') return `if x${claim.comparison}${claim.at}: ${expressionOf(claim.effect)}`;
  return claim.subject === 'else' ? `else: ${expressionOf(claim.effect)}` : `${claim.subject}=${claim.y}`;
}

const CASE = /^if x(>=|<=|>|<)(\d{1,2}): (.+)$/;
const VALUE = new RegExp(`^(${PLACES.join('|')})=(-?\\d{1,3})$`);

/** Null for what is no claim. */
export function claimOf(criterion: string): Claim | null {
  const value = VALUE.exec(criterion);
  if (value) return { subject: value[1] as Place, y: Number(value[2]) };
  const split = CASE.exec(criterion);
  const effect = effectOf(split ? split[3] : criterion.startsWith('else: ') ? criterion.slice(6) : '');
  if (!effect) return null;
  return split
    ? { subject: 'if', comparison: split[1] as Comparison, at: Number(split[2]), effect }
    : { subject: 'else', effect };
}

function effectOf(text: string): Effect | null {
  if (text === 'x*2') return { operation: 'twice', by: 0 };
  const found = /^(x\+|x-|)(\d{1,2})$/.exec(text);
  if (!found) return null;
  const operation = found[1] === 'x+' ? 'add' : found[1] === 'x-' ? 'take' : 'always';
  return { operation, by: Number(found[2]) };
}

/** What is to be said of a function: the five true criteria. */
export const trueClaims = (fn: Fn): Claim[] => [
  { subject: 'if', comparison: fn.comparison, at: fn.at, effect: fn.inCase },
  { subject: 'else', effect: fn.otherwise },
  ...PLACES.map((subject): Claim => ({ subject, y: valueAt(fn, placed(fn, subject)) })),
];

export const isTrue = (fn: Fn, claim: Claim): boolean =>
  trueClaims(fn).some((one) => criterionOf(one) === criterionOf(claim));

/** A rubric that is the same for every function: about what is spoken of, never what is said of it. */
export const FIXED_RUBRIC: readonly string[] = (['if', 'else', ...PLACES] as const).map((subject) => `some ${subject}`);
