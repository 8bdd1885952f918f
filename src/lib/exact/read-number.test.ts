// Tests numbers that a file may state, refusals and their messages, and the value of an answer.
import { describe, expect, it } from 'vitest';
import { showRational } from './rational.ts';
import { boxesIn, isSameNumber, numberOfAnswer, numbersOfAnswer, readNumber, readStatedNumber } from './read-number.ts';

const shown = (read: ReturnType<typeof readNumber>) => ('value' in read ? showRational(read.value) : read.why);

describe('a number of a file', () => {
  const twenty = '12345678901234567891';
  it.each([
    ['42', '42'],
    [' +42 ', '42'],
    ['−5', '-5'],
    ['-$5', '-5'],
    ['.5', '1/2'],
    ['1e5', '100000'],
    ['1.5e-3', '3/2000'],
    ['1e21', `1${'0'.repeat(21)}`],
    ['1e-7', '1/10000000'],
    [twenty, twenty],
    ['1,234', '1234'],
    ['00012', '12'],
    ['-0.0', '0'],
    ['1/3', '1/3'],
    ['1 1/2', '3/2'],
    ['50%', '50'],
    ['$42$', '42'],
    ['\\(42\\)', '42'],
    ['{{3}}', '3'],
    ['- \\frac{1}{2}', '-1/2'],
    ['- 5', '-5'],
    ['\\boxed{1,234}', '1234'],
    ['so \\boxed{-\\frac12}.', '-1/2'],
    ['\\boxed{3} or \\boxed{4}', '4'],
    ['48/2 = 24\n#### 72', '72'],
    ['#### \\boxed{1/2}', '1/2'],
  ])('%j is %s', (text, value) => expect(shown(readStatedNumber(text))).toBe(value));

  const WHOLE = 'is not one number as a whole';
  it.each([
    ['', WHOLE],
    ['pages 3-5', WHOLE],
    ['3-5', WHOLE],
    ['42 apples', WHOLE],
    ['about 42', WHOLE],
    ['1.234.567', WHOLE],
    ['2,5', WHOLE],
    ['1 2', WHOLE],
    ['x=5', WHOLE],
    ['0x10', WHOLE],
    ['Infinity', WHOLE],
    ['\\boxed{5 \\text{ cm}}', WHOLE],
    ['\\boxed{42', WHOLE],
    ['7\n#### none', WHOLE],
    ['5/0', 'divides by zero'],
    ['\\frac{1}{0}', 'divides by zero'],
    ['1e1000000000', 'has more than 1000 digits, or an exponent beyond ±1000'],
    ['1e999999999999999999999999', 'has more than 1000 digits, or an exponent beyond ±1000'],
  ])('%j is refused: it %s', (text, why) => expect(shown(readStatedNumber(text))).toBe(why));

  it('with too many digits is refused before its value is computed', () => {
    expect(shown(readNumber('9'.repeat(1001)))).toBe('has more than 1000 digits, or an exponent beyond ±1000');
    expect(shown(readNumber('9'.repeat(10_000_000)))).toBe('has 10000000 characters, a number has at most 4000');
  });
});

describe('an answer', () => {
  it.each([
    ['so 3, and 1,250 in all.', '1250'],
    ['The answer is .5.', '1/2'],
    ['pages 3-5', '5'],
    ['none', null],
    // A box is the answer, and must have a single number, optionally with a name or a unit.
    ['\\boxed{\\frac{2}{4}} of 7', '1/2'],
    ['\\boxed{x} of 7', null],
    ['\\boxed{3} no: \\boxed{x = 5}', '5'],
    ['\\boxed{5 \\text{ cm}^2}', '5'],
    ['\\boxed{\\$5}', '5'],
    ['\\boxed{42} in 3 steps', '42'],
    ['\\boxed{12345678901234567890123456789012345678901234}', '12345678901234567890123456789012345678901234'],
    ['\\boxed{3x+2}', null],
    ['\\boxed{2\\sqrt{3}}', null],
    ['\\boxed{\\sqrt{3}}', null],
    ['\\boxed{x > 5}', null],
    ['\\boxed{\\pm 5}', null],
    ['\\boxed{5, 6}', null],
    ['\\boxed{- 5}', '-5'],
    ['\\boxed{x = - \\frac{1}{2}}', '-1/2'],
    ['\\boxed{\\text{-}5}', null],
    ['\\boxed{-(5)}', null],
    ['\\boxed{y \\approx 0.5}', '1/2'],
    ['\\boxed{\\boxed{4}}', '4'],
    // An unclosed box is ignored.
    ['\\boxed{42', '42'],
    ['\\boxed{42} then \\boxed{', '42'],
  ])('%j has the value %s', (answer, value) => expect(numberOfAnswer(answer)).toBe(value));

  it('counts its numbers, or its boxes', () => {
    expect(numbersOfAnswer('2 or 3').count).toBe(2);
    expect(numbersOfAnswer('of 7 apples \\boxed{3}').count).toBe(1);
    expect(numbersOfAnswer('\\boxed{3}, \\boxed{4}')).toMatchObject({ count: 2, first: { value: { num: 3n } } });
  });

  it('is compared exactly, with percentages in either form', () => {
    const read = (text: string) => numbersOfAnswer(text).last!;
    expect(isSameNumber(read('12345678901234567891'), read('12345678901234567890'))).toBe(false);
    expect(isSameNumber(read('0.1'), read('1/10'))).toBe(true);
    for (const other of ['50', '0.5', '50%']) expect(isSameNumber(read('50%'), read(other))).toBe(true);
    expect(isSameNumber(read('50%'), read('5'))).toBe(false);
  });

  it('of any length is read in linear time', () => {
    const long = 100_000;
    expect(boxesIn('\\boxed{'.repeat(long))).toEqual([]);
    expect(boxesIn(`${'\\boxed{'.repeat(long)}${'}'.repeat(long)}`)).toHaveLength(1);
    expect(boxesIn(`\\boxed{\\{3\\}}${'}'.repeat(long)}`)).toEqual([[7, 12]]);
    expect(numberOfAnswer(`\\boxed{${'1'.repeat(long)}}`)).toBeNull();
    expect(numberOfAnswer(`${'7 '.repeat(10_000)}8`)).toBe('8');
  });
});
