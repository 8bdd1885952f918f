// Entropy and KL of a group's tokens, computed in the worker when the user requests them. Only one group is computed at a time, because a
// later request in the worker cancels an earlier one. Computed values are cached.
import { StoppedError } from '@projected-grpo-lab/base/errors.ts';
import type { GroupMeasures } from '../../lab/protocol/token-measures.ts';
import type { StoreContext } from '../context.ts';

/** Maximum number of groups whose measures are cached in the page. */
const GROUPS_IN_PAGE = 200;

export function createTokenMeasures({ client }: Pick<StoreContext, 'client'>) {
  const known = new Map<string, GroupMeasures>();
  let before: Promise<unknown> = Promise.resolve();
  let count = 0;

  /** `signal` aborts when the result is no longer needed. Rejects if the worker refuses the request. */
  return async (runId: string, step: number, promptIndex: number, signal: AbortSignal): Promise<GroupMeasures> => {
    const key = JSON.stringify([runId, step, promptIndex]);
    const turn = before.then(async () => {
      const here = known.get(key);
      if (here) return here;
      if (signal.aborted) throw new StoppedError();
      const task = `measures-${count++}`;
      const found = await client.request('measureTokens', { task, runId, step, promptIndex });
      known.set(key, found);
      for (const oldest of known.keys()) {
        if (known.size <= GROUPS_IN_PAGE) break;
        known.delete(oldest);
      }
      return found;
    });
    before = turn.catch(() => {});
    return turn;
  };
}
