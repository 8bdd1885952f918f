// The check `tests`: an answer's program is judged by calls of one of its functions. The program is hostile and runs only in the sandbox;
// its results are compared outside, so that nothing that it does to its own interpreter makes a wrong value right.
import type { Outcome, Program, RunResult, Value } from '@projected-grpo-lab/python-sandbox/protocol.ts';
import * as z from 'zod/mini';
import { extractCode } from '../code/fence.ts';
import type { Json } from '../code/types.ts';
import { pythonSource } from '../code/values.ts';

export const TestsSchema = z.strictObject({
  kind: z.literal('tests'),
  /** Name of the function. */
  entry: z.string().check(z.regex(/^[A-Za-z_]\w{0,99}$/)),
  cases: z
    .array(z.strictObject({ args: z.array(z.json()).check(z.maxLength(20)), expected: z.json() }))
    .check(z.minLength(1), z.maxLength(200)),
  /** Whether the order of a list's items is ignored. */
  any_order: z._default(z.boolean(), false),
});
export type TestsCheck = z.infer<typeof TestsSchema>;

/** Null for an answer without a fenced block of Python; it fails. */
export function testsProgram({ entry, cases }: TestsCheck, answer: string): Program | null {
  const source = extractCode(answer);
  if (source === null) return null;
  const calls = cases.map(({ args }) => `__out__ = ${entry}(${(args as Json[]).map(pythonSource).join(', ')})`);
  return { source, steps: [{ do: 'module' }, ...calls.map((code) => ({ do: 'value' as const, code }))] };
}

/** Whether every call returned the expected value. */
export function passesTests({ cases, any_order }: TestsCheck, { killed, outcomes }: RunResult): boolean {
  const [module, ...calls] = outcomes;
  if (killed !== null || module?.end !== 'ok') return false;
  return cases.every(({ expected }, i) => isAnswer(calls[i], expected as Json, any_order));
}

function isAnswer(outcome: Outcome | undefined, expected: Json, anyOrder: boolean): boolean {
  if (outcome?.end !== 'ok' || outcome.value === null) return false;
  const { value } = outcome;
  if (!anyOrder || !Array.isArray(expected)) return isSame(value, expected);
  if ((value[0] !== 'list' && value[0] !== 'tuple') || value[1].length !== expected.length) return false;
  // Each expected item needs its own item. Equality is transitive, so that the first equal one can be taken.
  const left = [...value[1]];
  return expected.every((one) => {
    const found = left.findIndex((item) => isSame(item, one));
    if (found >= 0) left.splice(found, 1);
    return found >= 0;
  });
}

/** Equality as JSON values: a tuple is a list, 1.0 is 1, the key 1 is "1"; True is not 1. */
function isSame(value: Value, expected: Json): boolean {
  switch (value[0]) {
    case 'none':
      return expected === null;
    case 'bool':
    case 'str':
      return value[1] === expected;
    case 'int':
      return typeof expected === 'number' && Number.isInteger(expected) && BigInt(value[1]) === BigInt(expected);
    case 'float':
      return value[1] === expected;
    case 'list':
    case 'tuple':
      return (
        Array.isArray(expected) &&
        value[1].length === expected.length &&
        value[1].every((item, i) => isSame(item, expected[i]))
      );
    case 'dict':
      return (
        typeof expected === 'object' &&
        expected !== null &&
        !Array.isArray(expected) &&
        value[1].length === Object.keys(expected).length &&
        value[1].every(([key, item]) => {
          const name = key[0] === 'str' || key[0] === 'int' ? key[1] : null;
          return name !== null && Object.hasOwn(expected, name) && isSame(item, expected[name]);
        })
      );
    default:
      return false;
  }
}
