// Claims as texts say them, each in one of two wordings, and the way back: every sentence of the grammar is read, whatever else a
// text says is passed over.
import type { CounterRng } from '../../rng/index.ts';
import { effectOf } from './claims.ts';
import { expressionOf } from './functions.ts';
import type { Claim, Comparison } from './types.ts';

const REGIONS: Readonly<Record<Comparison, readonly [string, string]>> = {
  '>': ['Above', 'Over'],
  '>=': ['From', 'At least'],
  '<': ['Below', 'Under'],
  '<=': ['Up to', 'At most'],
};
const ELSES = ['Else', 'Otherwise'] as const;
/** What a hasty judge takes for completeness. It claims nothing that the program counts. */
export const STAMP = 'All cases are covered.';

/** `way`: which of the two wordings. */
export function sentenceOf(claim: Claim, way: number): string {
  if (claim.subject === 'value') return way === 0 ? `f(${claim.x})=${claim.y}.` : `f(${claim.x}) is ${claim.y}.`;
  const effect = expressionOf(claim.effect);
  return claim.subject === 'else'
    ? `${ELSES[way]}: ${effect}.`
    : `${REGIONS[claim.comparison][way]} ${claim.at}: ${effect}.`;
}

/** Wordings are drawn for each claim. */
export function textOf(claims: readonly Claim[], isStamped: boolean, rng: CounterRng): string {
  const sentences = claims.map((claim) => sentenceOf(claim, rng.int(2)));
  return [...sentences, ...(isStamped ? [STAMP] : [])].join(' ');
}

const words = (each: readonly (readonly [string, string])[]): string => each.flat().join('|');
const CASE = new RegExp(`^(${words(Object.values(REGIONS))}) (\\d{1,2}): (.+)$`);
const ELSE = new RegExp(`^(?:${ELSES.join('|')}): (.+)$`);
const VALUE = /^f\((\d{1,2})\)(?:=| is )(-?\d{1,3})$/;
/** Nobody says more; bounds the time that a text of any length takes. */
const MOST_SENTENCES = 64;

/** Claims of a text in its order, repeated ones as often as they are said. */
export function claimsIn(text: string): Claim[] {
  return text
    .split('.', MOST_SENTENCES)
    .map((sentence) => claimIn(sentence.trim()))
    .filter((claim) => claim !== null);
}

function claimIn(sentence: string): Claim | null {
  const value = VALUE.exec(sentence);
  if (value) return { subject: 'value', x: Number(value[1]), y: Number(value[2]) };
  const split = CASE.exec(sentence);
  const effect = effectOf(split ? split[3] : (ELSE.exec(sentence)?.[1] ?? ''));
  if (!effect) return null;
  if (!split) return { subject: 'else', effect };
  const [comparison] = Object.entries(REGIONS).find(([, each]) => each.includes(split[1]))!;
  return { subject: 'case', comparison: comparison as Comparison, at: Number(split[2]), effect };
}

export const isStamped = (text: string): boolean => text.includes(STAMP);
