// The run on show, either the live one or a stored one that was opened, and the rollouts of one of its steps.
import type { BufferReport } from '../../lab/protocol/run-requests.ts';
import type { StoreContext } from '../context.ts';
import { keepRollouts, viewOfRecord } from '../experiment-view.ts';
import { shownView } from '../lab-state.ts';
import { attempt } from '../notices.ts';

/** @param refresh reloads the lists, since an experiment that cannot be opened may have been deleted */
export function createOnShow({ store, client, notices }: StoreContext, refresh: () => Promise<void>) {
  let choices = 0;

  /** Shows the rollouts of one run at one step (null selects the last step), with one outcome or all. */
  async function showRollouts(runId: string, step: number | null, outcome?: string): Promise<void> {
    const view = shownView(store.getState());
    const inPage = view?.rollouts.get(runId) ?? [];
    const entry = step === null ? inPage.at(-1) : inPage.find((candidate) => candidate.step === step);
    const known = store.getState().rollouts;
    const isPinned = step !== null;
    if (entry) {
      const steps = known?.runId === runId ? known.steps : inPage.map((candidate) => candidate.step);
      store.setState({
        rollouts: { runId, step: entry.step, steps, rollouts: entry.rollouts, asked: ++choices, isPinned, outcome },
      });
      return;
    }
    try {
      const { steps, rollouts } = await client.request('rollouts', { runId, step });
      if (shownView(store.getState())?.id !== view?.id) return;
      const at = step ?? steps.at(-1);
      if (at === undefined) return;
      if (view) keepRollouts(view, runId, at, rollouts);
      store.setState({ rollouts: { runId, step: at, steps, rollouts, asked: ++choices, isPinned, outcome } });
    } catch (error) {
      notices.fail(error);
    }
  }

  /** The buffer of an ExIt run's last checkpoint; null if there is none. */
  const exitBuffer = (runId: string): Promise<BufferReport | null> =>
    attempt(notices, client.request('exitBuffer', { runId }));

  /** Returns from an opened experiment to the live one. */
  async function showLive(): Promise<void> {
    store.setState({ opened: null, missingRun: null, rollouts: null });
    const run = store.getState().live?.runs.at(-1);
    if (run) await showRollouts(run.id, null);
  }

  async function open(id: string): Promise<void> {
    if (store.getState().live?.id === id) {
      await showLive();
      return;
    }
    try {
      const { record, runs } = await client.request('kept.load', { kind: 'run', id });
      store.setState({ opened: viewOfRecord(record, runs), missingRun: null, rollouts: null });
      const last = runs.findLast((run) => run.rows.length > 0);
      if (last) await showRollouts(last.id, null);
    } catch (error) {
      notices.fail(error);
      await refresh();
    }
  }

  const isKept = (id: string): boolean => {
    const { live, kept } = store.getState();
    return live?.id === id || kept.run.some((summary) => summary.id === id);
  };

  /** Shows the run that the address names. If it is not stored here, it is shown as soon as it is, for example after its import. */
  async function openRequested(id: string): Promise<void> {
    if (isKept(id)) await open(id);
    else store.setState({ opened: null, missingRun: id });
  }

  store.subscribe(({ kept, missingRun }, before) => {
    if (missingRun !== null && kept.run !== before.kept.run && isKept(missingRun)) void open(missingRun);
  });

  return { showRollouts, showLive, open, openAsked: openRequested, exitBuffer };
}
