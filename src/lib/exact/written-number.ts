// The only reader of written numbers. It reads a number completely or not at all: text that begins like a number and continues otherwise
// (1.234.567, 26/07/2024, 0x10, 2^x) is skipped and never read partially. Values are exact. The grammar, in the normalised characters of
// characters.ts:
//
//   number    = [sign] [money] (mixed | ratio | factor) [" thousand" …] ["%" | " percent"]
//   mixed     = whole " " digits "/" digits | whole "\frac" argument argument      a whole number, then a proper fraction
//   ratio     = factor "/" [sign] factor
//   factor    = "\frac" argument argument | decimal ["e" integer] ["^" integer] ["*10^" integer]
//   decimal   = whole ["." digits] | "." digits
//   whole     = digits, or groups of three between commas, blanks or apostrophes; 1,00,000; Python's 1_000
//   argument  = "{" [sign] factor "}" | one digit
//
// Work is counted in examined characters, and is linear in the text.

import { negative, over, plus, type Rational, rational, times } from './rational.ts';

/** Most digits of a number, and largest exponent; anything beyond is not a number, which bounds the size of values. */
export const MOST_DIGITS = 1000;
/** Most characters of a skipped group in braces. */
const MOST_SKIPPED = 200;
const MOST_BLANKS = 3;

export interface WrittenNumber {
  /** Positions in the text. */
  from: number;
  end: number;
  /** Whether a percent sign follows; the value is the number before it. */
  isPercent: boolean;
  value(): Rational;
}

/** Why something that begins like a number is not one. */
type Fault = 'form' | 'zero' | 'long';

/** A part of a number, or a faulty text in place of it. */
interface Part {
  end: number;
  fault: Fault | null;
  /** Whether it consists only of digits, so that a fraction may follow. */
  isWhole: boolean;
  isZero: boolean;
  value(): Rational;
}

const NOTHING: Rational = rational(0n);
const broken = (end: number, fault: Fault = 'form'): Part => ({
  end,
  fault,
  isWhole: false,
  isZero: false,
  value: () => NOTHING,
});

/** 10^exponent. */
const power = (exponent: number): Rational =>
  exponent < 0 ? rational(1n, 10n ** BigInt(-exponent)) : rational(10n ** BigInt(exponent));

const LARGE = [
  ['thousand', 3],
  ['million', 6],
  ['billion', 9],
  ['trillion', 12],
] as const;
/** Commands that mark repeating digits. */
const REPEATING = ['\\overline', '\\dot', '\\bar'];
/** Commands that are skipped together with the group in braces after them. */
const COMMANDS = ['\\sqrt', '\\binom', '\\log', ...REPEATING];
/** Factors after a number that are not supported. */
const IRRATIONAL = ['\\pi', '\\sqrt', 'π', '√'];
const MONEY = '$€£¥₹';
const isWord = (char: string | undefined): boolean => char !== undefined && /[\p{L}\p{N}_]/u.test(char);
const noMinusAfter = (char: string | undefined): boolean =>
  char !== undefined && (isWord(char) || ')]}%.+-'.includes(char));

export class NumberReader {
  /** Number of examined characters. */
  work = 0;
  /** Fault of the last text that `next` skipped; null if there was none. */
  fault: Fault | null = null;

  /** `text` must come from plainCharacters. */
  constructor(private readonly text: string) {}

