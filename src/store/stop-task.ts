// Stops a task of the worker; a stop that fails becomes a notice.
import type { StoreContext } from './context.ts';
import { attempt } from './notices.ts';

/** Does nothing without a task. */
export async function stopTask(
  { client, notices }: Pick<StoreContext, 'client' | 'notices'>,
  task: string | undefined,
): Promise<void> {
  if (task !== undefined) await attempt(notices, client.request('stopTask', { task }));
}
