// Tests CPython's VM for judged programs: features used by real solutions work as on a 64-bit machine.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Program, SandboxPool } from './protocol.ts';
import { createPyodideNodePool } from './pyodide-pool.node.ts';
import { runOne } from './testing/run-one.ts';

let pool: SandboxPool;
beforeAll(async () => {
  pool = await createPyodideNodePool({ workers: 1, timeLimitMs: 60_000, equalOnce: false });
});
afterAll(() => pool.close());

/** The values of expressions, after `source` has run. */
async function values(source: string, ...expressions: string[]): Promise<unknown[]> {
  const steps: Program['steps'] = [
    { do: 'module' },
    ...expressions.map((code) => ({ do: 'value' as const, code: `__out__ = ${code}` })),
  ];
  const { outcomes } = await runOne(pool, { source, steps });
  return outcomes.slice(1).map((outcome) => (outcome.end === 'ok' ? outcome.value : outcome));
}

test('bisect works over ranges beyond 32 bits, and unchanged otherwise', async () => {
  const source = 'from bisect import *\nimport bisect as b\nsquare = lambda x: x * x';
  expect(
    await values(
      source,
      'bisect_left(range(10 ** 16), 10 ** 30, key=square)',
      'bisect_right(range(10 ** 16), 10 ** 30, key=square)',
      'bisect_left(range(10 ** 16, 0, -1), -5, key=lambda x: -x)',
      'b.bisect_left(range(5, 5), 1)',
      'bisect([1, 3, 3, 5], 3)',
      'bisect_left([1, 3, 3, 5], 3, 2, 4)',
      'b.bisect_left(range(0, 20, 3), 10)',
      'b.bisect(range(0, 20, 3), 9)',
    ),
  ).toEqual([
    ['int', '1000000000000000'],
    ['int', '1000000000000001'],
    ['int', '9999999999999995'],
    ['int', '0'],
    ['int', '3'],
    ['int', '2'],
    ['int', '4'],
    ['int', '4'],
  ]);
});

test('sys.maxsize is 2^63 − 1, which solutions use as infinity', async () => {
  expect(await values('import sys', 'min(sys.maxsize, 10 ** 15)', 'sys.maxsize')).toEqual([
    ['int', '1000000000000000'],
    ['int', '9223372036854775807'],
  ]);
});

test('memoised functions recurse as deep as others, and count and key calls as functools does', async () => {
  const source = [
    'from functools import *',
    '@cache',
    'def depth(n): return 0 if n == 0 else depth(n - 1) + 1',
    '@lru_cache(None)',
    'def both(a, b=0): return (a, b)',
    '@lru_cache(maxsize=2)',
    'def few(n): return n',
    'class Tree:',
    '    @cache',
    '    def sum(self, n): return n + self.sum(n - 1) if n else 0',
    'max = range = None',
  ].join('\n');
  expect(
    await values(
      source,
      'depth(9000)',
      '[depth(5), *depth.cache_info()]',
      '[both(1), both(1, b=2), both((1,)), both(True), both(1, 2), both.cache_info().currsize]',
      '[few(1), few(1), few(2), few(3), few.cache_info().hits, few.cache_parameters()["maxsize"]]',
      'Tree().sum(3000)',
      '(depth.cache_clear(), list(depth.cache_info()))[1]',
      'depth.__name__',
    ),
  ).toEqual([
    ['int', '9000'],
    ['list', [['int', '5'], ['int', '1'], ['int', '9001'], ['none'], ['int', '9001']]],
    [
      'list',
      [
        [
          'tuple',
          [
            ['int', '1'],
            ['int', '0'],
          ],
        ],
        [
          'tuple',
          [
            ['int', '1'],
            ['int', '2'],
          ],
        ],
        [
          'tuple',
          [
            ['tuple', [['int', '1']]],
            ['int', '0'],
          ],
        ],
        [
          'tuple',
          [
            ['int', '1'],
            ['int', '0'],
          ],
        ],
        [
          'tuple',
          [
            ['int', '1'],
            ['int', '2'],
          ],
        ],
        ['int', '4'],
      ],
    ],
    [
      'list',
      [
        ['int', '1'],
        ['int', '1'],
        ['int', '2'],
        ['int', '3'],
        ['int', '1'],
        ['int', '2'],
      ],
    ],
    ['int', '4501500'],
    ['list', [['int', '0'], ['int', '0'], ['none'], ['int', '0']]],
    ['str', 'depth'],
  ]);
});

