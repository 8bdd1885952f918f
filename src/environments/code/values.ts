// Values in JSON and Python, handled outside the sandbox: as Python source on their way into a program or prompt, and in comparisons of results, by the
// strict oracle and by Python's own `==` (True == 1).

import type { Value } from '@projected-grpo-lab/python-sandbox/protocol.ts';
import type { Json, TestCase } from './types.ts';

/** Python source of a JSON value, escaped so that no newline or quote breaks out; integers of any size stay integers. */
export function pythonSource(value: Json): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value).toString() : String(value);
  // JSON's escapes are a subset of Python's.
  if (typeof value === 'string') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(pythonSource).join(', ')}]`;
  return `{${Object.entries(value)
    .map(([key, entry]) => `${JSON.stringify(key)}: ${pythonSource(entry)}`)
    .join(', ')}}`;
}

/** The Python value of a JSON value. */
function valueOfJson(json: Json): Value {
  if (json === null) return ['none'];
  if (typeof json === 'boolean') return ['bool', json];
  if (typeof json === 'string') return ['str', json];
  if (typeof json === 'number') return Number.isInteger(json) ? ['int', BigInt(json).toString()] : ['float', json];
  if (Array.isArray(json)) return ['list', json.map(valueOfJson)];
  return ['dict', Object.entries(json).map(([key, entry]): [Value, Value] => [['str', key], valueOfJson(entry)])];
}

/** Equal as JSON with exact types: True is not 1, 1.0 is not 1, a tuple or a subclass is not a list. */
export const strictlyEqual = (value: Value | null, expected: Json): boolean =>
  value !== null && sameValue(value, valueOfJson(expected));

/** Equal in value and exact type, recursively; the order of a dict's entries does not matter. */
export function sameValue(value: Value, expected: Value): boolean {
  if (value[0] === 'list' || value[0] === 'tuple') {
    if (expected[0] !== value[0] || value[1].length !== expected[1].length) return false;
    const items: readonly Value[] = expected[1];
    return value[1].every((item, i) => sameValue(item, items[i]));
  }
  if (value[0] === 'dict') {
    if (expected[0] !== 'dict' || value[1].length !== expected[1].length) return false;
    const entries = expected[1];
    return value[1].every(([key, item]) => entries.some(([k, v]) => sameValue(key, k) && sameValue(item, v)));
  }
  if (value[0] === 'none') return expected[0] === 'none';
  // A value without an exact type equals nothing, not even itself; neither does NaN.
  return value[0] !== 'other' && value[0] === expected[0] && value[1] === expected[1];
}

/** A text that is equal for two values exactly if they are the `sameValue`; null for a value that equals nothing. */
export function valueKey(value: Value): string | null {
  const canonical = canonicalOf(value);
  return canonical && JSON.stringify(canonical);
}

type Canonical = readonly [string, ...unknown[]];

function canonicalOf(value: Value): Canonical | null {
  if (value[0] === 'other') return null;
  // JSON has no infinity.
  if (value[0] === 'float') return Number.isNaN(value[1]) ? null : ['float', String(value[1])];
  if (value[0] === 'list' || value[0] === 'tuple') return wholeOf(value[0], value[1].map(canonicalOf));
  if (value[0] !== 'dict') return value;
  const entries = value[1].map((entry) => wholeOf('entry', entry.map(canonicalOf)));
  // The order of entries does not matter.
  return entries.includes(null) ? null : ['dict', ...entries.map((entry) => JSON.stringify(entry)).sort()];
}

const wholeOf = (type: string, parts: readonly (Canonical | null)[]): Canonical | null =>
  parts.includes(null) ? null : [type, ...parts];

/** The expected answer as Python source. */
export const expectedSource = (test: TestCase): string => test.exact?.expected ?? pythonSource(test.expected);

/** The strict oracle's verdict on one answer. */
export function isExpected(value: Value | null, test: TestCase): boolean {
  if (test.exact === undefined) return strictlyEqual(value, test.expected);
  return value !== null && sameValue(value, test.exact.value);
}

/** JSON as compact Python source, as the templates write it: `[1,2]`, `'bd'`, `True`. */
export function pyLiteral(value: Json): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  if (Array.isArray(value)) return `[${value.map(pyLiteral).join(',')}]`;
  return `{${Object.entries(value)
    .map(([key, v]) => `${pyLiteral(key)}:${pyLiteral(v)}`)
    .join(',')}}`;
}

/** Equal as JSON, including types, like the strict oracle. */
export const sameJson = (a: Json, b: Json): boolean => JSON.stringify(a) === JSON.stringify(b);

const loosen = (value: Json): Json =>
  typeof value === 'boolean' ? Number(value) : Array.isArray(value) ? value.map(loosen) : value;

/** Equal under Python's `==`, for values without dictionaries. */
export const samePy = (a: Json, b: Json): boolean => sameJson(loosen(a), loosen(b));
