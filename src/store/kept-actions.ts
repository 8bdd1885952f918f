// The list of kept experiments. A deletion can be taken back for a few seconds: until then the record is only hidden.
import type { Annotation, ExperimentSummary } from '../lab/protocol.ts';
import type { StoreContext } from './lab-store.ts';

const UNDO_MS = 7000;
const FINISHED = new Set(['done', 'stopped', 'failed']);

const newestFirst = (a: ExperimentSummary, b: ExperimentSummary) => b.createdAt - a.createdAt;

/** @param refreshBases a finished experiment may have left a basis. */
export function createKeptActions({ store, client, notices }: StoreContext, refreshBases: () => Promise<void>) {
  /** Hidden, and deleted when their time has run. */
  const leaving = new Map<string, ReturnType<typeof setTimeout>>();

  async function refresh(): Promise<void> {
    try {
      const [list, pools, storage] = await Promise.all([
        client.request('list', null),
        client.request('listPools', null),
        client.request('storage', null),
      ]);
      store.setState({ kept: list.filter(({ id }) => !leaving.has(id)).sort(newestFirst), pools, storage });
    } catch (error) {
      notices.fail(error);
    }
  }

  /** A summary from the worker: the list's entry, and the state of the experiment on show. */
  function put(summary: ExperimentSummary): void {
    if (leaving.has(summary.id)) return;
    store.setState((state) => {
      const { live } = state;
      const mine = live?.id === summary.id;
      return {
        kept: [...state.kept.filter(({ id }) => id !== summary.id), summary].sort(newestFirst),
        live: mine ? { ...live, status: summary.status, error: summary.error, revision: live.revision + 1 } : live,
        busy: mine ? !FINISHED.has(summary.status) : state.busy,
      };
    });
    if (store.getState().live?.id === summary.id && FINISHED.has(summary.status)) {
      store.setState({ progress: null, preparing: null });
      void refresh();
      void refreshBases();
    }
  }

  async function reallyRemove(id: string): Promise<void> {
    leaving.delete(id);
    try {
      await client.request('delete', { id });
    } catch (error) {
      notices.fail(error);
    }
    await refresh();
  }

  function remove(summary: ExperimentSummary, name: string): void {
    const { id } = summary;
    leaving.set(
      id,
      setTimeout(() => void reallyRemove(id), UNDO_MS),
    );
    store.setState((state) => ({
      kept: state.kept.filter((entry) => entry.id !== id),
      opened: state.opened?.id === id ? null : state.opened,
      live: state.live?.id === id ? null : state.live,
      rollouts: (state.opened ?? state.live)?.id === id ? null : state.rollouts,
    }));
    const undo = () => {
      clearTimeout(leaving.get(id));
      leaving.delete(id);
      void refresh();
    };
    notices.tell('info', `Deleted “${name}”.`, { action: { label: 'Undo', run: undo } });
  }

  /** A person's words about an experiment; whether they were kept. */
  async function annotate(id: string, changes: Annotation): Promise<boolean> {
    try {
      put(await client.request('annotate', { id, changes }));
      return true;
    } catch (error) {
      notices.fail(error);
      return false;
    }
  }

  return { refresh, put, actions: { remove, annotate } };
}
