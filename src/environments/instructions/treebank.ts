// Words as the Penn Treebank's tokenizer cuts them (NLTK's improved one, Apache-2.0, its rules written anew): `DON'T` is two. Rules are applied
// in turn, each to what the one before left.
import { BLANKS, WORD, wordsOf } from './python-text.ts';

const S = `[${BLANKS}]`;
const end = `${S}*$`;
/** Behind a letter. */
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

/** MacIntyre's. */
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
