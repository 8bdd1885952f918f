// Values between JSON and Python. In both directions they are handled outside the sandbox.

// On their way into a program (as Python source that no newline or quote can break out of), and the strict comparison of what came out.

import type { Value } from '@projected-grpo-lab/python-sandbox/protocol.ts';
import type { Json, TestCase } from './types.ts';

/** Python source of a JSON value; integers stay integers, whatever their size. */
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

/** Equal as JSON after exact type checks: True is not 1, 1.0 is not 1, a tuple or a subclass is not a list. */
export function strictlyEqual(value: Value | null, expected: Json): boolean {
  if (value === null) return false;
  if (expected === null) return value[0] === 'none';
  if (typeof expected === 'boolean') return value[0] === 'bool' && value[1] === expected;
  if (typeof expected === 'string') return value[0] === 'str' && value[1] === expected;
  if (typeof expected === 'number') {
    if (Number.isInteger(expected)) return value[0] === 'int' && value[1] === BigInt(expected).toString();
    return value[0] === 'float' && value[1] === expected;
  }
  if (Array.isArray(expected)) {
    if (value[0] !== 'list' || value[1].length !== expected.length) return false;
    return value[1].every((item, i) => strictlyEqual(item, expected[i]));
  }
  if (value[0] !== 'dict' || value[1].length !== Object.keys(expected).length) return false;
  return value[1].every(
    ([key, item]) => key[0] === 'str' && Object.hasOwn(expected, key[1]) && strictlyEqual(item, expected[key[1]]),
  );
}

/** Equal in value and exact type, at every depth; the order of a dict's entries does not count. */
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
  // A type without an exact counterpart equals nothing, itself included; no NaN is an answer either.
  return value[0] !== 'other' && value[0] === expected[0] && value[1] === expected[1];
}

/** A text that two values share exactly where they are the `sameValue`; null for one that equals nothing. */
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
  // Their order does not count.
  return entries.includes(null) ? null : ['dict', ...entries.map((entry) => JSON.stringify(entry)).sort()];
}

const wholeOf = (type: string, parts: readonly (Canonical | null)[]): Canonical | null =>
  parts.includes(null) ? null : [type, ...parts];

/** The expected answer as Python source. */
export const expectedSource = (test: TestCase): string => test.exact?.expected ?? pythonSource(test.expected);

/** The strict oracle's word on one answer. */
export function isExpected(value: Value | null, test: TestCase): boolean {
  if (test.exact === undefined) return strictlyEqual(value, test.expected);
  return value !== null && sameValue(value, test.exact.value);
}

// In problems and their prompts: JSON values as Python source, and the two equalities that matter: Python's `==` (True == 1) and the strict oracle's.

/** Compact, as the templates write it: `[1,2]`, `'bd'`, `True`. */
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

/** Equal as JSON, types included: what the strict oracle asks. */
export const sameJson = (a: Json, b: Json): boolean => JSON.stringify(a) === JSON.stringify(b);

const loosen = (value: Json): Json =>
  typeof value === 'boolean' ? Number(value) : Array.isArray(value) ? value.map(loosen) : value;

/** Equal under Python's `==`, for values without dictionaries. */
export const samePy = (a: Json, b: Json): boolean => sameJson(loosen(a), loosen(b));
