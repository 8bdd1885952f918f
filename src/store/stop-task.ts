// Stops a task of the worker; a stop that fails becomes a notice.
import type { StoreContext } from './context.ts';

type Stop = 'stopExtraction' | 'stopStepReplay' | 'stopModel' | 'stopProbe' | 'stopCheck' | 'stopPool';

/** Does nothing where there is no task. */
export async function stopTask(
  { client, notices }: Pick<StoreContext, 'client' | 'notices'>,
  stop: Stop,
  task: string | undefined,
): Promise<void> {
  if (task !== undefined) await client.request(stop, { task }).catch((error) => notices.fail(error));
}
