// What comparisons of recorded calls share.
import type { Environment } from '../../environment.ts';
import { PythonError } from '../../python-error.ts';
import type { App } from '../../types.ts';
import type { Arg, Args, Value, Values } from '../../value.ts';
import { Bijection, differences } from './compare.ts';
import type { ParityCase } from './types.ts';

export const entriesOf = (json: Value): [string, Values][] => Object.entries(json as Readonly<Record<string, Values>>);
export const listOf = (value: Value | Arg | undefined): readonly Args[] => (value ?? []) as readonly Args[];

export const compared = (file: string, name: string, expected: Value, actual: Value): ParityCase => ({
  file,
  name,
  differences: differences(expected, actual, new Bijection()),
});

export const missing = (file: string, name: string, what: string): ParityCase => ({
  file,
  name,
  differences: [],
  missing: what,
});

/** Result or error of a call, as the recordings write them. */
export function called(environment: Environment, appName: string, tool: string, args: Args): { [key: string]: Value } {
  try {
    return { result: (environment.world.app(appName) as App).call(tool, args) };
  } catch (error) {
    if (error instanceof PythonError) return { error: [error.kind, error.message] };
    throw error;
  }
}

/** What is not recorded is tried: the first of the choices with which nothing differs, else the one with the fewest differences. */
export function best<T>(choices: readonly T[], compare: (choice: T) => string[]): string[] {
  let fewest: string[] | null = null;
  for (const choice of choices) {
    const found = guarded(() => compare(choice));
    if (fewest === null || found.length < fewest.length) fewest = found;
    if (fewest.length === 0) break;
  }
  return fewest ?? [];
}

/** What cannot be run here is a difference of its case, and of no other. */
export function guarded(compare: () => string[]): string[] {
  try {
    return compare();
  } catch (error) {
    return [`it cannot be run: ${String(error)}`];
  }
}
