// Python's operators: equality, order, membership, arithmetic. Whole numbers are exact; a power or a quotient that JavaScript might round
// differently than Python is refused.
import { percent } from './format.ts';
import { escaped } from './printing.ts';
import {
  checkDepth,
  Dict,
  elementsOf,
  integerOf,
  List,
  Markup,
  numberOf,
  Range,
  Tuple,
  typeError,
  typeOf,
  Undefined,
  type Value,
  View,
} from './values.ts';
import { unsupported, type Work } from './work.ts';

export function equal(a: Value, b: Value, work: Work, depth = 0): boolean {
  checkDepth(depth);
  work.charge(1);
  const [left, right] = [numberOf(a), numberOf(b)];
  // biome-ignore lint/suspicious/noDoubleEquals: a whole number equals a float of its value, exactly.
  if (left !== null || right !== null) return left !== null && right !== null && left == right;
  const [text, other] = [plain(a), plain(b)];
  if (typeof text === 'string' || typeof other === 'string') {
    if (typeof text === 'string' && typeof other === 'string' && text.length === other.length) work.text(text);
    return text === other;
  }
  if (a === b || a === null || b === null) return a === b;
  if (a instanceof Undefined) return b instanceof Undefined;
  const pair = a instanceof List ? b instanceof List : a instanceof Tuple && b instanceof Tuple;
  if (pair) return equalLists((a as List).items, (b as List).items, work, depth);
  if (a instanceof Range && b instanceof Range) return equalLists(a.items(), b.items(), work, depth);
  if (a instanceof Dict && b instanceof Dict) {
    if (a.entries.size !== b.entries.size) return false;
    for (const [hash, [, value]] of a.entries) {
      const other = b.entries.get(hash);
      if (!other || !equal(value, other[1], work, depth + 1)) return false;
    }
    return true;
  }
  if (a instanceof View && b instanceof View && a.kind !== 'dict_values') throw unsupported(`comparing ${a.kind}`);
  return false;
}

function equalLists(a: readonly Value[], b: readonly Value[], work: Work, depth: number): boolean {
  return a.length === b.length && a.every((item, i) => item === b[i] || equal(item, b[i], work, depth + 1));
}

const plain = (value: Value): Value => (value instanceof Markup ? value.text : value);

/** Compares two texts by code points, as Python does, not by UTF-16 units. */
function compareTexts(a: string, b: string, work: Work): number {
  const length = Math.min(a.length, b.length);
  work.charge(length / 32);
  if (a === b) return 0;
  for (let i = 0; i < length; i++) {
    const [left, right] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (left === right) continue;
    // Surrogates stand for characters beyond U+FFFF, so they come after all other units.
    const above = (unit: number) => (unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit);
    return above(left) - above(right);
  }
  return a.length - b.length;
}

export type Order = '<' | '<=' | '>' | '>=';

export function ordered(a: Value, operator: Order, b: Value, work: Work, depth = 0): boolean {
  checkDepth(depth);
  work.charge(1);
  if (a instanceof Undefined) a.fail();
  if (b instanceof Undefined) b.fail();
  const [left, right] = [numberOf(a), numberOf(b)];
  if (left !== null && right !== null) return holds(left, operator, right);
  const [text, other] = [plain(a), plain(b)];
  if (typeof text === 'string' && typeof other === 'string') return holds(compareTexts(text, other, work), operator, 0);
  const lists = a instanceof List ? b instanceof List : a instanceof Tuple && b instanceof Tuple;
  if (!lists) throw typeError(`'${operator}' not supported between instances of '${typeOf(a)}' and '${typeOf(b)}'`);
  const [first, second] = [(a as List).items, (b as List).items];
  const at = first.findIndex((item, i) => i >= second.length || !equal(item, second[i], work, depth + 1));
  if (at < 0 || at >= second.length) return holds(first.length, operator, second.length);
  return ordered(first[at], operator, second[at], work, depth + 1);
}

function holds(a: bigint | number, operator: Order, b: bigint | number): boolean {
  if (operator === '<') return a < b;
  if (operator === '<=') return a <= b;
  return operator === '>' ? a > b : a >= b;
}

/** Sorts as Python does: equal elements keep their order, also in reverse. */
export function sorted<T>(items: readonly T[], key: (item: T) => Value, reverse: boolean, work: Work): T[] {
  const keyed = items.map((item) => ({ item, key: key(item) }));
  const compare = (a: Value, b: Value) => (ordered(a, '<', b, work) ? -1 : ordered(b, '<', a, work) ? 1 : 0);
  keyed.sort((a, b) => (reverse ? compare(b.key, a.key) : compare(a.key, b.key)));
  return keyed.map(({ item }) => item);
}

/** Python's `item in container`. */
export function contains(container: Value, item: Value, work: Work): boolean {
  const text = plain(container);
  if (typeof text === 'string') {
    const part = plain(item);
    if (typeof part !== 'string') throw typeError(`'in <string>' requires string as left operand, not ${typeOf(item)}`);
    return work.find(text, part) >= 0;
  }
  if (container instanceof Dict) return container.get(item, work) !== undefined;
  if (container instanceof View && container.kind === 'dict_keys') return container.dict.get(item, work) !== undefined;
  const elements = elementsOf(container, work);
  if (!elements) throw typeError(`argument of type '${typeOf(container)}' is not iterable`);
  for (let next = elements.next(); !next.done; next = elements.next())
    if (next.value === item || equal(next.value, item, work)) return true;
  return false;
}

