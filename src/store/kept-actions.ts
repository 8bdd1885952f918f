// The list of kept experiments and probes, and the experiment on show as the worker tells of it.
import type { Annotation, ExperimentSummary } from '../lab/protocol.ts';
import type { ProbeRecord } from '../lab/protocol-probe.ts';
import type { StoreContext } from './lab-store.ts';
import { afterNews, hasEnded } from './run-queue.ts';

const newestFirst = (a: ExperimentSummary, b: ExperimentSummary) => b.createdAt - a.createdAt;

/** @param refreshBases a finished experiment may have left a basis. */
export function createKeptActions(
  { store, client, notices, leaving }: StoreContext,
  refreshBases: () => Promise<void>,
) {
  const keyOf = (id: string) => `experiment:${id}`;
  const probeKey = (id: string) => `probe:${id}`;

  async function refreshProbes(): Promise<void> {
    try {
      const probes = await client.request('listProbes', null);
      store.setState({ probes: probes.filter(({ id }) => !leaving.hides(probeKey(id))) });
    } catch (error) {
      notices.fail(error);
    }
  }

  async function refresh(): Promise<void> {
    try {
      const [list, allPools, storage] = await Promise.all([
        client.request('list', null),
        client.request('listPools', null),
        client.request('storage', null),
      ]);
      const kept = list.filter(({ id }) => !leaving.hides(keyOf(id))).sort(newestFirst);
      const pools = allPools.filter(({ id }) => !leaving.hides(`pool:${id}`));
      store.setState({ kept, pools, storage });
      await refreshProbes();
    } catch (error) {
      notices.fail(error);
    }
  }

  /** A summary from the worker: the list's entry, and the state of the experiment on show. */
  function put(summary: ExperimentSummary): void {
    if (leaving.hides(keyOf(summary.id))) return;
    const wasLive = store.getState().live?.id === summary.id;
    store.setState((state) => ({
      kept: [...state.kept.filter(({ id }) => id !== summary.id), summary].sort(newestFirst),
      ...afterNews(state, summary),
    }));
    if (wasLive && hasEnded(summary.status)) {
      void refresh();
      void refreshBases();
    }
  }

  function remove({ id }: ExperimentSummary, name: string): void {
    store.setState((state) => ({
      kept: state.kept.filter((entry) => entry.id !== id),
      opened: state.opened?.id === id ? null : state.opened,
      live: state.live?.id === id ? null : state.live,
      rollouts: (state.opened ?? state.live)?.id === id ? null : state.rollouts,
    }));
    leaving.remove({
      key: keyOf(id),
      name,
      async really() {
        await client.request('delete', { id });
        await refresh();
      },
      restore: () => void refresh(),
    });
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

  function removeProbe({ id }: ProbeRecord, name: string): void {
    store.setState(({ probes }) => ({ probes: probes.filter((record) => record.id !== id) }));
    leaving.remove({
      key: probeKey(id),
      name,
      async really() {
        await client.request('deleteProbe', { id });
        await refreshProbes();
      },
      restore: () => void refreshProbes(),
    });
  }

  /** A person's words about a probe; whether they were kept. */
  async function annotateProbe(id: string, changes: Annotation): Promise<boolean> {
    try {
      await client.request('annotateProbe', { id, changes });
      await refreshProbes();
      return true;
    } catch (error) {
      notices.fail(error);
      return false;
    }
  }

  // One that is begun or imported is kept, whatever was deleted before under its name.
  client.subscribe((event) => {
    if (event.type !== 'probe-kept') return;
    leaving.keep(probeKey(event.id));
    void refreshProbes();
  });

  return { refresh, refreshProbes, put, actions: { remove, annotate, removeProbe, annotateProbe } };
}
