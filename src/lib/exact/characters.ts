// Normalises the characters with which people and models write numbers to those that the reader (written-number.ts) supports: every minus to
// `-`, full-width digits to digits, `½` to `1/2`, LaTeX separators and fractions to plain ones.

const SIGNS = /[\u2010-\u2013\u2212\ufe63]/g;
const INVISIBLE = /[\u200b-\u200f\u2060\ufeff]/g;
/** Full-width forms, and the digits of mathematical alphabets. */
const COMPATIBLE = /[\uff01-\uff5e]|\ud835[\udfce-\udfff]/g;
const BLANKS = /[\u00a0\u2007\u2009\u202f]/g;
const SUPERSCRIPTS = /[\u207a\u207b]?[\u2070\u00b9\u00b2\u00b3\u2074-\u2079]+/g;
const FRACTIONS = /[\u00bc-\u00be\u2150-\u215e\u2189]/g;
const PRODUCTS = /\\times(?![A-Za-z])|\\cdot(?![A-Za-z])|[\u00d7\u00b7\u22c5]/g;

/** `\,` `\;` `\:` and `\ ` become blanks, `\!` is removed; `\$` and `\%` become the signs. */
const ESCAPED = /\\([,;:! $%])/g;
const escaped = (_: string, char: string): string => (char === '!' ? '' : '$%'.includes(char) ? char : ' ');

/** Linear in the text. The result has a different length, and is only for reading numbers. */
export const plainCharacters = (text: string): string =>
  text
    .replace(INVISIBLE, '')
    .replace(COMPATIBLE, (char) => char.normalize('NFKC'))
    .replace(SIGNS, '-')
    .replace(SUPERSCRIPTS, (digits) => `^{${digits.normalize('NFKC').replace('\u2212', '-')}}`)
    // The blank prevents 2½ from becoming 21/2.
    .replace(FRACTIONS, (char) => ` ${char.normalize('NFKD').replace('\u2044', '/')}`)
    .replace(/[\u2044\u2215]/g, '/')
    .replace(BLANKS, ' ')
    .replaceAll('{,}', ',')
    .replace(ESCAPED, escaped)
    .replace(/\\[dtc]frac/g, '\\frac')
    .replace(PRODUCTS, '*')
    .replaceAll('\u2019', "'");
