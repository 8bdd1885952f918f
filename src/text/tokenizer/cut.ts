// Splits a text at a pattern, as the Rust library does.

/** A piece of a text; `isFirst` says whether it is at the beginning of the whole text. */
export interface Piece {
  text: string;
  isFirst: boolean;
}
export type Split = (piece: Piece) => Piece[];

/** What is done with a match of the pattern. */
export const BEHAVIOURS = ['Removed', 'Isolated', 'MergedWithPrevious', 'MergedWithNext', 'Contiguous'] as const;
export type Behaviour = (typeof BEHAVIOURS)[number];

interface Part {
  text: string;
  isMatch: boolean;
}

/** Splits a piece at the matches of a pattern or, if `isInverted`, at the parts between them. */
export const by = (pattern: RegExp, behaviour: Behaviour, isInverted = false): Split => {
  const cut = CUTS[behaviour];
  return ({ text, isFirst }) => {
    const parts = cut(partsOf(text, pattern, isInverted));
    let at = 0;
    return parts.flatMap(({ text: part, isMatch: isRemoved }) => {
      const piece = { text: part, isFirst: isFirst && at === 0 };
      at += part.length;
      return isRemoved || part === '' ? [] : [piece];
    });
  };
};

/** The matches in a text and the parts between them; only matches may be empty. */
function partsOf(text: string, pattern: RegExp, isInverted: boolean): Part[] {
  const parts: Part[] = [];
  let at = 0;
  for (const { 0: match, index } of text.matchAll(pattern)) {
    if (at < index) parts.push({ text: text.slice(at, index), isMatch: isInverted });
    parts.push({ text: match, isMatch: !isInverted });
    at = index + match.length;
  }
  if (at < text.length) parts.push({ text: text.slice(at), isMatch: isInverted });
  return parts;
}

/** For each behaviour, a function that joins parts; resulting parts with `isMatch` are removed from the text. */
const CUTS: Readonly<Record<Behaviour, (parts: readonly Part[]) => Part[]>> = {
  Removed: (parts) => [...parts],
  Isolated: (parts) => parts.map(kept),
  Contiguous: (parts) => joined(parts, (is, was) => is === was),
  MergedWithPrevious: (parts) => joined(parts, (is, was) => is && !was),
  MergedWithNext: (parts) =>
    joined(parts.map(({ text, isMatch }) => ({ text: reversed(text), isMatch })).reverse(), (is, was) => is && !was)
      .map(({ text }) => ({ text: reversed(text), isMatch: false }))
      .reverse(),
};
const kept = ({ text }: Part): Part => ({ text, isMatch: false });
/** Reverses UTF-16 units, so that applying it twice gives the same text. */
const reversed = (text: string): string => text.split('').reverse().join('');

/** Joins a part to the one before it if `joins` is true; its arguments say whether the part and the one before it are matches. */
function joined(parts: readonly Part[], joins: (is: boolean, was: boolean) => boolean): Part[] {
  const made: Part[] = [];
  let was = false;
  for (const part of parts) {
    const last = made.at(-1);
    if (last && joins(part.isMatch, was)) last.text += part.text;
    else made.push(kept(part));
    was = part.isMatch;
  }
  return made;
}
