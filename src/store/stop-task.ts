import type { StoreContext } from './context.ts';
import { attempt } from './notices.ts';

/** Stops a task of the worker, if there is one; a failure becomes a notice. */
export async function stopTask(
  { client, notices }: Pick<StoreContext, 'client' | 'notices'>,
  task: string | undefined,
): Promise<void> {
  if (task !== undefined) await attempt(notices, client.request('stopTask', { task }));
}
