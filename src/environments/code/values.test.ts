// Tests that two values have equal keys exactly if the strict oracle considers them equal.
import type { Value } from '@projected-grpo-lab/python-sandbox/protocol.ts';
import { describe, expect, it } from 'vitest';
import { sameValue, valueKey } from './values.ts';

describe('a value’s key', () => {
  const int = (x: string): Value => ['int', x];
  const values: Value[] = [
    ...([['none'], ['bool', true], ['bool', false], int('1'), int('0'), ['str', '1'], ['str', 'none']] as Value[]),
    ...[0, -0, 1, 0.5, Infinity, -Infinity, NaN].map((x): Value => ['float', x]),
    ...([['other'], ['list', []], ['tuple', []], ['dict', []], ['list', [['other']]]] as Value[]),
    ...([
      ['list', [int('1'), ['none']]],
      ['tuple', [int('1'), ['none']]],
      ['list', [['list', [int('1')]]]],
    ] as Value[]),
    [
      'dict',
      [
        [int('1'), int('0')],
        [
          ['str', 'a'],
          ['list', []],
        ],
      ],
    ],
    [
      'dict',
      [
        [
          ['str', 'a'],
          ['list', []],
        ],
        [int('1'), int('0')],
      ],
    ],
    ['dict', [[['str', 'a'], ['other']]]],
  ];

  it('is equal if values are, and null for values that equal nothing', () => {
    for (const a of values) {
      expect(valueKey(a) === null, JSON.stringify(a)).toBe(!sameValue(a, a));
      for (const b of values)
        expect(valueKey(a) !== null && valueKey(a) === valueKey(b), JSON.stringify([a, b])).toBe(sameValue(a, b));
    }
  });
});
