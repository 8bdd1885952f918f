// A kind of instruction: its id, its arguments, and how a text is checked. Verdicts are those of the benchmark's reference (IFEval, Zhou
// et al. 2023), including its quirks.

import { pythonPattern } from '@projected-grpo-lab/are/apps/messaging/pattern.ts';
import { isNamed } from '@projected-grpo-lab/base/errors.ts';
import * as z from 'zod/mini';
import { escaped } from './python-text.ts';

/** Tools that are loaded only if an instruction needs them. */
export interface Tools {
  /** Null for a text without features. */
  language(text: string): string | null;
  /** Language codes that it can return. */
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

/** Each kind has its own argument type, which is checked when instructions are read; the list of all kinds does not know it. */
export const kind = <A>(declared: Kind<A>): Kind => declared as unknown as Kind;

/** An argument of the right form without a meaning: a pattern that does not compile, an unknown language. */
export class ArgumentError extends Error {
  constructor(
    readonly argument: string,
    what: string,
  ) {
    super(what);
  }
}

/** Longer arguments are not plausible. */
const text = (most: number) => z.string().check(z.minLength(1), z.maxLength(most));
export const word = text(200);
/** A request that the response repeats. */
export const passage = text(20_000);
export const words = z.array(word).check(z.minLength(1), z.maxLength(100));
export const count = z.int().check(z.minimum(1), z.maximum(1_000_000));
export const RELATIONS = ['less than', 'at least'] as const;
export const relation = z.enum(RELATIONS);
export const none = z.strictObject({});

/** "Less than" excludes the number, "at least" includes it. */
export const holds = (found: number, asked: (typeof RELATIONS)[number], wanted: number): boolean =>
  asked === 'less than' ? found < wanted : found >= wanted;

export interface Search {
  test(text: string): boolean;
  count(text: string): number;
}

/** A search for a text or, if the source has signs of a pattern, for a pattern in Python's syntax on an engine with linear time (RE2). If
 *  case is ignored, ı and İ equal i, as in Python. `around`: what stands before and after, as a text's or a pattern's parts. */
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
