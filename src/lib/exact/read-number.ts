// Reads numbers of files and of answers with the same reader (written-number.ts) but two rules. A file must state a single number, otherwise
// it is refused. An answer is never refused: its boxes count if it has any, otherwise the numbers in its text.

import { plainCharacters } from './characters.ts';
import { over, type Rational, rational, sameValue, showRational } from './rational.ts';
import { MOST_DIGITS, NumberReader, type WrittenNumber } from './written-number.ts';

/** Version stored with numbers that were read, so that a file of rows is not continued with other rules. */
export const NUMBER_RULES = 'numbers/1';

/** An exact value, and whether it was written with a percent sign. */
export interface NumberRead {
  value: Rational;
  isPercent: boolean;
}

/** Why a text is not a number, as the end of a sentence. */
export interface NumberRefused {
  why: string;
}

/** Longest text of a number: digits, separators and LaTeX of numerator and denominator. */
const MOST_CHARACTERS = 4 * MOST_DIGITS;

const WRAPPED = [
  ['$$', '$$'],
  ['$', '$'],
  ['\\(', '\\)'],
  ['\\[', '\\]'],
  ['{', '}'],
] as const;

/** Removes blanks between a sign and the number after it: - 5, - \\frac{1}{2}. */
const withSign = (text: string): string => text.trim().replace(/^([-+]) +/, '$1');

function unwrapped(text: string): string {
  let inside = text.trim();
  for (let depth = 0; depth < 8; depth++) {
    const pair = WRAPPED.find(
      ([open, close]) =>
        inside.length > open.length + close.length && inside.startsWith(open) && inside.endsWith(close),
    );
    if (!pair) break;
    inside = inside.slice(pair[0].length, -pair[1].length).trim();
  }
  return withSign(inside);
}

/** Reads a text that is a single number, apart from math delimiters, braces and spaces around it. */
export function readNumber(text: string): NumberRead | NumberRefused {
  if (text.length > MOST_CHARACTERS)
    return { why: `has ${text.length} characters, a number has at most ${MOST_CHARACTERS}` };
  const plain = unwrapped(plainCharacters(text));
  const reader = new NumberReader(plain);
  const found = reader.next(0);
  if (found === null && reader.fault === 'zero') return { why: 'divides by zero' };
  if (found === null && reader.fault === 'long')
    return { why: `has more than ${MOST_DIGITS} digits, or an exponent beyond ±${MOST_DIGITS}` };
  if (found === null || found.from > 0 || found.end < plain.length) return { why: 'is not one number as a whole' };
  return { value: found.value(), isPercent: found.isPercent };
}

/** As readNumber, but in a worked solution reads only the part after the last `####` (as in GSM8K), or in the last \boxed{}. */
export function readStatedNumber(text: string): NumberRead | NumberRefused {
  const mark = text.lastIndexOf('####');
  const stated = mark < 0 ? text : text.slice(mark + 4);
  const box = boxesIn(stated).at(-1);
  return readNumber(box === undefined ? stated : stated.slice(...box));
}

const BOX = /\\(?:boxed|fbox)[ \t]*\{|\\[\s\S]|[{}]/g;

/** Spans of the contents of closed boxes, in order; for nested boxes only the innermost. Linear in the text. */
export function boxesIn(text: string): [from: number, end: number][] {
  const boxes: [number, number][] = [];
  /** For each open brace, the start of its contents if it opens a box, otherwise −1. */
  const open: number[] = [];
  let inner = -1;
  for (const { 0: found, index } of text.matchAll(BOX)) {
    if (found === '{') open.push(-1);
    else if (found === '}') {
      const from = open.pop() ?? -1;
      if (from > inner) boxes.push([from, index]);
      if (from >= 0) inner = Math.max(inner, from);
    } else if (found.endsWith('{') && found.length > 2) open.push(index + found.length);
  }
  return boxes;
}

/** Operators of comparisons and arithmetic; a number beside one is not an answer by itself. */
const OPERATOR = /[<>≤≥≠±+*/^√π]|-(?=[\s\d({}\\]|$)|\\(?:[lg]eq?|ne[ql]?|pm|mp|sqrt|pi|frac|infty)(?![A-Za-z])/;
const UNIT_POWER = /(?<=[\p{L}}])\^(?:\{[23]\}|[23])/gu;

/** The single number in a box, optionally after a name (x = 5) or before a unit; otherwise null. */
function inBox(contents: string): NumberRead | null {
  const whole = readNumber(contents);
  if ('value' in whole) return whole;
  if (contents.length > MOST_CHARACTERS) return null;
  const plain = plainCharacters(contents);
  const name = Math.max(plain.lastIndexOf('='), plain.lastIndexOf('≈'), plain.lastIndexOf('\\approx'));
  const behind = withSign(plain.slice(name + 1));
  const [found, ...more] = new NumberReader(behind).all();
  if (!found || more.length > 0) return null;
  const rest = `${behind.slice(0, found.from)} ${behind.slice(found.end)}`.replace(UNIT_POWER, '');
  return OPERATOR.test(rest) || /\d/.test(rest) ? null : readOf(found);
}

const readOf = (found: WrittenNumber): NumberRead => ({ value: found.value(), isPercent: found.isPercent });

interface NumbersOfAnswer {
  count: number;
  /** Null without a number, or for a box with other content. */
  first: NumberRead | null;
  last: NumberRead | null;
}

/** The numbers of a model's answer: one for each closed box if there are any, otherwise all in its text. Linear in the text. */
export function numbersOfAnswer(answer: string): NumbersOfAnswer {
  const boxes = boxesIn(answer);
  if (boxes.length > 0) {
    const of = (box: [number, number]) => inBox(answer.slice(...box));
    return { count: boxes.length, first: of(boxes[0]), last: of(boxes[boxes.length - 1]) };
  }
  let count = 0;
  let first: WrittenNumber | null = null;
  let last: WrittenNumber | null = null;
  for (const found of new NumberReader(plainCharacters(answer)).all()) {
    count++;
    first ??= found;
    last = found;
  }
  return { count, first: first && readOf(first), last: last && readOf(last) };
}

/** Value of an answer: its last box, or its last number, in lowest terms (1/2 for 0.5); null without one. */
export function numberOfAnswer(answer: string): string | null {
  const { last } = numbersOfAnswer(answer);
  return last && showRational(last.value);
}

const HUNDRED = rational(100n);

/** Possible values of a number: 50% is 50 or 1/2. */
export const valuesOf = ({ value, isPercent }: NumberRead): Rational[] =>
  isPercent ? [value, over(value, HUNDRED)] : [value];

/** Whether two numbers have a common value. */
export const isSameNumber = (a: NumberRead, b: NumberRead): boolean =>
  valuesOf(a).some((one) => valuesOf(b).some((other) => sameValue(one, other)));
