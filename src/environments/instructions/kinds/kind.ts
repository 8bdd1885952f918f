// A kind of instruction: its name, its arguments, and how a text is checked. Verdicts are those of the benchmark's reference (IFEval, Zhou
// et al. 2023), its quirks among them.

import { pythonPattern } from '@projected-grpo-lab/are/apps/messaging/pattern.ts';
import { isNamed } from '@projected-grpo-lab/base/errors.ts';
import * as z from 'zod/mini';
import { escaped } from './python-text.ts';

/** Tools that are loaded only where an instruction asks for them. */
export interface Tools {
  /** Null for a text without features. */
  language(text: string): string | null;
  /** Codes that it knows. */
  languages: readonly string[];
  sentences(text: string): number;
}
export type Tool = 'language' | 'sentences';

export type Check = (text: string) => boolean;

export interface Kind<A = unknown> {
  id: string;
  args: z.ZodMiniType<A>;
  needs?: Tool;
  /** Throws ArgumentError. */
  check(args: A, tools: Tools): Check;
}

/** Arguments are of each kind its own, and checked where they are read: the list of all kinds does not know their types. */
export const kind = <A>(declared: Kind<A>): Kind => declared as unknown as Kind;

/** An argument that has the right form and no meaning: a pattern that does not compile, a language that is not known. */
export class ArgumentError extends Error {
  constructor(
    readonly argument: string,
    what: string,
  ) {
    super(what);
  }
}

/** Longer texts are none that a person gives. */
const text = (most: number) => z.string().check(z.minLength(1), z.maxLength(most));
export const word = text(200);
/** A request that is to be repeated. */
export const passage = text(20_000);
export const words = z.array(word).check(z.minLength(1), z.maxLength(100));
export const count = z.int().check(z.minimum(1), z.maximum(1_000_000));
export const RELATIONS = ['less than', 'at least'] as const;
export const relation = z.enum(RELATIONS);
export const none = z.strictObject({});

/** "Less than" is strict, "at least" is not. */
export const holds = (found: number, asked: (typeof RELATIONS)[number], wanted: number): boolean =>
  asked === 'less than' ? found < wanted : found >= wanted;

export interface Search {
  test(text: string): boolean;
  count(text: string): number;
}

/** A text that is looked for (i without a dot and I with one are i to Python, where case is ignored), where it has none of a pattern's signs; else a pattern in Python's syntax, on an engine whose time is linear
 *  (RE2). `around`: what stands before and after, in the words of either. */
export function searchOf(
  argument: string,
  source: string,
  {
    ignoresCase = true,
    around = {},
  }: {
    ignoresCase?: boolean;
    around?: { plain?: readonly [string, string]; pattern?: readonly [string, string] };
  } = {},
): Search {
  if (!/[\\^$.*+?()[\]{}|]/.test(source)) {
    const [before, after] = around.plain ?? ['', ''];
    const literal = ignoresCase ? escaped(source).replace(/[iIıİ]/g, '[iIıİ]') : escaped(source);
    const plain = new RegExp(`${before}${literal}${after}`, ignoresCase ? 'giu' : 'gu');
    return { test: (given) => given.search(plain) >= 0, count: (given) => given.match(plain)?.length ?? 0 };
  }
  const [before, after] = around.pattern ?? ['', ''];
  const named = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      if (isNamed(error) || !(error instanceof Error)) throw error;
      throw new ArgumentError(argument, error.message);
    }
  };
  const pattern = named(() => pythonPattern(`${before}${source}${after}`, ignoresCase));
  return { test: (given) => named(() => pattern.test(given)), count: (given) => named(() => pattern.count(given)) };
}
