// Tests the reader of Python literals: exact types and values, and refusal of everything else.
import { expect, it } from 'vitest';
import { readLiteral } from './asserts.ts';

it('reads every literal with its exact type', () => {
  const cases: [string, unknown][] = [
    ['None', ['none']],
    ['True', ['bool', true]],
    ['1', ['int', '1']],
    ['-7', ['int', '-7']],
    ['-0', ['int', '0']],
    ['10_000', ['int', '10000']],
    ['123456789012345678901234567890', ['int', '123456789012345678901234567890']],
    ['1.0', ['float', 1]],
    ['-.5', ['float', -0.5]],
    ['1e3', ['float', 1000]],
    ['-inf', ['float', Number.NEGATIVE_INFINITY]],
    ['float("inf")', ['float', Number.POSITIVE_INFINITY]],
    ["'a\\'b\\n\\x41\\u00e9'", ['str', "a'b\nAé"]],
    ['"\\d"', ['str', '\\d']],
    ['"ab" \'c\'', ['str', 'abc']],
    ['[]', ['list', []]],
    [
      '[1, [2.0,], "x"]',
      [
        'list',
        [
          ['int', '1'],
          ['list', [['float', 2]]],
          ['str', 'x'],
        ],
      ],
    ],
    [
      '(1, 2)',
      [
        'tuple',
        [
          ['int', '1'],
          ['int', '2'],
        ],
      ],
    ],
    ['(1,)', ['tuple', [['int', '1']]]],
    ['(1)', ['int', '1']],
    ['{}', ['dict', []]],
    [
      '{"a": 1, 2: None}',
      [
        'dict',
        [
          [
            ['str', 'a'],
            ['int', '1'],
          ],
          [['int', '2'], ['none']],
        ],
      ],
    ],
  ];
  for (const [source, value] of cases) expect([source, readLiteral(source)]).toEqual([source, value]);
});

it('refuses anything but a literal', () => {
  const others = [
    '',
    'x',
    '1 + 1',
    '[1',
    '[1 2]',
    '{1, 2}',
    '{1: }',
    'f(1)',
    '"a',
    "-'a'",
    '1 2',
    '[,]',
    '"\\Uffffffff"',
    '__import__("os")',
    '['.repeat(100),
  ];
  for (const source of others) expect([source, readLiteral(source)]).toEqual([source, null]);
});
