// Binds arguments to the parameters of built-in functions, by position or by name, as Python does.
import { type Arguments, integerOf, Markup, typeError, typeOf, Undefined, type Value } from './values.ts';
import { unsupported, type Work } from './work.ts';

/** Parameters in order; an argument must be given for one without a default. */
export type Parameters = readonly (readonly [name: string, fallback?: Value])[];

export interface Signature {
  parameters: Parameters;
  /** Whether arguments can be given by position only, as in most methods of Python's str. */
  places?: boolean;
}

export function bind(name: string, { positional, named }: Arguments, { parameters, places }: Signature): Value[] {
  if (positional.length > parameters.length)
    throw typeError(`${name}() takes at most ${parameters.length} arguments (${positional.length} given)`);
  for (const key of named.keys()) {
    const at = places ? -1 : parameters.findIndex(([parameter]) => parameter === key);
    if (at < 0) throw typeError(`${name}() got an unexpected keyword argument '${key}'`);
    if (at < positional.length) throw typeError(`${name}() got multiple values for argument '${key}'`);
  }
  return parameters.map(([parameter, fallback], i) => {
    // None is a given value; only an argument that was not given is undefined here.
    const given = i < positional.length ? positional[i] : named.has(parameter) ? named.get(parameter) : fallback;
    if (given === undefined) throw typeError(`${name}() missing argument '${parameter}'`);
    return given;
  });
}

/** A method of a Python type: its parameters and its implementation. */
export interface Method<Self> extends Signature {
  run(self: Self, args: Value[], work: Work): Value;
}

export const method = <Self>(
  parameters: Parameters,
  run: (self: Self, args: Value[], work: Work) => Value,
): Method<Self> => ({ parameters, run, places: true });

export const named = <Self>(
  parameters: Parameters,
  run: (self: Self, args: Value[], work: Work) => Value,
): Method<Self> => ({ parameters, run });

/** Returns an argument that must be a str. */
export function textOf(value: Value, what: string): string {
  if (typeof value === 'string') return value;
  if (value instanceof Markup) throw unsupported(`${what} of a text that 'safe' or 'escape' marked`);
  if (value instanceof Undefined) value.fail();
  throw typeError(`${what} takes a str, not '${typeOf(value)}'`);
}

/** A bound of a slice or a search; null (None) means that there is no bound. */
export const boundOf = (value: Value, what: string): number | null => (value === null ? null : integerOf(value, what));

/** The parts of the interpreter that a filter may use. */
export interface Rendering {
  readonly work: Work;
  filter(name: string, value: Value, args: Arguments): Value;
  test(name: string, value: Value, args: Arguments): boolean;
}

/** A filter whose arguments are bound to its parameters, or one that gets its arguments unbound. */
export type Filter =
  | (Signature & { run(value: Value, args: Value[], rendering: Rendering): Value })
  | { raw(value: Value, args: Arguments, rendering: Rendering): Value };
