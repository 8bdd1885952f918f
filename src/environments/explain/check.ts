// The program's own judgement: does a text meet a criterion, and how good is it by the truth. A criterion is met where the text says
// it and nothing else of the same subject. Deliberately literal: a true statement in other terms (the cases told the other way
// round) is true, and meets no criterion of the five.
import { claimOf, claimsIn, criterionOf, FIXED_RUBRIC, isStamped, isTrue, trueClaims } from './task.ts';
import type { Claim, ExplainVerdict, Fn } from './types.ts';

/** Of a text, by subject, the criteria that it says. */
type Said = Map<string, Set<string>>;

export function saidIn(claims: readonly Claim[]): Said {
  const said: Said = new Map();
  for (const claim of claims) {
    const own = said.get(claim.subject) ?? new Set();
    said.set(claim.subject, own.add(criterionOf(claim)));
  }
  return said;
}

const subjectIn = (criterion: string): string | null =>
  claimOf(criterion)?.subject ?? (FIXED_RUBRIC.includes(criterion) ? criterion.slice('some '.length) : null);

/** Null for what is no criterion. */
export function meets(text: string, criterion: string): boolean | null {
  const subject = subjectIn(criterion);
  if (subject === null) return null;
  const said = saidIn(claimsIn(text)).get(subject);
  return said?.size === 1 && (FIXED_RUBRIC.includes(criterion) || said.has(criterion));
}

/** What a text says on a criterion's subject. */
export const quoteOf = (text: string, criterion: string): string =>
  [...(saidIn(claimsIn(text)).get(subjectIn(criterion) ?? '') ?? ['nothing'])].join(', ');

export function gradeExplanation(fn: Fn, text: string): ExplainVerdict {
  const claims = claimsIn(text);
  const said = saidIn(claims);
  const different = [...new Map(claims.map((claim) => [criterionOf(claim), claim])).values()];
  const truths = trueClaims(fn);
  const met = truths.filter((claim) => meets(text, criterionOf(claim))).length;
  return {
    score: met / truths.length,
    complete: met === truths.length,
    formatOk: claims.length > 0,
    said: different.length,
    wrong: different.filter((claim) => !isTrue(fn, claim)).length,
    contradicts: [...said.values()].some(({ size }) => size > 1),
    stamped: isStamped(text),
  };
}

/** Of a rubric: criteria that are true of the function, and how many of the five true ones are there. Those of the fixed rubric say
 *  nothing of a function, and are neither. */
export function gradeRubric(fn: Fn, criteria: readonly string[]): { right: number; found: number } {
  const claims = criteria.filter((one) => !FIXED_RUBRIC.includes(one)).map(claimOf);
  const known = new Set(claims.flatMap((claim) => (claim ? [criterionOf(claim)] : [])));
  return {
    right: claims.filter((claim) => claim !== null && isTrue(fn, claim)).length,
    found: trueClaims(fn).filter((claim) => known.has(criterionOf(claim))).length,
  };
}
