// The index of the published study (public/results/index.json): its row files with their digests, and which code made what.
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import { listOf } from '@projected-grpo-lab/base/lists.ts';
import * as z from 'zod/mini';
import type { RunsOfCommit } from './made-by.ts';

/** Content of public/results/index.json. */
export interface ResultsIndex {
  schema: 1;
  runs: number;
  bytes: number;
  /** In the study's order; a file contains the runs that its question needs first. */
  files: { name: string; question: string; runs: number; bytes: number; sha256: string }[];
  /** Commits of the runs, which the files' digests leave out; absent in an older index. */
  made?: RunsOfCommit[];
}

/** Throws FormatError. */
export function readIndex(text: string): ResultsIndex {
  try {
    return indexSchema.parse(parseJsonText(text)) as ResultsIndex;
  } catch (cause) {
    throw new FormatError('The index of the published results is damaged.', 'Reload the page.', { cause });
  }
}
const madeSchema = z.object({
  commit: z.string().check(z.regex(/^[0-9a-f]{40}(-dirty)?$/)),
  runs: z.array(z.string()),
  quarantines: z.array(z.string()),
});
const count = z.int().check(z.minimum(0));
const indexSchema = z.object({
  schema: z.literal(1),
  runs: count,
  bytes: count,
  files: listOf(
    z.object({
      name: z.string().check(z.regex(/^[\w-]{1,100}\.json\.gz$/)),
      question: z.string(),
      runs: count,
      bytes: count,
      sha256: z.string(),
    }),
    1000,
  ),
  made: z.optional(z.array(madeSchema)),
});
