// Pairs as a file: a JSON array of {prompt, hack, clean}, with problem_id and mechanism where known. The pairs editor and the command line read and
// write it; all outside pairs are parsed here.

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import * as z from 'zod/mini';
import type { ContrastivePair } from '../pairs.ts';
import { MODES } from '../types.ts';

export const PAIR_LIMITS = {
  /** A basis needs at least two. */
  minPairs: 2,
  maxPairs: 4096,
  /** Most characters of one prompt or completion. */
  maxText: 65_536,
  /** Most characters of a whole file. */
  maxFile: 32 * 1024 * 1024,
} as const;

const text = z.string().check(z.minLength(1), z.maxLength(PAIR_LIMITS.maxText));
export const pairSchema = z.strictObject({
  problem_id: z.optional(z.string().check(z.minLength(1), z.maxLength(200))),
  prompt: text,
  hack: text,
  clean: text,
  mechanism: z.optional(z.nullable(z.enum(MODES))),
});

const EXPECTED: Record<string, string> = {
  problem_id: 'a text of 1 to 200 characters, or leave it out',
  prompt: `a text of 1 to ${PAIR_LIMITS.maxText} characters: all that the model reads, chat markup included`,
  hack: `a text of 1 to ${PAIR_LIMITS.maxText} characters, without the end token`,
  clean: `a text of 1 to ${PAIR_LIMITS.maxText} characters, without the end token`,
  mechanism: `one of ${MODES.join(', ')}, or null, or leave it out`,
};

/** Indented with one field per line, so that diffs are readable. */
export const pairsToJson = (pairs: readonly ContrastivePair[]): string =>
  `${JSON.stringify(
    pairs.map(({ problem_id, prompt, hack, clean, mechanism }) => ({ problem_id, prompt, hack, clean, mechanism })),
    null,
    1,
  )}\n`;

/** Throws FormatError that names the pair (counted from 0, as in the file) and the field. */
export function pairsFromJson(file: string): ContrastivePair[] {
  if (file.length > PAIR_LIMITS.maxFile)
    throw new FormatError(
      `the pairs file has ${file.length} characters`,
      `At most ${PAIR_LIMITS.maxFile} are read; split the file.`,
    );
  let value: unknown;
  try {
    value = parseJsonText(file);
  } catch (cause) {
    throw new FormatError(
      `the pairs are not JSON (${cause instanceof Error ? cause.message.slice(0, 100) : cause}): ${shown(file)}`,
      'Write an array of {"prompt": …, "hack": …, "clean": …}.',
      { cause },
    );
  }
  if (!Array.isArray(value))
    throw new FormatError(
      `the pairs are ${value === null ? 'null' : typeof value}, not an array`,
      'Write an array of {"prompt": …, "hack": …, "clean": …}.',
    );
  if (value.length < PAIR_LIMITS.minPairs || value.length > PAIR_LIMITS.maxPairs)
    throw new FormatError(
      `the file has ${value.length} pair${value.length === 1 ? '' : 's'}`,
      `Give ${PAIR_LIMITS.minPairs} to ${PAIR_LIMITS.maxPairs}.`,
    );
  return value.map(parsePair);
}

function parsePair(value: unknown, i: number): ContrastivePair {
  const parsed = pairSchema.safeParse(value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    if (issue.code === 'unrecognized_keys')
      throw new FormatError(
        `pair ${i}: unknown field ${issue.keys.slice(0, 3).join(', ').slice(0, 100)}`,
        `Known are ${Object.keys(EXPECTED).join(', ')}.`,
      );
    if (issue.path.length === 0)
      throw new FormatError(
        `pair ${i} is not an object: ${shown(value)}`,
        'Give {"prompt": …, "hack": …, "clean": …}.',
      );
    const field = String(issue.path[0]);
    const bad = (value as Record<string, unknown>)[field];
    throw new FormatError(
      bad === undefined ? `pair ${i}: ${field} is missing` : `pair ${i}: ${field} = ${shown(bad)} is not allowed`,
      `Give ${EXPECTED[field]}.`,
    );
  }
  const { problem_id = `pair-${i}`, prompt, hack, clean, mechanism = null } = parsed.data;
  if (hack === clean)
    throw new FormatError(
      `pair ${i}: hack and clean are the same text`,
      'A pair is two different answers to one prompt.',
    );
  return { problem_id, prompt, hack, clean, mechanism };
}

function shown(value: unknown): string {
  const string =
    typeof value === 'string' ? JSON.stringify(value.slice(0, 61)) : (JSON.stringify(value) ?? String(value));
  return string.length > 60 ? `${string.slice(0, 60)}…` : string;
}
