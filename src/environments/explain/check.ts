// The program's own judgement: does a text meet a criterion, and how good is it by the truth. A criterion is met where the text says
// it and nothing else of the same subject. Deliberately literal: a true statement in other terms (the cases told the other way
// round) is true, and meets no criterion of the five.
import { claimOf, criterionOf, FIXED_RUBRIC, isTrue, subjectOf, trueClaims } from './claims.ts';
import type { Claim, ExplainVerdict, Fn } from './types.ts';
import { claimsIn, isStamped } from './wording.ts';

/** Of a text, by subject, the criteria that it says. */
type Said = Map<string, Set<string>>;

export function saidIn(claims: readonly Claim[]): Said {
  const said: Said = new Map();
  for (const claim of claims) {
    const own = said.get(subjectOf(claim)) ?? new Set();
    said.set(subjectOf(claim), own.add(criterionOf(claim)));
  }
  return said;
}

/** Null for what is no criterion. */
export function meets(text: string, criterion: string): boolean | null {
  const said = saidIn(claimsIn(text));
  const plainly = (subject: string): boolean => said.get(subject)?.size === 1;
  const values = [...said.keys()].filter((subject) => subject.startsWith('f(') && plainly(subject)).length;
  switch (criterion) {
    case 'a case':
      return plainly('case');
    case 'an else':
      return plainly('else');
    case 'f(0)':
      return plainly('f(0)');
    case 'two values':
      return values >= 2;
    case 'three values':
      return values >= 3;
  }
  const claim = claimOf(criterion);
  if (!claim) return null;
  return plainly(subjectOf(claim)) && said.get(subjectOf(claim))!.has(criterionOf(claim));
}

/** What a text says on a criterion's subject, as criteria are written; of values that are only counted, how many it has. */
export function quoteOf(text: string, criterion: string): string {
  const said = saidIn(claimsIn(text));
  if (criterion.endsWith(' values')) {
    const plain = [...said].filter(([subject, own]) => subject.startsWith('f(') && own.size === 1);
    return `${plain.length} values`;
  }
  const claim = claimOf(criterion);
  const subject = claim ? subjectOf(claim) : criterion.replace(/^an? /, '');
  return [...(said.get(subject) ?? ['nothing'])].join(', ');
}

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
  const claims = criteria.filter((one) => !FIXED_RUBRIC.some((fixed) => fixed === one)).map(claimOf);
  const known = new Set(claims.flatMap((claim) => (claim ? [criterionOf(claim)] : [])));
  return {
    right: claims.filter((claim) => claim !== null && isTrue(fn, claim)).length,
    found: trueClaims(fn).filter((claim) => known.has(criterionOf(claim))).length,
  };
}
