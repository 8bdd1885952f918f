// Writes values as Python does: str() for output, repr() for elements of lists, and json.dumps.

import {
  Callable,
  checkDepth,
  Dict,
  Helper,
  List,
  Markup,
  Namespace,
  Range,
  Stream,
  Tuple,
  typeError,
  typeOf,
  Undefined,
  type Value,
  View,
} from './values.ts';
import { LIMITS, unsupported, type Work } from './work.ts';

export function str(value: Value, work: Work): string {
  if (typeof value === 'string') return value;
  if (value instanceof Markup) return value.text;
  if (value instanceof Undefined) return '';
  return repr(value, work);
}

export function repr(value: Value, work: Work, depth = 0): string {
  checkDepth(depth);
  work.charge(1);
  if (value === null) return 'None';
  switch (typeof value) {
    case 'boolean':
      return value ? 'True' : 'False';
    case 'bigint':
      return reprInt(value);
    case 'number':
      return reprFloat(value);
    case 'string':
      return work.text(quoted(work.text(value)));
  }
  const inner = (item: Value) => repr(item, work, depth + 1);
  if (value instanceof List) return joined('[', value.items, ']', inner, work);
  if (value instanceof Tuple) return joined('(', value.items, value.items.length === 1 ? ',)' : ')', inner, work);
  if (value instanceof Dict) {
    const pair = ([key, item]: readonly [Value, Value]) => `${inner(key)}: ${inner(item)}`;
    return joined('{', [...value.entries.values()], '}', pair, work);
  }
  if (value instanceof View) return joined(`${value.kind}([`, value.items(), '])', inner, work);
  if (value instanceof Range) {
    const step = value.step === 1 ? '' : `, ${value.step}`;
    return `range(${value.start}, ${value.stop}${step})`;
  }
  if (value instanceof Undefined) return 'Undefined';
  if (value instanceof Namespace) return `<Namespace ${inner(value.attributes)}>`;
  if (value instanceof Markup) return `Markup(${inner(value.text)})`;
  if (value instanceof Callable && value.printed !== null) return value.printed;
  if (value instanceof Helper && value.parts.print) return value.parts.print();
  throw unsupported(
    value instanceof Stream ? `printing a ${value.type} (use the filter 'list')` : `printing a ${typeOf(value)}`,
  );
}

function joined<T>(open: string, items: readonly T[], close: string, write: (item: T) => string, work: Work): string {
  const parts: string[] = [];
  let length = 0;
  for (const item of items) {
    const part = write(item);
    length += part.length + 2;
    work.room(length);
    parts.push(part);
  }
  return work.text(open + parts.join(', ') + close);
}

export function reprInt(value: bigint): string {
  const text = String(value);
  if (text.length - (value < 0n ? 1 : 0) > LIMITS.digits)
    throw typeError(`a whole number of it has more than the ${LIMITS.digits} digits that Python prints`);
  return text;
}

/** The shortest digits that identify the number, which are the same in JavaScript, in Python's notation. */
function reprFloat(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  const [mantissa, power] = Math.abs(value).toExponential().split('e');
  const exponent = Number(power);
  if (exponent < -4 || exponent >= 16)
    return `${sign}${mantissa}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
  const digits = mantissa.replace('.', '');
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  return `${sign}${whole}.${digits.slice(exponent + 1) || '0'}`;
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Python's repr() of a str. */
function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  // All separators except the space, and all control and unassigned characters, are written as escapes.
  const body = text.replace(/[\\'"\p{C}\p{Z}]/gu, (found) => {
    if (found === ' ') return found;
    if (found === "'" || found === '"') return found === quote ? `\\${found}` : found;
    const code = found.codePointAt(0)!;
    if (ESCAPES[found]) return ESCAPES[found];
    const hex = code.toString(16);
    if (code < 0x100) return `\\x${hex.padStart(2, '0')}`;
    return code < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
  });
  return quote + body + quote;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '>': '&gt;',
  '<': '&lt;',
  "'": '&#39;',
  '"': '&#34;',
};

/** Escapes HTML's special characters, and marks the text as escaped. */
export function escaped(text: string, work: Work): Markup {
  return new Markup(work.text(work.text(text).replace(/[&<>'"]/g, (found) => ENTITIES[found])));
}

export interface JsonOptions {
  ensureAscii: boolean;
  /** The white space of one level of indentation; null writes everything on one line. */
  indent: string | null;
  separators: readonly [item: string, key: string];
  sortKeys: boolean;
}

/** Python's json.dumps(). `less` is the order of keys for `sortKeys`. */
export function json(
  value: Value,
  options: JsonOptions,
  less: (a: Value, b: Value) => boolean,
  work: Work,
  depth = 0,
): string {
  checkDepth(depth);
  work.charge(1);
  const { indent, separators } = options;
  const inner = (item: Value) => json(item, options, less, work, depth + 1);
  const block = (open: string, parts: readonly string[], close: string): string => {
    if (parts.length === 0) return open + close;
    const pad = (levels: number) => (indent === null ? '' : `\n${indent.repeat(levels)}`);
    const between = separators[0] + pad(depth + 1);
    work.room(parts.reduce((sum, part) => sum + part.length + between.length, between.length));
    return work.text(open + pad(depth + 1) + parts.join(between) + pad(depth) + close);
  };
  if (value === null) return 'null';
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'bigint') return reprInt(value);
  if (typeof value === 'number') return jsonFloat(value);
  if (typeof value === 'string' || value instanceof Markup) {
    const text = jsonText(work.text(str(value, work)), options.ensureAscii);
    return work.text(text);
  }
  if (value instanceof List || value instanceof Tuple) return block('[', value.items.map(inner), ']');
  if (value instanceof Dict) {
    const entries = [...value.entries.values()];
    if (options.sortKeys) entries.sort(([a], [b]) => (less(a, b) ? -1 : less(b, a) ? 1 : 0));
    const parts = entries.map(
      ([key, item]) => jsonText(jsonKey(key), options.ensureAscii) + separators[1] + inner(item),
    );
    return block('{', parts, '}');
  }
  throw typeError(`Object of type ${typeOf(value)} is not JSON serializable`);
}

function jsonFloat(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  return Number.isFinite(value) ? reprFloat(value) : value > 0 ? 'Infinity' : '-Infinity';
}

function jsonKey(key: Value): string {
  if (typeof key === 'string') return key;
  if (key === null) return 'null';
  if (typeof key === 'boolean') return String(key);
  if (typeof key === 'bigint') return reprInt(key);
  if (typeof key === 'number') return jsonFloat(key);
  throw typeError(`keys must be str, int, float, bool or None, not ${typeOf(key)}`);
}

const JSON_ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\f': '\\f',
  '\b': '\\b',
};

function jsonText(text: string, ascii: boolean): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what JSON escapes.
  const found = ascii ? /["\\]|[^ -~]/g : /["\\\x00-\x1f]/g;
  const written = (unit: string) => JSON_ESCAPES[unit] ?? `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return `"${text.replace(found, written)}"`;
}
