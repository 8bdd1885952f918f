// Operations of Python's strings that JavaScript lacks: the reference checker is written in Python, and verdicts depend on what it counts
// as a blank, a word or a capital. The pieces of patterns are for the flag `u`.

import { parseJsonText } from '@projected-grpo-lab/base/json.ts';

/** Python's `\s`, for use within brackets. It has U+001C to U+001F and U+0085, and lacks U+FEFF. */
export const BLANKS = '\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';
/** Python's `\w`, for use within brackets. It lacks combining marks. */
export const WORD = '\\p{L}\\p{N}_';
export const DIGIT = '\\p{Nd}';

const BLANK = new RegExp(`[${BLANKS}]`, 'u');

/** Python's str.strip(); linear in the text's length. */
export function strip(text: string): string {
  return stripOf(text, (char) => BLANK.test(char));
}

/** Python's str.strip(chars), on one side or both. All chars are of the basic plane. */
export function stripOf(text: string, isTaken: (char: string) => boolean, sides: 'both' | 'left' | 'right' = 'both') {
  let from = 0;
  let to = text.length;
  if (sides !== 'right') while (from < to && isTaken(text[from])) from++;
  if (sides !== 'left') while (to > from && isTaken(text[to - 1])) to--;
  return text.slice(from, to);
}

export const isBlank = (text: string): boolean => strip(text) === '';

/** Python's str.split(). */
export const wordsOf = (text: string): string[] => text.split(new RegExp(`[${BLANKS}]+`, 'u')).filter((word) => word);

const HAS_UPPER = /\p{Uppercase}/u;
const HAS_LOWER = /\p{Lowercase}/u;
const HAS_TITLE = /\p{Lt}/u;

export const isUpper = (text: string): boolean =>
  HAS_UPPER.test(text) && !HAS_LOWER.test(text) && !HAS_TITLE.test(text);
export const isLower = (text: string): boolean =>
  HAS_LOWER.test(text) && !HAS_UPPER.test(text) && !HAS_TITLE.test(text);

/** Python's re.escape(), for a pattern with the flag `u`. */
export const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

/** Whether Python's json.loads() reads the text: NaN and the infinities are values, and an integer has at most 4300 digits. A text that
 *  is nested deeper than the lab's limit is not JSON. */
export function isPythonJson(text: string): boolean {
  const outsideStrings = /"(?:[^"\\]|\\[\s\S])*"|-?Infinity|NaN|(?<![\d.])\d{4301,}(?![\d.eE])/g;
  const plain = text.replace(outsideStrings, (found) => (found[0] === '"' ? found : /\d/.test(found) ? '?' : ' 0 '));
  try {
    parseJsonText(plain);
    return true;
  } catch {
    return false;
  }
}

// Words as cut by NLTK's improved Penn Treebank tokenizer (Apache-2.0; its rules are written anew): `DON'T` is two words. Rules are
// applied in order, each to the result of the one before.

const S = `[${BLANKS}]`;
const end = `${S}*$`;
/** Python's word boundary after a letter. */
const BOUNDARY = `(?![${WORD}])`;
const START = `(?<![${WORD}])`;

const rule = (pattern: string, written: string, flags = 'gu'): readonly [RegExp, string] => [
  new RegExp(pattern, flags),
  written,
];

const STARTING_QUOTES = [
  rule('([«“‘„]|`+)', ' $1 '),
  rule('^"', '``'),
  rule('(``)', ' $1 '),
  rule('([ (\\[{<])("|\'{2})', '$1 `` '),
  rule(`(')(?!re|ve|ll|m|t|s|d|n)([${WORD}])${BOUNDARY}`, '$1 $2', 'giu'),
];

const PUNCTUATION = [
  rule(`([^.])(\\.)([\\])}>"' »”’]*)${end}`, '$1 $2 $3 '),
  rule(`([:,])([^${'\\p{Nd}'}])`, ' $1 $2'),
  rule('([:,])(?=\\n?$)', ' $1 '),
  rule('\\.{2,}', ' $& '),
  rule('[;@#$%&]', ' $& '),
  rule(`([^.])(\\.)([\\])}>"']*)${end}`, '$1 $2$3 '),
  rule('[?!]', ' $& '),
  rule("([^'])' ", "$1 ' "),
  rule('[*]', ' $& '),
  rule('[\\][(){}<>]', ' $& '),
  rule('--', ' -- '),
];

const ENDING_QUOTES = [
  rule('([»”’])', ' $1 '),
  rule("''", " '' "),
  rule('"', " '' "),
  rule("([^' ])('[sS]|'[mM]|'[dD]|') ", '$1 $2 '),
  rule("([^' ])('ll|'LL|'re|'RE|'ve|'VE|n't|N'T) ", '$1 $2 '),
];

/** Contractions from Robert MacIntyre's tokenizer. */
const CONTRACTIONS = [
  ...['(can)(not)', "(d)('ye)", '(gim)(me)', '(gon)(na)', '(got)(ta)', '(lem)(me)', "(more)('n)"].map((pattern) =>
    rule(`${START}${pattern}${BOUNDARY}`, ' $1 $2 ', 'giu'),
  ),
  rule(`${START}(wan)(na)(?=${S})`, ' $1 $2 ', 'giu'),
  rule(` ('t)(is)${BOUNDARY}`, ' $1 $2 ', 'giu'),
  rule(` ('t)(was)${BOUNDARY}`, ' $1 $2 ', 'giu'),
];

const applied = (text: string, rules: readonly (readonly [RegExp, string])[]): string =>
  rules.reduce((left, [pattern, written]) => left.replace(pattern, written), text);

export const treebankWords = (text: string): string[] =>
  wordsOf(applied(applied(` ${applied(applied(text, STARTING_QUOTES), PUNCTUATION)} `, ENDING_QUOTES), CONTRACTIONS));
