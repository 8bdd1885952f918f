// The checks that a file of problems may apply to an answer: plain values, read by a schema that bounds each, so that the work for a file
// or an answer is bounded. Patterns run on an engine with linear time (RE2). Python runs only in the sandbox: a check's own program, which
// gets the answer as a string, and the answer's program under `tests` (cases.ts).

import { type Schema, Validator } from '@cfworker/json-schema';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import type { Program, RunResult } from '@projected-grpo-lab/python-sandbox/protocol.ts';
import { RE2JS } from 're2js';
import * as z from 'zod/mini';
import { isWithin } from '../../lib/exact/rational.ts';
import { type NumberRead, numbersOfAnswer, readNumber, valuesOf } from '../../lib/exact/read-number.ts';
import { passesTests, TestsSchema, testsProgram } from './cases.ts';

const MOST_PATTERN = 1000;
/** Most instructions of a compiled pattern, and most instructions times characters of one answer. */
const [MOST_INSTRUCTIONS, MOST_WORK] = [4000, 2e7];
const MOST_WORDS = 200;
/** Most characters of a check's own program: a verifier with its tests. */
const MOST_CODE = 50_000;

const Text = z.string().check(z.maxLength(10_000));
const Words = z
  .array(z.string().check(z.minLength(1), z.maxLength(200)))
  .check(z.minLength(1), z.maxLength(MOST_WORDS));
const flag = (otherwise: boolean) => z._default(z.boolean(), otherwise);
const count = z.int().check(z.nonnegative());

/** A number, or its digits as the file has them, since a double does not hold twenty digits. */
const Amount = z.union([z.number(), z.string()]);

const OPTIONS = [
  z.strictObject({ kind: z.literal('always') }),
  z.strictObject({ kind: z.literal('equals'), value: Text, ignore_case: flag(false) }),
  z.strictObject({
    kind: z.literal('keywords'),
    all: z.optional(Words),
    any: z.optional(Words),
    none: z.optional(Words),
    ignore_case: flag(true),
  }),
  z.strictObject({
    kind: z.literal('length'),
    unit: z.enum(['characters', 'words', 'lines']),
    min: z.optional(count),
    max: z.optional(count),
  }),
  z.strictObject({
    kind: z.literal('regex'),
    pattern: z.string().check(z.minLength(1), z.maxLength(MOST_PATTERN)),
    whole: flag(false),
    ignore_case: flag(false),
  }),
  z.strictObject({
    kind: z.literal('number'),
    value: Amount,
    tolerance: z._default(Amount, 0),
    which: z._default(z.enum(['first', 'last', 'only']), 'last'),
  }),
  z.strictObject({ kind: z.literal('json_schema'), schema: z.record(z.string(), z.unknown()) }),
  z.strictObject({ kind: z.literal('python'), code: z.string().check(z.minLength(1), z.maxLength(MOST_CODE)) }),
  TestsSchema,
] as const;

export const CheckSchema = z.discriminatedUnion('kind', OPTIONS);
export type Check = z.infer<typeof CheckSchema>;
export const CHECK_KINDS = OPTIONS.map(({ shape }) => [...shape.kind._zod.values][0] as Check['kind']);

