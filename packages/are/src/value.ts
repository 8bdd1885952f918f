// The values of tools: JSON, with one extra type. Python distinguishes 800 from 800.0 and JavaScript does not, but a tool's type check does
// (an int is no float), so an argument written as a whole float is a `Float` until it has been checked. Apps never see one: `plain` unwraps
// them before a tool runs.

export type Value = null | boolean | number | string | readonly Value[] | { readonly [key: string]: Value };

/** A float without a fraction (800.0), as an argument. A number with a fraction is a float anyway. */
export class Float {
  constructor(readonly value: number) {}
}

/** An argument before it is checked. */
export type Arg = null | boolean | number | string | Float | readonly Arg[] | { readonly [key: string]: Arg };

/** Arguments by name, in the order in which they were given. */
export type Args = Readonly<Record<string, Arg>>;

export type Values = Readonly<Record<string, Value>>;

export const isList = (value: Arg): value is readonly Arg[] => Array.isArray(value);
export const isDict = (value: Arg): value is { readonly [key: string]: Arg } =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Float);

/** The value with each `Float` as a number; lists and dicts are copied, so that an app owns what it stores. */
export function plain(value: Arg): Value {
  if (value instanceof Float) return value.value;
  if (isList(value)) return value.map(plain);
  if (isDict(value)) return plainArgs(value);
  return value as Value;
}

export const plainArgs = (args: Args): Record<string, Value> =>
  Object.fromEntries(Object.entries(args).map(([name, value]) => [name, plain(value)]));
