// Runs several tasks in parallel that mostly wait.

import { integer } from '@projected-grpo-lab/base/commands/args.ts';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';

export const CONCURRENCY_FLAG = { concurrency: integer('Runs at once, where a server answers.', 1, 1, 256) } as const;

/** Throws SpecError if several runs would share a model that answers one question at a time. */
export function checkConcurrency(flags: {
  readonly concurrency: number;
  readonly model?: string | null;
  readonly 'judge-model'?: string | null;
}): void {
  if (flags.concurrency > 1 && (flags.model ?? flags['judge-model'] ?? null) !== null)
    throw new SpecError('A folder’s model answers one run at a time.', 'Leave --concurrency out.');
}

/**
 * Results in order, with at most `most` tasks at a time. The first error stops the rest and is thrown once all started tasks have ended.
 */
export async function inParallel<T>(
  items: readonly T[],
  most: number,
  stop: AbortController,
  work: (item: T, place: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  let failed: { readonly error: unknown } | null = null;
  const worker = async () => {
    while (next < items.length && failed === null) {
      const place = next++;
      try {
        await work(items[place] as T, place);
      } catch (error) {
        failed ??= { error };
        stop.abort(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, worker));
  const found = failed as { readonly error: unknown } | null;
  if (found !== null) throw found.error;
}