  /** The first number that begins at `at` or later; null if there is none. */
  next(at: number): WrittenNumber | null {
    this.fault = null;
    for (let i = at; i < this.text.length; ) {
      const char = this.#at(i);
      if (this.#isNumberAt(i) && this.#isDivisor(i)) i = this.#factor(i).end;
      else if (this.#isNumberAt(i)) {
        const number = this.#number(i);
        if (number.fault === null) return number;
        this.fault = number.fault;
        i = number.end;
      } else if (char === '^' || (char === '_' && this.#isSubscript(i))) i = this.#scriptEnd(i + 1);
      else if (char === '√') i = this.#isNumberAt(i + 1) ? this.#decimal(i + 1).end : i + 1;
      else if (char === '\\') i = this.#commandEnd(i);
      // The 5 of x.5 is not a number.
      else if (char === '.' && this.#isDigit(i + 1) && isWord(this.#at(i - 1))) i = this.#runEnd(i + 1, '.');
      else i++;
    }
    return null;
  }

  /** Every number, in order. */
  *all(): Generator<WrittenNumber> {
    for (let number = this.next(0); number !== null; number = this.next(number.end)) yield number;
  }

  #at(i: number): string | undefined {
    this.work++;
    return this.text[i];
  }

  #isDigit(i: number): boolean {
    this.work++;
    const code = this.text.charCodeAt(i);
    return code >= 48 && code <= 57;
  }

  #has(word: string, i: number): boolean {
    this.work += word.length;
    return this.text.startsWith(word, i);
  }

  #digitsEnd(from: number): number {
    let i = from;
    while (this.#isDigit(i)) i++;
    return i;
  }

  /** The position after at most `most` blanks. */
  #blanksEnd(from: number, most = MOST_BLANKS): number {
    let i = from;
    while (i < from + most && this.#at(i) === ' ') i++;
    return i;
  }

  #isNumberAt(i: number): boolean {
    if (this.#isDigit(i)) return true;
    if (this.#at(i) === '.') return this.#isDigit(i + 1) && this.#at(i - 1) !== '.' && !isWord(this.#at(i - 1));
    return this.#has('\\frac', i);
  }

  /** The position after a group in braces that begins at `i`; `i` without one. */
  #groupEnd(i: number): number {
    if (this.#at(i) !== '{') return i;
    for (let [at, depth] = [i, 0]; at < i + MOST_SKIPPED && at < this.text.length; at++) {
      const char = this.#at(at);
      if (char === '{') depth++;
      else if (char === '}' && --depth === 0) return at + 1;
    }
    return i + 1;
  }

  /** The end of a superscript or subscript of something that is not a number, so that its digits are not read either. */
  #scriptEnd(from: number): number {
    const i = this.#blanksEnd(from, 1);
    if (this.#at(i) === '{') return this.#groupEnd(i);
    const signed = this.#at(i) === '-' || this.#at(i) === '+' ? i + 1 : i;
    return this.#isDigit(signed) ? this.#digitsEnd(signed) : from;
  }

  /** Whether the number divides something that is not a number: the 2 of (a + b)/2 is not read. */
  #isDivisor(i: number): boolean {
    const slash = this.#at(i - 1) === ' ' ? i - 2 : i - 1;
    if (this.#at(slash) !== '/') return false;
    const above = this.#at(this.#at(slash - 1) === ' ' ? slash - 2 : slash - 1);
    return above !== undefined && (isWord(above) || above === ')' || above === '}');
  }

  #isSubscript(i: number): boolean {
    const before = this.#at(i - 1);
    return before !== undefined && (isWord(before) || before === '}' || before === ')');
  }

  #commandEnd(i: number): number {
    const command = COMMANDS.find((name) => this.#has(name, i));
    if (command === undefined) return i + 1;
    let end = i + command.length;
    if (this.#at(end) === '[') while (end < i + MOST_SKIPPED && this.#at(end - 1) !== ']') end++;
    if (this.#at(end) === '_') end = this.#scriptEnd(end + 1);
    const group = this.#groupEnd(end);
    // \binom has two groups, and \sqrt3 has a digit.
    return group > end ? this.#groupEnd(group) : this.#digitsEnd(end);
  }

  /** Reads a number that begins with a digit, a point or \frac. */
  #number(at: number): WrittenNumber & { fault: Fault | null } {
    let part = this.#factor(at);
    if (part.fault === null) part = this.#mixed(part) ?? this.#ratio(part);
    let { end } = part;
    const behind = this.#blanksEnd(end, 1);
    const next = this.#at(behind);
    // Checks first whether anything relevant follows, since it mostly does not.
    const isFollowed = next !== undefined && ('%\\√'.includes(next) || isWord(next));
    if (isFollowed && part.fault === null && IRRATIONAL.some((name) => this.#has(name, behind))) part = broken(behind);
    const large = isFollowed
      ? LARGE.find(([word]) => this.#has(word, behind) && !isWord(this.text[behind + word.length]))
      : undefined;
    if (large) end = behind + large[0].length;
    const sign = isFollowed ? this.#percentEnd(end) : end;
    const isPercent = sign > end;
    const { isMinus, from } = this.#signBefore(at);
    const value = () => {
      const size = large ? times(part.value(), power(large[1])) : part.value();
      return isMinus ? negative(size) : size;
    };
    return { from, end: Math.max(end, sign, part.end), isPercent, value, fault: part.fault };
  }

  #percentEnd(from: number): number {
    const at = this.#blanksEnd(from, 1);
    const word = ['%', 'percent', 'per cent'].find((text) => this.#has(text, at));
    return word === undefined || (word !== '%' && isWord(this.text[at + word.length])) ? from : at + word.length;
  }

  /** The sign before the number that begins at `at`, with a currency sign on either side of it. A minus after a word or a number is a range
   *  or a difference: 3-5 does not contain −5. */
  #signBefore(at: number): { isMinus: boolean; from: number } {
    let from = at;
    const money = (i: number) => i >= 0 && MONEY.includes(this.#at(i)!);
    const paid = this.#at(from - 1) === ' ' ? from - 2 : from - 1;
    const isPaid = money(paid);
    if (isPaid) from = paid;
    const sign = from - 1;
    const char = this.#at(sign);
    if (char !== '-' && char !== '+') return { isMinus: false, from };
    const before = this.#at(sign - 1);
    // $3$-$5$ is a range.
    if (noMinusAfter(before) || (isPaid && before === '$')) return { isMinus: false, from };
    return { isMinus: char === '-', from: money(sign - 1) && !isPaid ? sign - 1 : sign };
  }

  /** A mixed number: `whole` and a proper fraction after it; null without one. */
  #mixed(whole: Part): Part | null {
    if (!whole.isWhole) return null;
    const from = this.#blanksEnd(whole.end);
    let fraction: Part;
    if (this.#has('\\frac', from)) fraction = this.#fraction(from);
    else {
      if (from === whole.end || !this.#isDigit(from)) return null;
      const above = this.#digitsEnd(from);
      const slash = this.#blanksEnd(above, 1);
      if (this.#at(slash) !== '/') return null;
      const below = this.#blanksEnd(slash + 1, 1);
      const end = this.#digitsEnd(below);
      if (end === below || this.#goesOn(end)) return null;
      fraction = this.#quotient(this.#digits(from, above), this.#digits(below, end));
    }
    if (fraction.fault !== null) return fraction;
    if (fraction.isZero) return broken(fraction.end);
    const part = fraction.value();
    // 2\frac{3}{2} is a product, and 2 3/2 is two numbers.
    if (part.num < 0n || part.num >= part.den) return this.text[from] === '\\' ? broken(fraction.end) : null;
    return { ...fraction, value: () => plus(whole.value(), part) };
  }

  #ratio(above: Part): Part {
    const slash = this.#blanksEnd(above.end);
    if (this.#at(slash) !== '/') return above;
    const from = this.#blanksEnd(slash + 1);
    const sign = this.#at(from);
    const isSigned = sign === '-' || sign === '+';
    const at = isSigned ? from + 1 : from;
    if (!this.#isNumberAt(at)) return above;
    const below = this.#factor(at);
    if (below.fault !== null) return below;
    // Two slashes make a date.
    if (this.#at(below.end) === '/' && this.#isDigit(below.end + 1)) return broken(this.#runEnd(below.end, '/.'));
    const ratio = this.#quotient(above, below);
    return sign === '-' ? { ...ratio, value: () => negative(ratio.value()) } : ratio;
  }

  #quotient(above: Part, below: Part): Part {
    if (above.fault ?? below.fault) return broken(below.end, above.fault ?? below.fault ?? 'form');
    if (below.isZero) return broken(below.end, 'zero');
    const { end } = below;
    return { end, fault: null, isWhole: false, isZero: above.isZero, value: () => over(above.value(), below.value()) };
  }

  #factor(at: number): Part {
    return this.#at(at) === '\\' ? this.#fraction(at) : this.#decimal(at);
  }

  /** Reads a fraction that begins with `\frac`. */
  #fraction(at: number): Part {
    const from = at + '\\frac'.length;
    const above = this.#argument(from);
    const below = above && this.#argument(above.end);
    if (above && below) return this.#quotient(above, below);
    const first = this.#groupEnd(this.#blanksEnd(from));
    return broken(Math.max(from, this.#groupEnd(this.#blanksEnd(first))));
  }

  #argument(from: number): Part | null {
    let at = this.#blanksEnd(from, MOST_SKIPPED);
    if (this.#isDigit(at)) return this.#digits(at, at + 1);
    if (this.#at(at) !== '{') return null;
    at = this.#blanksEnd(at + 1, MOST_SKIPPED);
    const sign = this.#at(at);
    if (sign === '-' || sign === '+') at++;
    if (!this.#isDigit(at) && this.#at(at) !== '.') return null;
    if (this.#at(at) === '.' && !this.#isDigit(at + 1)) return null;
    const part = this.#decimal(at);
    const end = this.#blanksEnd(part.end, MOST_SKIPPED);
    if (this.#at(end) !== '}') return null;
    return { ...part, end: end + 1, value: sign === '-' ? () => negative(part.value()) : part.value };
  }

  #digits(from: number, end: number): Part {
    const text = this.text.slice(from, end);
    if (text.length > MOST_DIGITS) return broken(end, 'long');
    return { end, fault: null, isWhole: true, isZero: /^0*$/.test(text), value: () => rational(BigInt(text)) };
  }

  /** The position after digits and characters of `between`, as long as a digit follows those. */
  #runEnd(from: number, between: string): number {
    let i = from;
    for (;;) {
      if (this.#isDigit(i)) i++;
      else if (between.includes(this.#at(i) ?? '\n') && this.#isDigit(i + 1)) i += 2;
      else return i;
    }
  }

  #goesOn(end: number): boolean {
    return './,'.includes(this.#at(end) ?? '\n') && this.#isDigit(end + 1);
  }

  /** The position after digits with separators. Groups must all have three digits: 2,5 and 1,22 are lists. */
  #wholeEnd(at: number): number {
    const end = this.#digitsEnd(at);
    const separator = this.#at(end);
    if (separator === '_') return this.#runEnd(end, '_');
    if (end - at > 3 || separator === undefined || !", '".includes(separator)) return end;
    // This is a later member of a list.
    if (this.#at(at - 1) === separator && this.#isDigit(at - 2)) return end;
    let last = separator === ',' && end - at < 3 ? this.#pairsEnd(end) : end;
    while (this.#at(last) === separator && this.#digitsEnd(last + 1) === last + 4) last += 4;
    if (this.#at(last) !== separator || !this.#isDigit(last + 1)) return last;
    // A fraction may follow the groups after a blank.
    return separator === ' ' && this.#at(this.#digitsEnd(last + 1)) === '/' ? last : end;
  }

  /** The position after groups of two digits, as in Indian notation before the last three: 1,00,000. */
  #pairsEnd(from: number): number {
    let i = from;
    while (this.#at(i) === ',' && this.#digitsEnd(i + 1) === i + 3) i += 3;
    return i > from && this.#at(i) === ',' && this.#digitsEnd(i + 1) === i + 4 && !this.#goesOn(i + 4) ? i : from;
  }

  /** Reads a decimal that begins with a digit or a point, with exponent and powers. */
  #decimal(at: number): Part {
    if (this.#at(at) === '0' && 'xXbBoO'.includes(this.#at(at + 1) ?? '0') && /[\da-fA-F]/.test(this.#at(at + 2) ?? ''))
      return broken(this.#wordEnd(at));
    let end = this.#isDigit(at) ? this.#wholeEnd(at) : at;
    const digits = this.text.slice(at, end).replace(/[,_' ]/g, '');
    let places = '';
    let hasPoint = false;
    if (this.#at(end) === '.' && this.#isDigit(end + 1)) {
      const last = this.#digitsEnd(end + 1);
      places = this.text.slice(end + 1, last);
      hasPoint = true;
      end = last;
      const isDotted = this.#at(end) === '.' && this.#isDigit(end + 1);
      // 1.234,56 is ambiguous: one number or two.
      const isForeign = places.length === 3 && digits.length <= 3 && this.#at(end) === ',' && this.#isDigit(end + 1);
      if (isDotted || (isForeign && this.#at(this.#digitsEnd(end + 1)) !== '.')) return broken(this.#runEnd(end, '.,'));
    } else if (this.#at(end) === '.' && this.#at(end + 1) !== '.') {
      if (REPEATING.some((name) => this.#has(name, end + 1))) return broken(this.#commandEnd(end + 1));
      hasPoint = true;
      end++;
    }
    // A time of day is not a number.
    const isTime = this.#at(end) === ':' && this.#digitsEnd(end + 1) === end + 3 && digits.length <= 2;
    if (isTime && !hasPoint && !isWord(this.#at(at - 1))) return broken(this.#runEnd(end, ':.'));
    return this.#scaled(end, digits, places, hasPoint);
  }

  #wordEnd(from: number): number {
    let i = from;
    while (isWord(this.#at(i))) i++;
    return i;
  }

  /** Completes a decimal with what may follow it: e5, ^2, *10^5. */
  #scaled(from: number, digits: string, places: string, hasPoint: boolean): Part {
    let end = from;
    let exponent = 0;
    const letter = this.#at(end);
    if (letter === 'e' || letter === 'E') {
      const found = this.#integer(end + 1);
      if (found && !isWord(this.#at(found.end))) ({ end, value: exponent } = found);
    }
    let raised = 1;
    const caret = this.#blanksEnd(end, 1);
    if (this.#at(caret) === '^' && !this.#isDegree(caret)) {
      const found = this.#exponent(caret);
      if (!found) return broken(Math.max(this.#scriptEnd(caret + 1), caret + 1));
      ({ end, value: raised } = found);
    }
    const product = this.#blanksEnd(end);
    const isProduct = this.#at(product) === '*' || (this.#at(product) === 'x' && raised === 1);
    const ten = isProduct ? this.#blanksEnd(product + 1) : product;
    const shift = isProduct && this.#has('10', ten) ? this.#exponent(this.#blanksEnd(ten + 2, 1)) : null;
    if (shift) end = shift.end;
    const isWhole = end === from && !hasPoint;
    const isZero = /^0*$/.test(digits + places);
    const size = digits.length + places.length;
    const isLong = size > MOST_DIGITS || [exponent, shift?.value ?? 0].some((by) => Math.abs(by) > MOST_DIGITS);
    if (isLong || (raised !== 1 && (size + Math.abs(exponent)) * Math.abs(raised) > MOST_DIGITS))
      return broken(end, 'long');
    if (isZero && raised <= 0) return broken(end, 'zero');
    const value = () => {
      const plain = times(rational(BigInt(digits + places), 10n ** BigInt(places.length)), power(exponent));
      const { num, den } = plain;
      const of = BigInt(Math.abs(raised));
      const whole = raised === 1 ? plain : raised < 0 ? rational(den ** of, num ** of) : rational(num ** of, den ** of);
      return shift ? times(whole, power(shift.value)) : whole;
    };
    return { end, fault: null, isWhole, isZero, value };
  }

  /** Whether the caret denotes degrees, as in 5^\circ. */
  #isDegree(caret: number): boolean {
    const at = this.#blanksEnd(caret + 1, 1);
    return this.#has('\\circ', this.#at(at) === '{' ? at + 1 : at);
  }

  /** Reads an exponent that begins with `^`; null if it is not an integer, or has another exponent. */
  #exponent(caret: number): { end: number; value: number } | null {
    if (this.#at(caret) !== '^') return null;
    const at = this.#blanksEnd(caret + 1, 1);
    const isGroup = this.#at(at) === '{';
    const found = this.#integer(isGroup ? this.#blanksEnd(at + 1) : at);
    if (!found) return null;
    const behind = isGroup ? this.#blanksEnd(found.end) : found.end;
    if (isGroup && this.#at(behind) !== '}') return null;
    const end = isGroup ? behind + 1 : behind;
    return this.#at(end) === '^' || (!isGroup && this.#goesOn(end)) ? null : { ...found, end };
  }

  #integer(from: number): { end: number; value: number } | null {
    const sign = this.#at(from);
    const at = sign === '-' || sign === '+' ? from + 1 : from;
    const end = this.#digitsEnd(at);
    if (end === at) return null;
    const size = Number(this.text.slice(at, end));
    return { end, value: sign === '-' ? -size : size };
  }
}
