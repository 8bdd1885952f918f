// Helpers shared by comparisons of recorded calls.
import type { Environment } from '../../environment.ts';
import { PythonError } from '../../python-error.ts';
import type { App } from '../../types.ts';
import type { Arg, Args, Value, Values } from '../../value.ts';
import { Bijection, differences } from './compare.ts';
import type { ParityCase } from './types.ts';

export const entriesOf = (json: Value): [string, Values][] => Object.entries(json as Readonly<Record<string, Values>>);
export const listOf = (value: Value | Arg | undefined): readonly Args[] => (value ?? []) as readonly Args[];

export const comparedCase = (file: string, name: string, expected: Value, actual: Value): ParityCase => ({
  file,
  name,
  differences: differences(expected, actual, new Bijection()),
});

export const missingCase = (file: string, name: string, what: string): ParityCase => ({
  file,
  name,
  differences: [],
  missing: what,
});

/** Result or error of a call, in the recordings' format. */
export function callResult(
  environment: Environment,
  appName: string,
  tool: string,
  args: Args,
): { [key: string]: Value } {
  try {
    return { result: (environment.world.app(appName) as App).call(tool, args) };
  } catch (error) {
    if (error instanceof PythonError) return { error: [error.kind, error.message] };
    throw error;
  }
}

/** Tries values that are not recorded: returns the differences of the first choice without any, else the fewest. */
export function bestChoice<T>(choices: readonly T[], compare: (choice: T) => string[]): string[] {
  let fewest: string[] | null = null;
  for (const choice of choices) {
    const found = errorAsDifference(() => compare(choice));
    if (fewest === null || found.length < fewest.length) fewest = found;
    if (fewest.length === 0) break;
  }
  return fewest ?? [];
}

/** Turns an error into a difference of its own case. */
export function errorAsDifference(compare: () => string[]): string[] {
  try {
    return compare();
  } catch (error) {
    return [`it cannot be run: ${String(error)}`];
  }
}
