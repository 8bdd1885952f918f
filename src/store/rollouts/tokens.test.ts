import { describe, expect, it } from 'vitest';
import { alignTokens, markSpans, shadeOf, spanLines, type TokenShadingName } from './tokens.ts';

const pieces = [
  { text: 'ab', tokens: 1 },
  { text: '🙂', tokens: 3 },
  { text: ')\n\n', tokens: 1 },
];

describe('alignTokens', () => {
  it('adds the numbers of the bytes of one character, and separates the end token', () => {
    expect(alignTokens(pieces, [-1, -2, -3, -4, -5, -6])).toEqual({
      spans: [
        { text: 'ab', value: -1, at: 0 },
        { text: '🙂', value: -9, at: 1 },
        { text: ')\n\n', value: -5, at: 2 },
      ],
      end: -6,
    });
    expect(alignTokens(pieces, [-1, -2, -3, -4, -5])?.end).toBeNull();
  });

  it('refuses tokens that do not match the text', () => {
    expect(alignTokens(pieces, [-1, -2, -3, -4])).toBeNull();
    expect(alignTokens(pieces, [-1, -2, -3, -4, -5, -6, -7])).toBeNull();
    expect(alignTokens(pieces, null)).toBeNull();
    expect(alignTokens(null, [-1])).toBeNull();
  });
});

describe('markSpans', () => {
  const marked = (texts: string[], pattern: RegExp | null) =>
    markSpans(
      texts.map((text) => ({ text, value: -1 })),
      pattern,
    );

  it('splits tokens where the exploit starts and ends, and preserves the text', () => {
    const spans = marked(['so. All', ' is', ' well. And'], /All.*well\./);
    expect(spans.map(({ text, isMarked = false }) => [text, isMarked])).toEqual([
      ['so. ', false],
      ['All', true],
      [' is', true],
      [' well.', true],
      [' And', false],
    ]);
    expect(spanLines(spans)[0]).toEqual(spans);
  });

  it('marks nothing without an exploit', () => {
    for (const pattern of [null, /never/, /x*/])
      expect(marked(['a', 'b'], pattern).some(({ isMarked }) => isMarked)).toBe(false);
  });
});

describe('spanLines', () => {
  it('splits at newlines and drops empty lines only at the end', () => {
    const span = (text: string) => ({ text, value: -1 });
    expect(spanLines([span('a\n\n'), span('b'), span('c\n')])).toEqual([[span('a')], [], [span('b'), span('c')]]);
    expect(spanLines([])).toEqual([[]]);
  });
});

it('shades a token by its probability, and by nats', () => {
  const shades = (shading: TokenShadingName, values: number[]) => values.map((value) => shadeOf(shading, value));
  expect(shades('probability', [0, -0.2, -1, -2, -8, Number.NEGATIVE_INFINITY])).toEqual([0, 1, 2, 3, 4, 4]);
  expect(shades('entropy', [0, 0.2, 0.7, 1.5, 9])).toEqual([0, 1, 2, 3, 4]);
  // A log-ratio may be below 0.
  expect(shades('KL', [-0.3, 0, 0.05, 0.2, 1.5, 9])).toEqual([0, 0, 1, 2, 3, 4]);
  expect([null, Number.NaN].map((value) => shadeOf('KL', value))).toEqual([null, null]);
});