/** Error of a check that its schema cannot express: the field and the reason; null if there is none. */
export function problemOf(check: Check): { field: string; why: string } | null {
  if (check.kind === 'regex') {
    try {
      const size = compiled(check).programSize();
      if (size <= MOST_INSTRUCTIONS) return null;
      return { field: 'pattern', why: `compiles to ${size} instructions, ${MOST_INSTRUCTIONS} are allowed` };
    } catch (error) {
      return { field: 'pattern', why: `is not an RE2 pattern (${(error as Error).message.slice(0, 200)})` };
    }
  }
  if (check.kind === 'keywords' && !check.all && !check.any && !check.none)
    return { field: 'all', why: 'is missing, and so are any and none: there is nothing to look for' };
  if (check.kind === 'length') {
    if (check.min === undefined && check.max === undefined)
      return { field: 'min', why: 'is missing, and so is max: every length would pass' };
    if ((check.min ?? 0) > (check.max ?? Number.POSITIVE_INFINITY))
      return { field: 'max', why: `is ${check.max}, less than min ${check.min}: nothing could pass` };
  }
  if (check.kind === 'number')
    for (const field of ['value', 'tolerance'] as const) {
      const read = readNumber(String(check[field]));
      if ('why' in read) return { field, why: `${JSON.stringify(String(check[field]).slice(0, 60))} ${read.why}` };
      if (field === 'tolerance' && read.value.num < 0n) return { field, why: 'is less than 0: nothing could pass' };
    }
  if (check.kind === 'json_schema') {
    const bad = forbiddenKey(check.schema);
    // JavaScript's own patterns backtrack, and references may be circular.
    if (bad) return { field: 'schema', why: `has "${bad}", which is not read here; add a regex check beside it` };
    const type = unknownType(check.schema);
    if (type !== null) return { field: 'schema', why: `has the type ${type}; there are ${TYPES.join(', ')}` };
    try {
      validatorOf(check.schema).validate(null);
    } catch (error) {
      return { field: 'schema', why: `is not a readable JSON schema (${(error as Error).message.slice(0, 200)})` };
    }
  }
  if (check.kind === 'python' && !/^def check\(/m.test(check.code))
    return { field: 'code', why: 'defines no function check(prompt, answer)' };
  return null;
}

/** The validator stops at the first error. */
const validatorOf = (schema: Record<string, unknown>): Validator => new Validator(schema as Schema, '2020-12', true);

const TYPES = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'];

/** Returns the first unknown type in the schema, nested schemas included. */
function unknownType(schema: unknown): string | null {
  if (typeof schema !== 'object' || schema === null) return null;
  for (const [key, inner] of Object.entries(schema)) {
    // These keys have values, not schemas.
    if (['const', 'enum', 'default', 'examples'].includes(key)) continue;
    if (key === 'type' && !Array.isArray(schema)) {
      const bad = [inner].flat().find((name) => typeof name !== 'string' || !TYPES.includes(name));
      if (bad !== undefined) return JSON.stringify(bad);
    } else if (key === 'properties' && typeof inner === 'object' && inner !== null) {
      const found = Object.values(inner)
        .map(unknownType)
        .find((one) => one !== null);
      if (found) return found;
    } else {
      const found = unknownType(inner);
      if (found) return found;
    }
  }
  return null;
}

const FORBIDDEN = ['pattern', 'patternProperties', 'format', '$ref', '$dynamicRef'];

function forbiddenKey(value: unknown): string | null {
  if (typeof value !== 'object' || value === null) return null;
  for (const [key, inner] of Object.entries(value)) {
    // The keys under `properties` are property names, not keywords.
    if (key === 'properties' && typeof inner === 'object' && inner !== null && !Array.isArray(inner)) {
      for (const one of Object.values(inner)) {
        const found = forbiddenKey(one);
        if (found) return found;
      }
    } else if (FORBIDDEN.includes(key) && !Array.isArray(value)) return key;
    else {
      const found = forbiddenKey(inner);
      if (found) return found;
    }
  }
  return null;
}

/** Whether a schema, or a nested one, has this key; a property with this name counts too. */
const hasKey = (schema: unknown, key: string): boolean =>
  typeof schema === 'object' &&
  schema !== null &&
  (Object.hasOwn(schema, key) || Object.values(schema).some((inner) => hasKey(inner, key)));

/** Number of value comparisons if the items of every list within the value are compared pairwise. */
function comparisons(value: unknown): number {
  const sizeOf = (one: unknown): { size: number; work: number } => {
    if (typeof one === 'string') return { size: 1 + (one.length >> 4), work: 0 };
    if (typeof one !== 'object' || one === null) return { size: 1, work: 0 };
    const items = Object.values(one).map(sizeOf);
    const size = items.reduce((sum, item) => sum + item.size, 1);
    const work = items.reduce((sum, item) => sum + item.work, 0);
    return { size, work: work + (Array.isArray(one) ? items.length * size : 0) };
  };
  return sizeOf(value).work;
}

const compiled = ({ pattern, ignore_case }: Extract<Check, { kind: 'regex' }>): RE2JS =>
  RE2JS.compile(pattern, ignore_case ? RE2JS.CASE_INSENSITIVE : 0);

type Passes = (answer: string) => boolean;

/** A check that needs no sandbox; null for a check that runs a program. */
export function testOf(check: Check): Passes | null {
  switch (check.kind) {
    case 'always':
      return () => true;
    case 'equals': {
      const same = (text: string) => folded(text.trim(), check.ignore_case);
      return (answer) => same(answer) === same(check.value);
    }
    case 'keywords': {
      const { all = [], any, none = [], ignore_case } = check;
      return (answer) => {
        const text = folded(answer, ignore_case);
        const has = (word: string) => text.includes(folded(word, ignore_case));
        return all.every(has) && (any?.some(has) ?? true) && !none.some(has);
      };
    }
    case 'length': {
      const { unit, min = 0, max = Number.POSITIVE_INFINITY } = check;
      return (answer) => {
        const length = lengthOf(answer.trim(), unit);
        return length >= min && length <= max;
      };
    }
    case 'regex': {
      const pattern = compiled(check);
      const size = pattern.programSize();
      return (answer) => {
        // The work is bounded before matching: a longer answer fails, on every machine alike.
        if (size * answer.length > MOST_WORK) return false;
        return check.whole ? pattern.matches(answer.trim()) : pattern.test(answer);
      };
    }
    case 'number': {
      const [value, tolerance] = [amountOf(check.value), amountOf(check.tolerance)];
      return (answer) => {
        const { count, first, last } = numbersOfAnswer(answer);
        if (check.which === 'only' && count > 1) return false;
        const found = check.which === 'first' ? first : last;
        return (
          found !== null &&
          valuesOf(found).some((one) => valuesOf(value).some((truth) => isWithin(one, truth, tolerance.value)))
        );
      };
    }
    case 'json_schema': {
      const validator = validatorOf(check.schema);
      const compares = hasKey(check.schema, 'uniqueItems');
      return (answer) => {
        try {
          const value = parseJsonText(unfenced(answer));
          // All pairs of items are compared; a longer list fails, on every machine alike.
          if (compares && comparisons(value) > MOST_WORK) return false;
          return validator.validate(value).valid;
        } catch {
          return false;
        }
      };
    }
    case 'python':
    case 'tests':
      return null;
  }
}

const folded = (text: string, ignoresCase: boolean): string => (ignoresCase ? text.toLowerCase() : text);

function lengthOf(text: string, unit: 'characters' | 'words' | 'lines'): number {
  if (text === '') return 0;
  if (unit === 'characters') return [...text].length;
  return unit === 'words' ? text.split(/\s+/).length : text.split('\n').length;
}

/** Throws SpecError for text that is not a number; `problemOf` reports such a file earlier. */
function amountOf(amount: number | string): NumberRead {
  const read = readNumber(String(amount));
  if ('value' in read) return read;
  throw new SpecError(`A number check’s ${String(amount).slice(0, 60)} ${read.why}.`, 'Write one number.');
}

/** Text inside a fence of three backticks, if the fence spans the whole answer. */
function unfenced(answer: string): string {
  const text = answer.trim();
  if (!text.startsWith('```') || !text.endsWith('```') || text.length < 6) return text;
  return text.slice(text.indexOf('\n') + 1, -3).trim();
}

/** Writes any text as an ASCII literal of Python, so that a model's text is only a string. */
export function pythonText(text: string): string {
  const escaped = Array.from(text, (character) => {
    // A lone surrogate is not a character.
    const code = /[\ud800-\udfff]/.test(character) && character.length === 1 ? 0xfffd : character.codePointAt(0)!;
    if (code >= 0x20 && code < 0x7f && character !== '"' && character !== '\\') return character;
    return `\\U${code.toString(16).padStart(8, '0')}`;
  });
  return `"${escaped.join('')}"`;
}

export type ProgramCheck = Extract<Check, { kind: 'python' | 'tests' }>;

/** Under `python` the program is the file's code, whose function gets prompt and answer; under `tests` it is the answer's. Null if there
 *  is nothing to run, which fails. */
export function programOf(check: ProgramCheck, prompt: string, answer: string): Program | null {
  if (check.kind === 'tests') return testsProgram(check, answer);
  const call = `__out__ = check(${pythonText(prompt)}, ${pythonText(answer)})`;
  return { source: check.code, steps: [{ do: 'module' }, { do: 'value', code: call }] };
}

/** Whether the check passed; if the check's own program returned neither True nor False, the error. */
export function resultOf(check: ProgramCheck, result: RunResult): boolean | string {
  if (check.kind === 'tests') return passesTests(check, result);
  const { killed, outcomes } = result;
  if (killed) return `was ended (${killed})`;
  const bad = outcomes.find(({ end }) => end === 'raise' || end === 'exit');
  if (bad) return bad.end === 'raise' ? `raised ${bad.type}` : 'called exit';
  const last = outcomes.at(-1);
  if (last?.end === 'ok' && last.value?.[0] === 'bool') return last.value[1];
  return 'returned something other than True or False';
}
