// Numbers of files and of answers, by one reader (written-number.ts) under two rules. A file must state one number and nothing else, or it
// is refused. An answer cannot be refused: its boxes count if it has any, else the numbers in its text.

import { plainCharacters } from './characters.ts';
import { over, type Rational, rational, sameValue, showRational } from './rational.ts';
import { MOST_DIGITS, NumberReader, type WrittenNumber } from './written-number.ts';

/** Version stored beside numbers that were read: a file of rows is not continued under other rules. */
export const NUMBER_RULES = 'numbers/1';

/** An exact value, and whether it was written with a per cent sign. */
export interface NumberRead {
  value: Rational;
  isPercent: boolean;
}

/** Why a text is no number, as the end of a sentence. */
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

/** Joins a sign to a number that is the whole text, over blanks: - 5, - \\frac{1}{2}. */
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

/** Reads a text that is one number, apart from math delimiters, braces and spaces around it. */
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

/** Reads like readNumber, but in a worked solution only the part behind the last `####` (as in GSM8K), or in the last \boxed{}. */
export function readStatedNumber(text: string): NumberRead | NumberRefused {
  const mark = text.lastIndexOf('####');
  const stated = mark < 0 ? text : text.slice(mark + 4);
  const box = boxesIn(stated).at(-1);
  return readNumber(box === undefined ? stated : stated.slice(...box));
}

const BOX = /\\(?:boxed|fbox)[ \t]*\{|\\[\s\S]|[{}]/g;

/** Spans of closed boxes' contents, in order; of nested boxes only the innermost. Linear in the text. */
export function boxesIn(text: string): [from: number, end: number][] {
  const boxes: [number, number][] = [];
  /** For each open brace, the start of a box's contents; −1 for any other brace. */
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

/** Signs of a comparison or of arithmetic: a number beside one is no answer by itself. */
const OPERATOR = /[<>≤≥≠±+*/^√π]|-(?=[\s\d({}\\]|$)|\\(?:[lg]eq?|ne[ql]?|pm|mp|sqrt|pi|frac|infty)(?![A-Za-z])/;
const UNIT_POWER = /(?<=[\p{L}}])\^(?:\{[23]\}|[23])/gu;

/** The one number in a box, behind a name (x = 5) or before a unit; else null. */
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
  /** Null without a number, and for a box with other content. */
  first: NumberRead | null;
  last: NumberRead | null;
}

/** The numbers of a model's answer: one for each closed box, if there are any, else all in its text. Linear in the text. */
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

/** Value of an answer: its last box, or its last number. In lowest terms, 1/2 for 0.5; null without one. */
export function numberOfAnswer(answer: string): string | null {
  const { last } = numbersOfAnswer(answer);
  return last && showRational(last.value);
}

const HUNDRED = rational(100n);

/** Values of a number: 50% is 50 and 1/2. */
export const valuesOf = ({ value, isPercent }: NumberRead): Rational[] =>
  isPercent ? [value, over(value, HUNDRED)] : [value];

/** Whether two spellings mean one value. */
export const isSameNumber = (a: NumberRead, b: NumberRead): boolean =>
  valuesOf(a).some((one) => valuesOf(b).some((other) => sameValue(one, other)));
