// Starts an experiment at once if nothing trains, and otherwise queues it. Undoes this if the worker refuses it.
import type { StoreContext } from '../context.ts';
import type { ExperimentView } from '../experiment-view.ts';

/** Returns whether the worker accepted the request that `send` makes. */
type Begin = (view: ExperimentView, send: () => Promise<unknown>) => Promise<boolean>;

export function createBegin({ store, client, notices }: StoreContext): Begin {
  async function beginNow(view: ExperimentView, send: () => Promise<unknown>): Promise<boolean> {
    const before = store.getState().live?.id;
    store.setState({ busy: true, progress: null, preparing: null, opened: null, missingRun: null });
    try {
      if (store.getState().device?.choice !== view.spec.device) {
        store.setState({ device: await client.request('setDevice', { device: view.spec.device }) });
      }
      store.setState({ live: view, rollouts: null });
      await send();
      return true;
    } catch (error) {
      // An experiment that was queued may already be on show.
      if ([before, view.id].includes(store.getState().live?.id)) giveUp(view.id);
      notices.fail(error);
      return false;
    }
  }

  /**
   * Its device opens when its turn comes. It joins the queue before the worker answers, because the live experiment may end in the
   * meantime.
   */
  async function enqueue(view: ExperimentView, send: () => Promise<unknown>): Promise<boolean> {
    store.setState(({ queue }) => ({ queue: [...queue, view] }));
    try {
      await send();
      return true;
    } catch (error) {
      if (store.getState().live?.id === view.id) giveUp(view.id);
      store.setState(({ queue }) => ({ queue: queue.filter(({ id }) => id !== view.id) }));
      notices.fail(error);
      return false;
    }
  }

  function giveUp(id: string): void {
    store.setState(({ live }) => ({ busy: false, live: live?.id === id ? null : live }));
  }

  return (view, send) => (store.getState().busy ? enqueue(view, send) : beginNow(view, send));
}
