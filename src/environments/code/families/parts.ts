// The 44 parts of composed problems (composed.ts): each maps a value to a value, with or without a constant.
import { ARGUMENTS, type ArgumentKind, type Json } from '../types.ts';
import { LETTERS, plainZero, pyDiv, pyMod, range, sum } from './family.ts';

export type Constant = number | string;

/** The outermost form of a part's expression, which decides on brackets: an operator needs them inside another operator and before a
 *  suffix. */
type Outermost = 'operator' | 'call' | 'suffix';

/** One step of a composition. */
export interface Part {
  readonly id: string;
  readonly from: ArgumentKind;
  readonly to: ArgumentKind;
  /** Possible values of its constant; [null] for a part without one. */
  readonly constants: readonly (Constant | null)[];
  readonly outermost: Outermost;
  /** Words that follow those of the previous part: `plus 3`. */
  describe(k: Constant): string;
  /** The expression `e` already has the brackets that it needs. */
  python(e: string, k: Constant): string;
  value(v: Json, k: Constant): Json;
}

/** Makes parts of fixed kinds, and is the only place that casts values and constants to their types. In words and Python, {k} is the constant and
 *  {e} the previous expression. */
const partMaker =
  <V extends Json | readonly Json[]>(from: ArgumentKind, to: ArgumentKind) =>
  <K extends Constant>(
    id: string,
    constants: readonly K[] | null,
    outermost: Outermost,
    words: string,
    python: string,
    value: (v: V, k: K) => Json,
  ): Part => ({
    id,
    from,
    to,
    outermost,
    constants: constants ?? [null],
    describe: (k) => words.replaceAll('{k}', String(k)),
    python: (e, k) => python.replaceAll('{e}', e).replaceAll('{k}', String(k)),
    value: (v, k) => plainZero(value(v as V, k as K)),
  });

const K12 = range(2, 13);
const K6 = range(2, 7);
const ascending = (a: number, b: number) => a - b;

const number = partMaker<number>('number', 'number');
const pair = partMaker<readonly [number, number]>('pair', 'number');
const list = partMaker<readonly number[]>('list', 'list');
const listToNumber = partMaker<readonly number[]>('list', 'number');
const string = partMaker<string>('string', 'string');
const stringToNumber = partMaker<string>('string', 'number');

