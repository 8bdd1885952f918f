// Which of a command's options decide a run: all of them, but those that are named as deciding nothing. An option that is new counts until
// somebody says that it does not, so that what was made with another value of it is never taken for the same.

import type { Trace } from '@projected-grpo-lab/are/scenario/schema.ts';
import { contentKey } from '../../experiments/records/artifacts.ts';

/** Where a server is waited for, how long, with which key, on how many threads, how many runs at once, whether a scenario's apps were fetched (they
 *  are in the scenario that counts), and whether a judge's words were kept (they are that judge's). */
export const DECIDES_NOTHING = [
  ...(['json', 'retries', 'answer-within', 'key-env', 'judge-key-env', 'threads', 'concurrency'] as const),
  ...(['fetch-apps', 'judge-cache'] as const),
] as const;

/** The same for the same options, model and scenario. */
export function madeOf<F extends object>(
  flags: F,
  besides: readonly (keyof F)[],
  more: { readonly agent: string; readonly model: string | null; readonly trace: Trace },
): Promise<string> {
  const options = Object.entries(flags)
    .filter(([name]) => !besides.some((one) => one === name))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return contentKey([options, more]);
}