test('reads values of every type, at the limits of their types', async () => {
  const source = 'import math, collections\nfrom typing import *';
  expect(
    await values(
      source,
      '[2 ** 30 - 1, 2 ** 30, -(2 ** 31), 2 ** 63, -(2 ** 200)]',
      '[0.1 + 0.2, -0.0, math.inf, 1e308]',
      '"\\u00e9\\U0001f600\\0x"',
      'collections.Counter("ab")',
      'collections.OrderedDict(a=1)',
      '[{1, 2}, b"x", range(3), (x for x in []), 1j]',
      '{1: (2,), "k": [None]}',
    ),
  ).toEqual([
    [
      'list',
      ['1073741823', '1073741824', '-2147483648', String(2n ** 63n), String(-(2n ** 200n))].map((n) => ['int', n]),
    ],
    ['list', [0.1 + 0.2, -0, Number.POSITIVE_INFINITY, 1e308].map((x) => ['float', x])],
    ['str', 'é😀\0x'],
    ['other'],
    ['other'],
    ['list', Array(5).fill(['other'])],
    [
      'dict',
      [
        [
          ['int', '1'],
          ['tuple', [['int', '2']]],
        ],
        [
          ['str', 'k'],
          ['list', [['none']]],
        ],
      ],
    ],
  ]);
});

test('a setup runs first, in the same namespace, and its failure is never hidden', async () => {
  const program = (setup: string): Program => ({
    setup,
    source: 'from __future__ import annotations\nx = Node(3).val',
    steps: [{ do: 'module' }, { do: 'value', code: '__out__ = x' }],
  });
  const rightAndWrong = await pool.run([
    program('class Node:\n    def __init__(self, val): self.val = val'),
    program('raise KeyError'),
  ]);
  expect(rightAndWrong.map(({ outcomes }) => outcomes)).toEqual([
    [
      { end: 'ok', value: null },
      { end: 'ok', value: ['int', '3'] },
    ],
    [{ end: 'raise', type: 'KeyError' }, { end: 'skipped' }],
  ]);
});

test('clock, hashes and randomness are the same in every program', async () => {
  const source = 'import time, random, datetime\nfrom secrets import token_hex';
  const asked = [
    'time.time()',
    'random.random()',
    'hash("text")',
    'token_hex(8)',
    'str(datetime.datetime.now())',
    'list({"a", "b", "c"})',
  ];
  const [first, second] = [await values(source, ...asked), await values(source, ...asked)];
  expect(second).toEqual(first);
  expect(first[4]).toEqual(['str', expect.stringMatching(/^2026-01-01 00:00:00/)]);
  expect(
    await values(
      'import time, datetime',
      'time.gmtime(86400 * 366).tm_yday',
      'datetime.datetime(2024, 3, 1).timestamp()',
    ),
  ).toEqual([
    ['int', '2'],
    ['float', 1709251200],
  ]);
});

test('imports a module from the archive that the interpreter had not loaded yet', async () => {
  expect(
    await values('import textwrap, graphlib', 'list(graphlib.TopologicalSorter({1: [2]}).static_order())'),
  ).toEqual([
    [
      'list',
      [
        ['int', '2'],
        ['int', '1'],
      ],
    ],
  ]);
});

test('a byte order mark is an ordinary character in an answer, in a file, and in its name', async () => {
  const source = "open('\\ufeffa', 'w').write('marked')\nopen('a', 'w').write('\\ufeffplain')\nprint('\\ufeffout')";
  const { outcomes, files, stdout } = await runOne(pool, {
    source,
    steps: [{ do: 'module' }, { do: 'value', code: "__out__ = ['\\ufeffab', open('\\ufeffa').read()]" }],
  });
  expect(outcomes[1]).toEqual({
    end: 'ok',
    value: [
      'list',
      [
        ['str', '\ufeffab'],
        ['str', 'marked'],
      ],
    ],
  });
  expect(files.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual([
    { name: 'a', text: '\ufeffplain' },
    { name: '\ufeffa', text: 'marked' },
  ]);
  expect(stdout).toBe('\ufeffout\n');
});