export const PARTS: readonly Part[] = [
  number('plus', K12, 'operator', 'plus {k}', '{e} + {k}', (v, k) => v + k),
  number('from', K12, 'operator', 'taken from {k}', '{k} - {e}', (v, k) => k - v),
  number('times', K6, 'operator', 'times {k}', '{e} * {k}', (v, k) => v * k),
  number('remainder', range(3, 9), 'operator', 'modulo {k}', '{e} % {k}', (v, k) => pyMod(v, k)),
  number('quotient', range(2, 5), 'operator', 'divided by {k} and rounded down', '{e} // {k}', (v, k) => pyDiv(v, k)),
  number('at_least', K12, 'call', 'raised to at least {k}', 'max({e}, {k})', (v, k) => Math.max(v, k)),
  number('at_most', K12, 'call', 'cut to at most {k}', 'min({e}, {k})', (v, k) => Math.min(v, k)),
  number('gap', K12, 'suffix', 'as its distance from {k}', 'abs({e} - {k})', (v, k) => Math.abs(v - k)),
  number('squared', null, 'operator', 'squared', '{e} ** 2', (v) => v * v),
  pair('sum', null, 'operator', 'a plus b', 'a + b', ([a, b]) => a + b),
  pair('difference', null, 'operator', 'a minus b', 'a - b', ([a, b]) => a - b),
  pair('product', null, 'operator', 'a times b', 'a * b', ([a, b]) => a * b),
  pair('larger', null, 'call', 'the larger of a and b', 'max(a, b)', ([a, b]) => Math.max(a, b)),
  pair('smaller', null, 'call', 'the smaller of a and b', 'min(a, b)', ([a, b]) => Math.min(a, b)),
  pair('gap_of', null, 'call', 'the distance between a and b', 'abs(a - b)', ([a, b]) => Math.abs(a - b)),
  pair('ahead', K6, 'operator', '{k} times a minus b', '{k} * a - b', ([a, b], k) => k * a - b),
  pair('scaled', K6, 'operator', 'a plus {k} times b', 'a + {k} * b', ([a, b], k) => a + k * b),
  list('each_plus', K12, 'call', 'with {k} added to each', '[n + {k} for n in {e}]', (v, k) => v.map((n) => n + k)),
  list('each_times', K6, 'call', 'with each times {k}', '[n * {k} for n in {e}]', (v, k) => v.map((n) => n * k)),
  list('each_remainder', range(3, 9), 'call', 'with each modulo {k}', '[n % {k} for n in {e}]', (v, k) =>
    v.map((n) => pyMod(n, k)),
  ),
  list('above', K12, 'call', 'without those of {k} or less', '[n for n in {e} if n > {k}]', (v, k) =>
    v.filter((n) => n > k),
  ),
  list('below', K12, 'call', 'without those of {k} or more', '[n for n in {e} if n < {k}]', (v, k) =>
    v.filter((n) => n < k),
  ),
  list('other_than', K12, 'call', 'without those that are {k}', '[n for n in {e} if n != {k}]', (v, k) =>
    v.filter((n) => n !== k),
  ),
  list('floor', K12, 'call', 'with each raised to at least {k}', '[max(n, {k}) for n in {e}]', (v, k) =>
    v.map((n) => Math.max(n, k)),
  ),
  list('append', K12, 'operator', 'with {k} after them', '{e} + [{k}]', (v, k) => [...v, k]),
  list('prepend', K12, 'operator', 'with {k} before them', '[{k}] + {e}', (v, k) => [k, ...v]),
  list('sorted', null, 'call', 'sorted', 'sorted({e})', (v) => [...v].sort(ascending)),
  list('reversed', null, 'suffix', 'reversed', '{e}[::-1]', (v) => [...v].reverse()),
  list('rest', null, 'suffix', 'without the first', '{e}[1:]', (v) => v.slice(1)),
  listToNumber('total', null, 'call', 'as their sum', 'sum({e})', (v) => sum(v)),
  listToNumber('length', null, 'call', 'as their number', 'len({e})', (v) => v.length),
  listToNumber(
    'count',
    K12,
    'suffix',
    'as how many of them are {k}',
    '{e}.count({k})',
    (v, k) => v.filter((n) => n === k).length,
  ),
  string('suffix', LETTERS, 'operator', 'with {k} after it', "{e} + '{k}'", (v, c) => v + c),
  string('prefix', LETTERS, 'operator', 'with {k} before it', "'{k}' + {e}", (v, c) => c + v),
  string('drop', LETTERS, 'suffix', 'with every {k} removed', "{e}.replace('{k}', '')", (v, c) => v.replaceAll(c, '')),
  string('double', LETTERS, 'suffix', 'with each {k} doubled', "{e}.replace('{k}', '{k}{k}')", (v, c) =>
    v.replaceAll(c, c + c),
  ),
  string('join', LETTERS, 'call', 'joined by {k}', "'{k}'.join({e})", (v, c) => [...v].join(c)),
  string('repeat', [2, 3], 'operator', 'repeated {k} times', '{e} * {k}', (v, k) => v.repeat(k)),
  string('capitals', null, 'suffix', 'in capitals', '{e}.upper()', (v) => v.toUpperCase()),
  string('tail', null, 'suffix', 'without its first letter', '{e}[1:]', (v) => v.slice(1)),
  string('head', null, 'suffix', 'without its last letter', '{e}[:-1]', (v) => v.slice(0, -1)),
  stringToNumber('size', null, 'call', 'as its length', 'len({e})', (v) => v.length),
  stringToNumber(
    'count_of',
    LETTERS,
    'suffix',
    'as how many {k} it has',
    "{e}.count('{k}')",
    (v, c) => v.split(c).length - 1,
  ),
  stringToNumber('find', LETTERS, 'suffix', 'as the place of its first {k}', "{e}.find('{k}')", (v, c) => v.indexOf(c)),
];

/** Expression of a composition's first value, by kind. */
export const START = { number: ARGUMENTS.number, pair: '', list: ARGUMENTS.list, string: ARGUMENTS.string } as const;
