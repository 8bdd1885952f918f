// Claims as texts say them, each in one of two wordings, and the way back: every sentence of the grammar is read, whatever else a
// text says is passed over.
import type { CounterRng } from '../../rng/index.ts';
import type { Claim, Comparison, Effect, Operation } from './types.ts';

const REGIONS: Readonly<Record<Comparison, readonly [string, string]>> = {
  '>': ['Above', 'Over'],
  '>=': ['From', 'At least'],
  '<': ['Below', 'Under'],
  '<=': ['Up to', 'At most'],
};
const ELSES = ['Else', 'Otherwise'] as const;
const EFFECTS: Readonly<Record<Operation, readonly [string, string]>> = {
  add: ['adds #', 'gives # more'],
  take: ['takes #', 'gives # less'],
  twice: ['doubles', 'gives twice x'],
  always: ['is #', 'gives always #'],
};

/** What a hasty judge takes for completeness. It claims nothing that the program counts. */
export const STAMP = 'All cases are covered.';

const told = ({ operation, by }: Effect, way: number): string => EFFECTS[operation][way].replace('#', String(by));

/** `ways`: which of two wordings, for what is spoken of and for what is said. */
export function sentenceOf(claim: Claim, ways: readonly [number, number]): string {
  const [a, b] = ways;
  if (claim.subject === 'value') return a === 0 ? `At ${claim.x}: ${claim.y}.` : `f(${claim.x}) is ${claim.y}.`;
  if (claim.subject === 'else') return `${ELSES[a]} ${told(claim.effect, b)}.`;
  return `${REGIONS[claim.comparison][a]} ${claim.at} ${told(claim.effect, b)}.`;
}

/** Wordings are drawn for each claim. */
export function textOf(claims: readonly Claim[], isStamped: boolean, rng: CounterRng): string {
  const sentences = claims.map((claim) => sentenceOf(claim, [rng.int(2), rng.int(2)]));
  return [...sentences, ...(isStamped ? [STAMP] : [])].join(' ');
}

const words = (each: readonly (readonly [string, string])[]): string => each.flat().join('|');
const CASE = new RegExp(`^(${words(Object.values(REGIONS))}) (\\d{1,2}) (.+)$`);
const ELSE = new RegExp(`^(?:${ELSES.join('|')}) (.+)$`);
const VALUES = [/^At (\d{1,2}): (-?\d{1,3})$/, /^f\((\d{1,2})\) is (-?\d{1,3})$/];
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
  for (const pattern of VALUES) {
    const value = pattern.exec(sentence);
    if (value) return { subject: 'value', x: Number(value[1]), y: Number(value[2]) };
  }
  const split = CASE.exec(sentence);
  const effect = effectIn(split ? split[3] : (ELSE.exec(sentence)?.[1] ?? ''));
  if (!effect) return null;
  if (!split) return { subject: 'else', effect };
  const [comparison] = Object.entries(REGIONS).find(([, each]) => each.includes(split[1]))!;
  return { subject: 'case', comparison: comparison as Comparison, at: Number(split[2]), effect };
}

function effectIn(text: string): Effect | null {
  const number = /\d{1,2}/.exec(text)?.[0] ?? '';
  for (const [operation, each] of Object.entries(EFFECTS) as [Operation, readonly string[]][])
    if (each.some((form) => form.replace('#', number) === text))
      if ((operation === 'twice') === (number === ''))
        // A form without a number has none to be replaced.
        return { operation, by: Number(number) };
  return null;
}

export const isStamped = (text: string): boolean => text.includes(STAMP);
