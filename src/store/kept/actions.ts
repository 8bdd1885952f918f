// The lists of stored entries, one for each kind, as the worker reports them, and the user's actions on an entry, which are the same for
// all kinds. The differences are in the table of kinds.

import { KIND_IDS, type KindId } from '../../experiments/records/kind.ts';
import type { Annotation, ExperimentSummary } from '../../lab/protocol/experiments.ts';
import type { SummaryOf } from '../../lab/protocol/kept.ts';
import type { StoreContext } from '../context.ts';
import type { KeptLink, KindPorts } from '../kinds/kinds.ts';
import { KEPT_ON_PAGE } from '../kinds/kinds.ts';
import type { LabState } from '../lab-state.ts';
import { attempt } from '../notices.ts';
import { hasEnded } from '../queue.ts';
import { nameOf } from './list.ts';

interface Dated {
  createdAt: number;
}
const newestFirst = (a: Dated, b: Dated) => b.createdAt - a.createdAt;

const keyOf = (kind: KindId, id: string) => `${kind}:${id}`;

/**
 * @param refreshBases reloads the bases, because a finished experiment may have made one
 * @param ports returns the ports, which are created after these actions
 */
export function createKeptActions(
  { store, client, notices, undoableDelete }: StoreContext,
  refreshBases: () => Promise<void>,
  ports: () => KindPorts,
) {
  /** The state with one kind's list replaced. */
  function withList<K extends KindId>({ kept }: LabState, kind: K, list: readonly SummaryOf<K>[]) {
    return { kept: { ...kept, [kind]: [...list].sort(newestFirst) } };
  }

  async function readList<K extends KindId>(kind: K): Promise<void> {
    const list = await client.request('kept.list', { kind });
    const shown = list.filter(({ id }) => !undoableDelete.hides(keyOf(kind, id)));
    store.setState((state) => withList(state, kind, shown));
  }

  async function readPools(): Promise<void> {
    const [all, storage] = await Promise.all([client.request('listPools'), client.request('storage')]);
    store.setState({
      pools: all.filter(({ id, createdAt }) => !undoableDelete.hides(`pool:${id}`, createdAt)),
      storage,
    });
  }

  const refreshList = async (kind: KindId): Promise<void> => void (await attempt(notices, readList(kind)));

  /** Reads all lists, the pools and the free space. A failure is reported once. */
  async function refresh(): Promise<void> {
    const read = await Promise.allSettled([...KIND_IDS.map((kind) => readList(kind)), readPools()]);
    const failed = read.find((one) => one.status === 'rejected');
    if (failed) notices.fail(failed.reason);
  }

  /** Puts a summary from the worker into its list, and updates the other parts of the page that depend on it. */
  function put<K extends KindId>(kind: K, summary: SummaryOf<K>): void {
    if (undoableDelete.hides(keyOf(kind, summary.id))) return;
    store.setState((state) => ({
      ...withList(state, kind, [...withoutEntry(state.kept[kind], summary.id), summary]),
      ...KEPT_ON_PAGE[kind].arrives?.(state, summary),
    }));
  }

  /** Processes an update of a run. If the run on show has ended, it may have left other files. */
  function news(summary: ExperimentSummary): void {
    const wasLive = store.getState().live?.id === summary.id;
    put('run', summary);
    if (wasLive && hasEnded(summary.status)) {
      void refresh();
      void refreshBases();
    }
  }

  function remove<K extends KindId>(kind: K, entry: SummaryOf<K>): void {
    const { id } = entry;
    store.setState((state) => ({
      ...withList(state, kind, withoutEntry(state.kept[kind], id)),
      ...KEPT_ON_PAGE[kind].leaves?.(state, id),
    }));
    undoableDelete.remove({
      key: keyOf(kind, id),
      name: nameOf({ kind, entry }),
      request: { kind: 'kept.delete', params: { kind, id } },
      gone: refresh,
      restore: () => void refresh(),
    });
  }

  /** Seconds of computing that would be lost with an entry, according to its own records; 0 if they do not say. */
  async function workOf(kind: KindId, id: string): Promise<number> {
    if (kind !== 'run') return 0;
    // An unreadable run can still be deleted.
    const loaded = await client.request('kept.load', { kind, id }).catch(() => null);
    return (loaded?.runs ?? []).reduce(
      (sum, { timings }) => sum + timings.reduce((own, { total }) => own + total, 0),
      0,
    );
  }

  /** Stores the user's name, tags or note; returns whether that succeeded. */
  async function annotate<K extends KindId>(kind: K, id: string, changes: Annotation): Promise<boolean> {
    const summary = await attempt(notices, client.request('kept.annotate', { kind, id, changes }));
    if (summary) put(kind, summary);
    return summary !== null;
  }

  const exported = (kind: KindId, id: string): Promise<Blob | null> =>
    attempt(notices, client.request('kept.export', { kind, id }));

  /** The page's address with the entry, and with as much of its results as fits. If the entry is gone, null, and a notice is shown. */
  const linkOf = <K extends KindId>(kind: K, entry: SummaryOf<K>, href: string): Promise<KeptLink | null> =>
    KEPT_ON_PAGE[kind].link(entry, href, ports());

  /** Resumes a stopped entry. */
  const goOn = <K extends KindId>(kind: K, entry: SummaryOf<K>): Promise<void> =>
    KEPT_ON_PAGE[kind].resume(entry, ports());

  // An entry that is started or imported must remain, even if an entry with its id was deleted before.
  client.subscribe((event) => {
    if (event.type !== 'kept') return;
    undoableDelete.keep(keyOf(event.kind, event.id));
    void refreshList(event.kind);
  });

  return { refresh, refreshList, news, actions: { remove, workOf, annotate, exported, linkOf, goOn } };
}

const withoutEntry = <T extends { id: string }>(list: readonly T[], id: string): T[] =>
  list.filter((entry) => entry.id !== id);