export type Arithmetic = '+' | '-' | '*' | '/' | '//' | '%' | '**';

export function arithmetic(a: Value, operator: Arithmetic, b: Value, work: Work): Value {
  if (operator === '%' && typeof a === 'string') return percent(a, b, work);
  if (operator === '+' && (a instanceof Markup || b instanceof Markup)) {
    // A plain text that is added to a Markup is escaped.
    const [left, right] = [a, b].map((side) => (typeof side === 'string' ? escaped(side, work) : side));
    if (left instanceof Markup && right instanceof Markup) return new Markup(work.text(left.text + right.text));
  }
  for (const side of [a, b]) {
    if (side instanceof Undefined) side.fail();
    if (side instanceof Markup) throw unsupported(`'${operator}' with a text that 'safe' or 'escape' marked`);
  }
  const [left, right] = [numberOf(a), numberOf(b)];
  if (left !== null && right !== null) {
    if (typeof left === 'bigint' && typeof right === 'bigint') return whole(left, operator, right, work);
    return floats(floatOf(left), operator, floatOf(right));
  }
  if (operator === '+') {
    if (typeof a === 'string' && typeof b === 'string') return work.text(a + b);
    if (a instanceof List && b instanceof List) return new List(joinLists(a.items, b.items, work));
    if (a instanceof Tuple && b instanceof Tuple) return new Tuple(joinLists(a.items, b.items, work));
    if (typeof a === 'string') throw typeError(`can only concatenate str (not "${typeOf(b)}") to str`);
  }
  if (operator === '*') {
    if (left !== null) return repeated(b, a, work);
    return repeated(a, b, work);
  }
  throw typeError(`unsupported operand type(s) for ${operator}: '${typeOf(a)}' and '${typeOf(b)}'`);
}

function joinLists(a: readonly Value[], b: readonly Value[], work: Work): Value[] {
  work.items('a sum of lists', a.length + b.length);
  return [...a, ...b];
}

function repeated(sequence: Value, count: Value, work: Work): Value {
  if (typeof sequence === 'string' || sequence instanceof List || sequence instanceof Tuple) {
    if (typeof numberOf(count) !== 'bigint')
      throw typeError(`can't multiply sequence by non-int of type '${typeOf(count)}'`);
    const times = Math.max(0, integerOf(count, "'*'"));
    if (typeof sequence === 'string') {
      work.room(sequence.length * times);
      return work.text(sequence.repeat(sequence === '' ? 0 : times));
    }
    const { items } = sequence;
    work.items('a repeated list', items.length * times);
    const all = Array.from({ length: items.length * times }, (_, i) => items[i % items.length]);
    return sequence instanceof List ? new List(all) : new Tuple(all);
  }
  throw typeError(`unsupported operand type(s) for *: '${typeOf(sequence)}' and '${typeOf(count)}'`);
}

export function floatOf(value: bigint | number): number {
  const float = Number(value);
  if (typeof value === 'bigint' && !Number.isFinite(float)) throw typeError('int too large to convert to float');
  return float;
}

function whole(a: bigint, operator: Arithmetic, b: bigint, work: Work): Value {
  if (b === 0n && (operator === '/' || operator === '//' || operator === '%')) throw typeError('division by zero');
  switch (operator) {
    case '+':
      return work.int(a + b);
    case '-':
      return work.int(a - b);
    case '*':
      return work.int(a * b);
    case '//':
      return floorDivided(a, b);
    case '%':
      return a - b * floorDivided(a, b);
    case '/': {
      const exact = (value: bigint) => value >= -(2n ** 53n) && value <= 2n ** 53n;
      if (!exact(a) || !exact(b)) throw unsupported("'/' of whole numbers beyond 2^53");
      return Number(a) / Number(b);
    }
  }
  if (b < 0n) throw unsupported("'**' with a negative exponent");
  if (a === 0n || a === 1n || a === -1n) return a === -1n && b % 2n === 0n ? 1n : b === 0n ? 1n : a;
  const size = a.toString(2).length;
  // A power that would have too many bits is not computed: a value beyond the limit stands for it, so that work.int refuses it.
  return work.int(b > 16_384n || BigInt(size - 1) * b > 16_400n ? 1n << 16_384n : a ** b);
}

function floorDivided(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a % b !== 0n && a < 0n !== b < 0n ? quotient - 1n : quotient;
}

function floats(a: number, operator: Arithmetic, b: number): number {
  if (b === 0 && (operator === '/' || operator === '//' || operator === '%')) throw typeError('float division by zero');
  switch (operator) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return a / b;
    case '**':
      throw unsupported("'**' of floats");
  }
  // CPython's float_divmod does the same.
  let mod = a % b;
  let div = (a - mod) / b;
  if (mod !== 0) {
    if (b < 0 !== mod < 0) {
      mod += b;
      div -= 1;
    }
  } else mod = b < 0 ? -0 : 0;
  if (operator === '%') return mod;
  if (div === 0) return a / b < 0 || Object.is(a / b, -0) ? -0 : 0;
  const floor = Math.floor(div);
  return div - floor > 0.5 ? floor + 1 : floor;
}

export function signed(operator: '+' | '-', value: Value): Value {
  if (value instanceof Undefined) value.fail();
  const number = numberOf(value);
  if (number === null) throw typeError(`bad operand type for unary ${operator}: '${typeOf(value)}'`);
  return operator === '-' ? -number : number;
}
