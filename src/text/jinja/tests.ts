// Jinja2's tests, which are written after `is`.
import { bind, type Parameters } from './arguments.ts';
import { FILTERS, REFUSED_FILTERS } from './filters.ts';
import { arithmetic, contains, equal, type Order, ordered } from './operators.ts';
import { str } from './printing.ts';
import { isCase } from './strings.ts';
import {
  type Arguments,
  Callable,
  Dict,
  elementsOf,
  Helper,
  hashOf,
  List,
  Markup,
  numberOf,
  Range,
  Tuple,
  Undefined,
  type Value,
} from './values.ts';
import { TemplateError, unsupported, type Work } from './work.ts';

interface Test {
  parameters: Parameters;
  holds(value: Value, args: Value[], work: Work): boolean;
}

const plain = (holds: (value: Value, work: Work) => boolean): Test => ({
  parameters: [],
  holds: (value, _, work) => holds(value, work),
});
const against = (name: string, holds: (value: Value, other: Value, work: Work) => boolean): Test => ({
  parameters: [[name]],
  holds: (value, [other], work) => holds(value, other, work),
});

const isText = (value: Value) => typeof value === 'string' || value instanceof Markup;
const remainder = (value: Value, by: Value, rest: bigint, work: Work) =>
  equal(arithmetic(value, '%', by, work), rest, work);
const order = (operator: Order) => against('b', (value, other, work) => ordered(value, operator, other, work));
const same = against('b', (value, other, work) => equal(value, other, work));
const differs = against('b', (value, other, work) => !equal(value, other, work));
const [greater, atLeast, less, atMost] = (['>', '>=', '<', '<='] as const).map(order);

/** Python's `is`. Whether two equal numbers or texts are the same object depends on Python's implementation, so that is refused. */
function identical(value: Value, other: Value, work: Work): boolean {
  const literal = (one: Value) => typeof one === 'bigint' || typeof one === 'number' || typeof one === 'string';
  if (literal(value) && typeof value === typeof other && equal(value, other, work))
    throw unsupported("the test 'sameas' of two equal numbers or texts");
  return value === other;
}

/** Whether a value is one of a set of names. Refuses unhashable values. */
function isKey(value: Value, work: Work, has: (name: string) => boolean): boolean {
  hashOf(value, work);
  return isText(value) && has(str(value, work));
}

export const TESTS: Readonly<Record<string, Test>> = {
  odd: plain((value, work) => remainder(value, 2n, 1n, work)),
  even: plain((value, work) => remainder(value, 2n, 0n, work)),
  divisibleby: against('num', (value, by, work) => remainder(value, by, 0n, work)),
  defined: plain((value) => !(value instanceof Undefined)),
  undefined: plain((value) => value instanceof Undefined),
  filter: plain((value, work) =>
    isKey(value, work, (name) => Object.hasOwn(FILTERS, name) || REFUSED_FILTERS.has(name)),
  ),
  test: plain((value, work) => isKey(value, work, (name) => Object.hasOwn(TESTS, name))),
  none: plain((value) => value === null),
  boolean: plain((value) => typeof value === 'boolean'),
  false: plain((value) => value === false),
  true: plain((value) => value === true),
  integer: plain((value) => typeof value === 'bigint'),
  float: plain((value) => typeof value === 'number'),
  lower: plain((value, work) => isCase(work.text(str(value, work)), false)),
  upper: plain((value, work) => isCase(work.text(str(value, work)), true)),
  string: plain(isText),
  mapping: plain((value) => value instanceof Dict),
  number: plain((value) => numberOf(value) !== null),
  sequence: plain(
    (value) => isText(value) || [List, Tuple, Dict, Range, Undefined].some((kind) => value instanceof kind),
  ),
  iterable: plain(
    (value, work) => elementsOf(value, work) !== null || (value instanceof Helper && value.type === 'LoopContext'),
  ),
  callable: plain(
    (value) =>
      value instanceof Callable ||
      value instanceof Undefined ||
      (value instanceof Helper && value.parts.call !== undefined),
  ),
  sameas: against('other', identical),
  escaped: plain((value) => value instanceof Markup),
  in: against('seq', (value, container, work) => contains(container, value, work)),
  eq: same,
  equalto: same,
  '==': same,
  ne: differs,
  '!=': differs,
  gt: greater,
  greaterthan: greater,
  '>': greater,
  ge: atLeast,
  '>=': atLeast,
  lt: less,
  lessthan: less,
  '<': less,
  le: atMost,
  '<=': atMost,
};

export function runTest(name: string, value: Value, args: Arguments, work: Work): boolean {
  if (!Object.hasOwn(TESTS, name)) throw new TemplateError(`No test named '${name}'`);
  const test = TESTS[name];
  return test.holds(value, bind(name, args, test), work);
}
