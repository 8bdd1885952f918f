// Tests the grader: which values are equal, what counts as no answer, and that its time is bounded for any text.
import { describe, expect, it } from 'vitest';
import { showRational } from '../../lib/exact/rational.ts';
import { gradeArithmetic, lastBox, MAX_LENGTH, parseRational } from './task.ts';

const half = { expected: '0.5', misconception: '2' };
const grade = (completion: string) => gradeArithmetic(half, completion);

describe('values', () => {
  it.each([
    ['1/2', '1/2'],
    ['0.5', '1/2'],
    ['2/4', '1/2'],
    ['.50', '1/2'],
    [' 0.5 ', '1/2'],
    ['\\frac{1}{2}', '1/2'],
    ['\\dfrac{2}{4}', '1/2'],
    ['-\\frac{1}{2}', '-1/2'],
    ['-3', '-3'],
    ['+12', '12'],
    ['7.', '7'],
    ['007', '7'],
    ['0/5', '0'],
    ['1.5/0.5', '3'],
    ['9007199254740993', '9007199254740993'],
  ])('%s is %s', (text, value) => expect(showRational(parseRational(text)!)).toBe(value));

  it.each([
    '',
    ' ',
    '.',
    '-',
    '1/0',
    '1/2/3',
    '1e3',
    '0x10',
    '1,000',
    'NaN',
    'Infinity',
    '\\frac{1}{0}',
    '\\frac{1}2',
    '٣',
  ])('%j is no number', (text) => expect(parseRational(text)).toBeNull());
});

describe('an answer', () => {
  it('is judged by its value in any form', () => {
    for (const text of ['1/2', '0.5', '2/4', '\\frac{1}{2}'])
      expect(grade(`1/2=0.5\n\\boxed{${text}}`)).toMatchObject({ correct: true, formatOk: true, value: '1/2' });
    expect(grade('\\boxed{0.25}')).toMatchObject({ correct: false, formatOk: true, value: '1/4' });
  });

  it('is the last box', () => {
    expect(grade('\\boxed{3} no: \\boxed{1/2}').correct).toBe(true);
    expect(grade('\\boxed{1/2} no: \\boxed{3}').correct).toBe(false);
    // An unfinished box replaces the previous one.
    expect(grade('\\boxed{1/2} no: \\boxed{')).toMatchObject({ answer: null, formatOk: false, correct: false });
  });

  it('reports whether it is the template’s own mistake', () => {
    expect(grade('\\boxed{4/2}')).toMatchObject({ misconception: true, correct: false });
    expect(gradeArithmetic({ expected: '2', misconception: null }, '\\boxed{2}').misconception).toBe(false);
  });

  it('needs a box with a number in it', () => {
    for (const text of ['', '0.5', 'boxed{0.5}', '\\boxed 0.5', '\\boxed{}', '\\boxed{half}', '\\boxed{{0.5}'])
      expect(grade(text)).toMatchObject({ formatOk: false, correct: false, value: null });
    expect(lastBox('\\boxed{\\frac{1}{2}} and so on')).toBe('\\frac{1}{2}');
  });
});

it('reads only the start of the last box, however long the text is', () => {
  const long = 1_000_000;
  const texts = [
    '\\boxed{'.repeat(long / 7),
    `\\boxed{${'1'.repeat(long)}}`,
    `\\boxed{${'{'.repeat(long / 2)}${'}'.repeat(long / 2)}}`,
    `\\boxed{${' '.repeat(long)}1}`,
    `\\boxed{1/${'0'.repeat(long)}}`,
  ];
  for (const text of texts) {
    expect(grade(text)).toMatchObject({ formatOk: false, correct: false });
    const at = text.lastIndexOf('\\boxed{');
    const seen = text.slice(at, at + '\\boxed{'.length + MAX_LENGTH + 1);
    // The rest of the text is ignored, so the verdict follows from these few characters.
    for (const other of [seen, `${'{'.repeat(long)}${seen}`, `\\boxed{0.5}${seen}`])
      expect(grade(other)).toEqual(grade(text));
  }
});
