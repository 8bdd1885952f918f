// A text is its claims, each closed by a stop, and the way back: what is a claim is read, whatever else a text says is passed over.
import { claimOf, criterionOf } from './claims.ts';
import type { Claim } from './types.ts';

/** What a hasty judge takes for completeness. It claims nothing that the program counts. */
export const STAMP = 'All cases are covered.';

export const textOf = (claims: readonly Claim[], isStamped: boolean): string =>
  [...claims.map((claim) => `${criterionOf(claim)}.`), ...(isStamped ? [STAMP] : [])].join(' ');

/** Nobody says more; bounds the time that a text of any length takes. */
const MOST_SENTENCES = 64;

/** Claims of a text in its order, repeated ones as often as they are said. */
export const claimsIn = (text: string): Claim[] => sentencesIn(text).flatMap((sentence) => claimOf(sentence) ?? []);

export const sentencesIn = (text: string): string[] =>
  text
    .split('.', MOST_SENTENCES)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '');

export const isStamped = (text: string): boolean => text.includes(STAMP);
