// Claims as criteria write them, one form for each: `x>4: x+3`, `else: x*2`, `f(4)=8`; and which of them are true.
import { expressionOf, toldInputs, valueAt } from './functions.ts';
import type { Claim, Comparison, Effect, Fn } from './types.ts';

/** Two claims are equal where this is. */
export function criterionOf(claim: Claim): string {
  if (claim.subject === 'value') return `f(${claim.x})=${claim.y}`;
  const effect = expressionOf(claim.effect);
  return claim.subject === 'else' ? `else: ${effect}` : `x${claim.comparison}${claim.at}: ${effect}`;
}

/** Claims of one subject cannot both hold unless they are equal. */
export const subjectOf = (claim: Claim): string => (claim.subject === 'value' ? `f(${claim.x})` : claim.subject);

const CASE = /^x(>=|<=|>|<)(\d{1,2}): (.+)$/;
const VALUE = /^f\((\d{1,2})\)=(-?\d{1,3})$/;

/** Null for what is no claim. */
export function claimOf(criterion: string): Claim | null {
  const value = VALUE.exec(criterion);
  if (value) return { subject: 'value', x: Number(value[1]), y: Number(value[2]) };
  const split = CASE.exec(criterion);
  const effect = effectOf(split ? split[3] : criterion.startsWith('else: ') ? criterion.slice(6) : '');
  if (!effect) return null;
  return split
    ? { subject: 'case', comparison: split[1] as Comparison, at: Number(split[2]), effect }
    : { subject: 'else', effect };
}

/** Null for what is done to nothing. */
export function effectOf(text: string): Effect | null {
  if (text === 'x*2') return { operation: 'twice', by: 0 };
  const found = /^(x\+|x-|)(\d{1,2})$/.exec(text);
  if (!found) return null;
  const operation = found[1] === 'x+' ? 'add' : found[1] === 'x-' ? 'take' : 'always';
  return { operation, by: Number(found[2]) };
}

/** What is to be said of a function: the five true criteria. */
export const trueClaims = (fn: Fn): Claim[] => [
  { subject: 'case', comparison: fn.comparison, at: fn.at, effect: fn.inCase },
  { subject: 'else', effect: fn.otherwise },
  ...toldInputs(fn).map((x): Claim => ({ subject: 'value', x, y: valueAt(fn, x) })),
];

/** Of any claim, those that nobody asked for too. */
export function isTrue(fn: Fn, claim: Claim): boolean {
  if (claim.subject === 'value') return valueAt(fn, claim.x) === claim.y;
  return trueClaims(fn).some((one) => criterionOf(one) === criterionOf(claim));
}

/** A rubric that is the same for every function: about what is spoken of, never what is said of it. */
export const FIXED_RUBRIC = ['a case', 'an else', 'f(0)', 'two values', 'three values'] as const;
