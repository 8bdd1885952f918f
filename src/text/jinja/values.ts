// Python's values in a template: int is bigint, float is number, None is null, and the others are classes. Lists and dictionaries never
// change (the sandbox forbids it), so they can be shared.
import { LIMITS, TemplateError, type Work } from './work.ts';

export type Value = null | boolean | bigint | number | string | Thing;

/** Values that are instances of a class. */
export type Thing = Undefined | List | Tuple | Dict | View | Range | Stream | Namespace | Markup | Callable | Helper;

export interface Arguments {
  positional: readonly Value[];
  named: ReadonlyMap<string, Value>;
}

export const NO_ARGUMENTS: Arguments = { positional: [], named: new Map() };

/** A missing value. It prints as nothing, is false, has no elements, and throws in most other uses. */
export class Undefined {
  constructor(readonly message: string) {}

  fail(): never {
    throw new TemplateError(this.message);
  }
}

export class List {
  constructor(readonly items: readonly Value[]) {}
}

export class Tuple {
  /** @param names of the elements, if it is a named tuple (groupby's pairs). */
  constructor(
    readonly items: readonly Value[],
    readonly names: readonly string[] = [],
  ) {}
}

export class Dict {
  readonly entries = new Map<string, readonly [key: Value, value: Value]>();

  get(key: Value, work: Work): Value | undefined {
    return this.entries.get(hashOf(key, work))?.[1];
  }

  set(key: Value, value: Value, work: Work): void {
    const hash = hashOf(key, work);
    // Of equal keys the first one is kept: {1: 'a', True: 'b'} has the key 1.
    this.entries.set(hash, [this.entries.get(hash)?.[0] ?? key, value]);
  }

  keys(): Value[] {
    return [...this.entries.values()].map(([key]) => key);
  }
}

export class View {
  constructor(
    readonly kind: 'dict_keys' | 'dict_values' | 'dict_items',
    readonly dict: Dict,
  ) {}

  items(): Value[] {
    const entries = [...this.dict.entries.values()];
    if (this.kind === 'dict_items') return entries.map((entry) => new Tuple(entry));
    return entries.map(([key, value]) => (this.kind === 'dict_keys' ? key : value));
  }
}

export class Range {
  readonly length: number;

  constructor(
    readonly start: number,
    readonly stop: number,
    readonly step: number,
  ) {
    this.length = Math.max(0, Math.ceil((stop - start) / step));
  }

  at(index: number): bigint {
    return BigInt(this.start + index * this.step);
  }

  items(): bigint[] {
    return Array.from({ length: this.length }, (_, i) => this.at(i));
  }
}

/** An iterable that can be read only once, such as Python's generators and iterators. */
export class Stream {
  constructor(
    readonly iterator: Iterator<Value>,
    readonly type = 'generator',
  ) {}
}

export class Namespace {
  constructor(readonly attributes: Dict) {}
}

/** A text that `safe` or `escape` has marked as not to be escaped. */
export class Markup {
  constructor(readonly text: string) {}
}

export class Callable {
  constructor(
    readonly name: string,
    readonly call: (args: Arguments) => Value,
    /** What Python prints for it; null if it cannot be printed, since Python prints the address of a function. */
    readonly printed: string | null = null,
  ) {}
}

/** The parts of one of Jinja2's objects: `loop`, a cycler, a joiner. */
export interface HelperParts {
  attributes: Readonly<Record<string, () => Value>>;
  call?: (args: Arguments) => Value;
  length?: () => number;
  print?: () => string;
}
export class Helper {
  constructor(
    readonly type: string,
    readonly parts: HelperParts,
  ) {}
}

export function typeOf(value: Value): string {
  if (value === null) return 'NoneType';
  switch (typeof value) {
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'int';
    case 'number':
      return 'float';
    case 'string':
      return 'str';
  }
  if (value instanceof Undefined) return 'Undefined';
  if (value instanceof List) return 'list';
  if (value instanceof Tuple) return 'tuple';
  if (value instanceof Dict) return 'dict';
  if (value instanceof View) return value.kind;
  if (value instanceof Range) return 'range';
  if (value instanceof Namespace) return 'Namespace';
  if (value instanceof Markup) return 'Markup';
  return value instanceof Callable ? 'function' : value.type;
}

export const typeError = (message: string) => new TemplateError(message);

/** The value as a number, with bool as 0 or 1 as in Python; null for all other types. */
export function numberOf(value: Value): bigint | number | null {
  if (typeof value === 'boolean') return value ? 1n : 0n;
  return typeof value === 'bigint' || typeof value === 'number' ? value : null;
}

