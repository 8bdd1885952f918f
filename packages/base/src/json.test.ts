// Tests that JSON numbers are read as their texts, and nothing else changes.
import { expect, it } from 'vitest';
import { parseJsonNumbersAsTexts, parseJsonText } from './json.ts';

it.each([
  ['1000000000000000000000', '1000000000000000000000'],
  ['1e-7', '1e-7'],
  ['-0.0', '-0.0'],
  ['12345678901234567891', '12345678901234567891'],
  ['1E+400', '1E+400'],
  ['{"a":[1.50, {"b": 2}], "3": true}', { a: ['1.50', { b: '2' }], '3': true }],
  ['"a \\"1\\" 2 \\\\"', 'a "1" 2 \\'],
  ['["\\u0031", 1, "1e5", null]', ['1', '1', '1e5', null]],
])('%s', (text, expected) => {
  parseJsonText(text);
  expect(parseJsonNumbersAsTexts(text)).toEqual(expected);
});

it('is refused if JSON.parse refuses it', () => {
  for (const text of ['', '{', '1 2', '[1,]', '"a', `${'['.repeat(100)}${']'.repeat(100)}`])
    expect(() => parseJsonNumbersAsTexts(text), text).toThrow(SyntaxError);
});
