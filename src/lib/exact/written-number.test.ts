// Tests which numbers are read, which are skipped, and that work is linear in the text.
import { describe, expect, it } from 'vitest';
import { plainCharacters } from './characters.ts';
import { showRational } from './rational.ts';
import { MOST_DIGITS, NumberReader } from './written-number.ts';

const numbersIn = (text: string): string[] =>
  Array.from(new NumberReader(plainCharacters(text)).all(), (number) => showRational(number.value()));

describe('a text', () => {
  it.each([
    ['From 1,000 to 2,5 and x-3, 7-2, -8; 0.5.', ['1000', '2', '5', '3', '7', '2', '-8', '1/2']],
    // The hyphen of a range is not a minus sign.
    ['pages 3-5, 3–5, 3−5 and 3--5', ['3', '5', '3', '5', '3', '5', '3', '5']],
    ['costs –5, −5, ‑5 or -5', ['-5', '-5', '-5', '-5']],
    ['-$5, $-5, −\\$5, $ 5, $3$-$5$', ['-5', '-5', '-5', '5', '3', '5']],
    ['(3)-5, x-5, 50%-5', ['3', '5', '5', '50', '5']],
    ['on 2024-07-26', ['2024', '7', '26']],
    // These numbers have groups of digits.
    ['1,234 and 1,234,567.5', ['1234', '2469135/2']],
    [
      '1 234 567, 1\u00a0000, 1\u202f000, 1’000, 1_000, 1{,}234, 1\\,234, 1,\\!234',
      ['1234567', '1000', '1000', '1000', '1000', '1234', '1234', '1234'],
    ],
    ['1,00,000 and 12,34,567', ['100000', '1234567']],
    // Numbers in columns are not groups of one number.
    ['1\t234\n1\n234', ['1', '234', '1', '234']],
    ['1 2 3 100', ['1', '2', '3', '100']],
    ['1,2,300', ['1', '2', '300']],
    ['in 2020 100 people', ['2020', '100']],
    // These numbers have decimal points and exponents.
    ['.5 -.5 5. ...7', ['1/2', '-1/2', '5', '7']],
    ['1e5, 1.5E-3, 2e+2, 1e−2', ['100000', '3/2000', '200', '1/100']],
    ['1.5 × 10^3, 3\\times10^{-2}, 2·10⁵, 10^6, 4x10^2', ['1500', '3/100', '200000', '1000000', '400']],
    ['2^10, 2⁸, 2^{-1}, 5²', ['1024', '256', '1/2', '25']],
    ['5 million, 2 thousand, 1.5 billion', ['5000000', '2000', '1500000000']],
    // These are fractions.
    ['3/4, 3 / 4, -3/4, 3/-4, ½, 2½', ['3/4', '3/4', '-3/4', '-3/4', '1/2', '5/2']],
    ['1 1/2, -1 1/2, 2 5/3', ['3/2', '-3/2', '2', '5/3']],
    [
      '\\frac{1}{2}, \\dfrac12, \\tfrac1{2}, -\\frac{1}{2}, \\frac{-1}{2}, 2\\frac{1}{2}',
      ['1/2', '1/2', '1/2', '-1/2', '-1/2', '5/2'],
    ],
    // These are other readable spellings.
    ['３４５ and 𝟒𝟐 and 5\u200b0', ['345', '42', '50']],
    ['50%, 50\\%, 50 percent', ['50', '50', '50']],
    ['90^\\circ, 5 cm^2, 5 cm², x^2 = 9, x_1, a_{12}, **42**, _42_', ['90', '5', '5', '9', '42', '42']],
  ])('%j has %j', (text, expected) => {
    expect(numbersIn(text)).toEqual(expected);
  });

  it.each([
    ['1.234.567'],
    ['1.2.3.4'],
    ['1.234,56'],
    ['26/07/2024'],
    ['12:30'],
    ['0x10'],
    ['0b101'],
    ['5/0'],
    ['1/0.0'],
    ['0^{-1}'],
    ['\\frac{1}{0}'],
    ['\\frac{x}{2}'],
    ['\\frac{x+1}{\\frac{3}{4}}'],
    ['2\\frac{3}{2}'],
    ['\\sqrt{3}'],
    ['\\sqrt[3]{8}'],
    ['√2'],
    ['2\\pi'],
    ['2√3'],
    ['2^x'],
    ['2^{n+1}'],
    ['2^3^2'],
    ['x.5'],
    ['0.\\overline{3}'],
    ['1e1000000000'],
    ['1e-1000000000'],
    ['9^999999999'],
    ['10^{99999}'],
    [`1e${'9'.repeat(1000)}`],
    ['9'.repeat(MOST_DIGITS + 1)],
    ['x/2'],
    ['(a + b) / 2'],
    ['\\sqrt{x}/\\frac{1}{2}'],
    ['half'],
  ])('%s has no number, not even partially', (text) => {
    expect(numbersIn(text)).toEqual([]);
  });
});

it('examines each character a bounded number of times for any text', () => {
  const long = 20_000;
  const texts = [
    '1'.repeat(long),
    '1,'.repeat(long),
    '1,111'.repeat(long / 5),
    `1${',111'.repeat(long / 4)}1`,
    `1${' 111'.repeat(long / 4)}1`,
    `1${',11'.repeat(long / 3)}`,
    `1${'_1'.repeat(long / 2)}x`,
    '1.'.repeat(long),
    '1.234,'.repeat(long / 6),
    '1/'.repeat(long),
    '1 1/'.repeat(long / 4),
    '1e'.repeat(long),
    '1^'.repeat(long),
    '2^{'.repeat(long / 3),
    'x^{'.repeat(long / 3),
    '\\frac{'.repeat(long / 6),
    '\\frac'.repeat(long / 5),
    `\\frac{${' '.repeat(long)}`,
    `${' '.repeat(long)}\\frac12`,
    '- \\frac12'.repeat(long / 9),
    '\\sqrt['.repeat(long / 6),
    '\\sqrt{{{'.repeat(long / 8),
    '√'.repeat(long),
    '-'.repeat(long),
    '$'.repeat(long),
    `1${' '.repeat(long)}/2`,
    '1 * 10 ^ '.repeat(long / 9),
    '0x'.repeat(long),
    '12:30:'.repeat(long / 6),
    '{'.repeat(long),
    `1e${'9'.repeat(long)}`,
  ];
  for (const text of texts) {
    const reader = new NumberReader(plainCharacters(text));
    for (const _ of reader.all());
    expect(reader.work / text.length, text.slice(0, 20)).toBeLessThan(100);
  }
});