/** Converts an int to a JavaScript number, clamped to ±2^52, for counts and widths. Refuses other types. */
export function integerOf(value: Value, what: string): number {
  const number = numberOf(value);
  if (value instanceof Undefined) value.fail();
  if (typeof number !== 'bigint') throw typeError(`${what} takes a whole number, not '${typeOf(value)}'`);
  if (number > 2n ** 52n) return 2 ** 52;
  return number < -(2n ** 52n) ? -(2 ** 52) : Number(number);
}

export function truth(value: Value): boolean {
  if (value === null || value instanceof Undefined) return false;
  if (typeof value !== 'object') return Boolean(value) || Number.isNaN(value);
  if (value instanceof List || value instanceof Tuple) return value.items.length > 0;
  if (value instanceof Dict) return value.entries.size > 0;
  if (value instanceof View) return value.dict.entries.size > 0;
  if (value instanceof Range) return value.length > 0;
  if (value instanceof Markup) return value.text !== '';
  return value instanceof Helper && value.parts.length ? value.parts.length() > 0 : true;
}

const identities = new WeakMap<object, number>();
let lastIdentity = 0;

/** A text that is the same for values that are equal as dictionary keys in Python. */
export function hashOf(value: Value, work: Work, depth = 0): string {
  if (value === null) return 'N';
  const number = numberOf(value);
  if (number !== null)
    return typeof number === 'number' && !Number.isInteger(number) ? `f${number}` : `i${BigInt(number)}`;
  if (typeof value === 'string') return `s${work.text(value)}`;
  if (value instanceof Markup) return `s${work.text(value.text)}`;
  if (value instanceof Undefined) return 'U';
  if (value instanceof Tuple) {
    checkDepth(depth);
    const parts = value.items.map((item) => hashOf(item, work, depth + 1));
    return work.text(`t${parts.map((part) => `${part.length}:${part}`).join('')}`);
  }
  if (value instanceof List || value instanceof Dict || (value instanceof View && value.kind !== 'dict_values'))
    throw typeError(`unhashable type: '${typeOf(value)}'`);
  const known = identities.get(value as object) ?? ++lastIdentity;
  identities.set(value as object, known);
  return `o${known}`;
}

export function checkDepth(depth: number): void {
  if (depth > LIMITS.nested) throw new TemplateError(`a value of it is nested more than ${LIMITS.nested} deep`);
}

const ASTRAL = /[\ud800-\udfff]/;
/** Whether a text has characters beyond U+FFFF, which Python counts as one and JavaScript as two units; most texts have none. */
export const isWide = (text: string) => ASTRAL.test(text);
export const characters = (text: string): readonly string[] => Array.from(text);
export const lengthOfText = (text: string) => (isWide(text) ? characters(text).length : text.length);

/** Number of elements; null for a value without len(). */
export function lengthOf(value: Value, work: Work): number | null {
  if (typeof value === 'string') return lengthOfText(work.text(value));
  if (value instanceof Markup) return lengthOfText(work.text(value.text));
  if (value instanceof Undefined) return 0;
  if (value instanceof List || value instanceof Tuple) return value.items.length;
  if (value instanceof Dict) return value.entries.size;
  if (value instanceof View) return value.dict.entries.size;
  if (value instanceof Range) return value.length;
  return value instanceof Helper ? (value.parts.length?.() ?? null) : null;
}

/** An iterator over the elements, as Python's iter() gives it; null for a value that is not iterable. */
export function elementsOf(value: Value, work: Work): Iterator<Value> | null {
  if (value instanceof Stream) return value.iterator;
  const items = itemsOf(value, work);
  return items ? items[Symbol.iterator]() : null;
}

function itemsOf(value: Value, work: Work): readonly Value[] | null {
  if (value instanceof List || value instanceof Tuple) return value.items;
  if (value instanceof Undefined) return [];
  if (value instanceof Dict) return value.keys();
  if (value instanceof View || value instanceof Range) return value.items();
  const text = value instanceof Markup ? value.text : value;
  if (typeof text !== 'string') return null;
  work.text(text);
  work.items('a text', text.length, LIMITS.size);
  return characters(text);
}

/** All elements as a list. A value that is not iterable gives Python's error. */
export function listOf(value: Value, work: Work): readonly Value[] {
  const known = itemsOf(value, work);
  if (known) {
    work.charge(known.length / 8);
    return known;
  }
  const elements = elementsOf(value, work);
  if (!elements) throw typeError(`'${typeOf(value)}' object is not iterable`);
  const items: Value[] = [];
  for (let next = elements.next(); !next.done; next = elements.next()) {
    items.push(next.value);
    if (items.length > LIMITS.items) work.items('a list', items.length);
    work.charge(1);
  }
  return items;
}
