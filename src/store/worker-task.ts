// One task of the worker at a time, as a view shows it: its progress from the worker's events, its stop, and its end.
import type { WorkerEvent } from '../lab/protocol/protocol.ts';
import type { StoreContext } from './context.ts';
import { attempt } from './notices.ts';

/** Events that report a task's progress. */
type ProgressEvent = Extract<WorkerEvent, { task: string }>;

type WorkOf<Type> = Omit<Extract<ProgressEvent, { type: Type }>, 'type'>;

/** A store that contains the running task, or null. */
interface Place<Work> {
  getState(): { readonly work: Work | null };
  setState(changes: { work: Work | null }): void;
}

export function createWorkerTask<Type extends ProgressEvent['type'], Work extends WorkOf<Type>>(
  { client, notices }: Pick<StoreContext, 'client' | 'notices'>,
  type: Type,
  store: Place<Work>,
) {
  const get = () => store.getState().work;
  const set = (work: Work | null) => store.setState({ work });
  let count = 0;
  /** Resolves when the running task has ended. */
  let ended = Promise.resolve();
  let isStopping = false;

  client.subscribe((event) => {
    const work = get();
    if (event.type !== type || work?.task !== (event as ProgressEvent).task) return;
    const { type: _, ...at } = event;
    set({ ...work, ...at });
  });

  return {
    /**
     * The answer to `ask`, to which the task's name is passed. Null if another task is running, and if this one failed. A task that was
     * asked to stop is awaited first, because its record and its Resume button may be on show before it has ended.
     */
    async run<T>(
      begin: Omit<Work, 'task'>,
      ask: (task: string) => Promise<T>,
      onFailure: (error: unknown) => void,
    ): Promise<T | null> {
      if (isStopping) await ended;
      if (get()) return null;
      const task = `${type}-${++count}`;
      set({ ...begin, task } as Work);
      let end = () => {};
      ended = new Promise((resolve) => {
        end = resolve;
      });
      try {
        return await ask(task);
      } catch (error) {
        onFailure(error);
        return null;
      } finally {
        set(null);
        isStopping = false;
        end();
      }
    },

    /** Does nothing without a task. If the stop fails, a notice is shown. `mark` is what the view shows until the task has stopped. */
    async stop(mark: Partial<Work> = {}): Promise<void> {
      const work = get();
      if (!work) return;
      isStopping = true;
      set({ ...work, ...mark });
      await attempt(notices, client.request('stopTask', { task: work.task }));
    },
  };
}
