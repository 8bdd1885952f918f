// A family of one-line problems, and helpers that the four tables of families share: Python's floor division and modulo, input generators,
// parameter ranges. The tables (x.ts, ab.ts, nums.ts, s.ts) have the content.
import type { CounterRng } from '../../../rng/counter-rng.ts';
import { ARGUMENTS, type ArgumentKind, type Json } from '../types.ts';

export type Signature = (typeof ARGUMENTS)[ArgumentKind];
export const SIGNATURES: readonly Signature[] = Object.values(ARGUMENTS);
export type Params = readonly (number | string)[];

/** `small` inputs can be checked by hand (visible tests, asserts); `wide` ones are for the oracle. */
export type InputSize = 'small' | 'wide';

export interface Family {
  readonly id: string;
  readonly signature: Signature;
  /** Every parameter tuple, in a fixed order; at least twelve. */
  readonly space: readonly Params[];
  /** Noun phrase that completes "a method solve that returns …". */
  describe(params: Params): string;
  /** The correct body, a Python expression (MicroPython: no stepped slices of strings). */
  python(params: Params): string;
  /** The reference: what Python returns for these arguments. */
  value(params: Params, args: readonly Json[]): Json;
  inputs(params: Params, rng: CounterRng, size: InputSize): Json[];
}

/** `id(p1,p2)`: the identity of a problem in any mode. */
export const identityOf = (family: Family, params: Params): string => `${family.id}(${params.join(',')})`;

/** Both ends are included. */
export const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);
export const between = (rng: CounterRng, from: number, to: number): number => from + rng.int(to - from + 1);

/** Python's `%`: the result has the divisor's sign. */
export const pyMod = (a: number, b: number): number => ((a % b) + b) % b;
/** Python's `//`. */
export const pyDiv = (a: number, b: number): number => Math.floor(a / b);
export const sum = (values: readonly number[]): number => values.reduce((total, v) => total + v, 0);

/** Picks `count` items at even distances. */
export const evenly = <T>(items: readonly T[], count: number, offset = 0): T[] =>
  Array.from({ length: count }, (_, i) => items[Math.floor(((i + offset) * items.length) / count)]);

/** One parameter. */
export const one = (values: readonly (number | string)[]): Params[] => values.map((v) => [v]);
/** Two parameters, all combinations that `keep` accepts. */
export const two = (
  first: readonly (number | string)[],
  second: readonly (number | string)[],
  keep: (a: number | string, b: number | string) => boolean = () => true,
): Params[] => first.flatMap((a) => second.filter((b) => keep(a, b)).map((b) => [a, b]));

/** Removes JavaScript's negative zero, which Python's integers lack. */
export function plainZero(value: Json): Json {
  if (typeof value === 'number') return value + 0;
  return Array.isArray(value) ? value.map(plainZero) : value;
}

/** The letters of string problems: consonants that rarely occur together in English words, so that the tokenizer keeps them separate. */
export const LETTERS = ['b', 'd', 'f', 'g', 'h', 'j', 'k', 'm', 'p', 'q', 'v', 'z'] as const;

/** Draws the arguments of one test. */
type Draw<P extends Params, A> = (rng: CounterRng, ...params: P) => A;

const filledIn = (template: string, params: Params): string =>
  params.reduce<string>((text, value, i) => text.replaceAll(`{${i}}`, String(value)), template);

/** Makes the families of a table, and is the only place that casts parameters to their types. A row gives description and Python with {0} and {1}
 *  for its parameters, and inputs that replace the signature's if these do not fit; without own wide inputs, the small ones serve for both. */
export function familyMaker<A extends readonly Json[]>(signature: Signature, usual: Record<InputSize, Draw<[], A>>) {
  return <P extends Params>(
    id: string,
    space: readonly Params[],
    words: string,
    python: string,
    value: (args: A, ...params: P) => Json,
    own: { readonly small?: Draw<P, A>; readonly wide?: Draw<P, A> } = {},
  ): Family => ({
    id,
    signature,
    space,
    describe: (params) => filledIn(words, params),
    python: (params) => filledIn(python, params),
    // `signature` fixes the arguments' types, which are A.
    value: (params, args) => plainZero(value(args as unknown as A, ...(params as P))),
    inputs(params, rng, size) {
      const draw = (size === 'wide' && own.wide) || own.small;
      return [...(draw ? draw(rng, ...(params as P)) : usual[size](rng))];
    },
  });
}
