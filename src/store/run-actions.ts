// Start, stop and resume of experiments, the queue of those that wait, and the choice of what is on show.
import type { ExperimentSpec } from '../experiments/spec.ts';
import type { Pace } from '../lab/protocol.ts';
import { type ExperimentView, keepRollouts, newView, viewOfRecord } from './experiment-view.ts';
import type { createKeptActions } from './kept-actions.ts';
import { shownView } from './lab-state.ts';
import type { StoreContext } from './lab-store.ts';
import { isUnderWay } from './run-queue.ts';
import { missingFor } from './share-needs.ts';

export function createRunActions(context: StoreContext, kept: ReturnType<typeof createKeptActions>) {
  const { store, client, notices } = context;
  let choices = 0;

  /** At once where nothing trains, else in its turn; whether the worker took it. */
  async function begin(view: ExperimentView, send: () => Promise<unknown>): Promise<boolean> {
    return store.getState().busy ? waitInLine(view, send) : beginNow(view, send);
  }

  async function beginNow(view: ExperimentView, send: () => Promise<unknown>): Promise<boolean> {
    const before = store.getState().live?.id;
    store.setState({ busy: true, progress: null, preparing: null, opened: null });
    try {
      if (store.getState().device?.choice !== view.spec.device) {
        store.setState({ device: await client.request('setDevice', { device: view.spec.device }) });
      }
      store.setState({ live: view, rollouts: null });
      await send();
      return true;
    } catch (error) {
      // Unless one that waited for it is on show already.
      if ([before, view.id].includes(store.getState().live?.id)) giveUp(view.id);
      notices.fail(error);
      return false;
    }
  }

  /** Its device is opened when its turn comes. In the queue before the worker answers: the one at work may end meanwhile. */
  async function waitInLine(view: ExperimentView, send: () => Promise<unknown>): Promise<boolean> {
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

  /** Starts or queues an experiment under this id, whatever stands in the form; whether that could be done. */
  async function startSpec(id: string, spec: ExperimentSpec): Promise<boolean> {
    if (store.getState().connection.status !== 'ready') return false;
    return begin(newView(id, spec, Date.now()), () => client.request('start', { id, spec }));
  }

  return {
    startSpec,

    /** The form's experiment: now, or after those that are under way; not twice, and not without what it needs. */
    async start(): Promise<void> {
      const state = store.getState();
      const { spec } = state.check;
      if (!spec || isUnderWay(state, spec)) return;
      const missing = missingFor(spec, state);
      if (missing) {
        notices.tell('bad', missing.message, { remedy: missing.remedy });
        return;
      }
      const waits = state.busy;
      const taken = await startSpec(crypto.randomUUID(), spec);
      if (taken && waits) notices.tell('info', 'It waits in the queue: see Watch.');
    },

    /** Goes on from the last checkpoints, with everything logged so far on show; with `runId`, with that run alone. */
    async resume(id: string, runId?: string): Promise<void> {
      try {
        const { record, runs } = await client.request('load', { id });
        const view: ExperimentView = { ...viewOfRecord(record, runs), status: 'waiting', error: null };
        await begin(view, () => client.request('resume', runId === undefined ? { id } : { id, runId }));
      } catch (error) {
        notices.fail(error);
      }
    },

    /** Out of the queue: it is kept as a stopped one, which can be resumed. */
    async cancelWaiting(id: string): Promise<void> {
      try {
        const { stopped } = await client.request('stop', { id });
        if (!stopped) return;
        const again = () => void this.resume(id);
        notices.tell('info', 'Taken out of the queue; it stands under Kept runs.', {
          action: { label: 'Undo', run: again },
        });
      } catch (error) {
        notices.fail(error);
      }
    },

    async stop(): Promise<void> {
      const { live, busy } = store.getState();
      if (!live || !busy) return;
      try {
        await client.request('stop', { id: live.id });
      } catch (error) {
        notices.fail(error);
      }
    },

    /** Pauses before the next step, trains one more, or goes on. */
    async pace(pace: Pace): Promise<void> {
      const { live, busy } = store.getState();
      if (!live || !busy) return;
      try {
        await client.request('pace', { id: live.id, pace });
      } catch (error) {
        notices.fail(error);
      }
    },

    /** Rollouts of one run at one step (its last kept step when null). */
    async showRollouts(runId: string, step: number | null): Promise<void> {
      const view = shownView(store.getState());
      const inPage = view?.rollouts.get(runId) ?? [];
      const entry = step === null ? inPage.at(-1) : inPage.find((candidate) => candidate.step === step);
      const known = store.getState().rollouts;
      if (entry) {
        const steps = known?.runId === runId ? known.steps : inPage.map((candidate) => candidate.step);
        store.setState({ rollouts: { runId, step: entry.step, steps, rollouts: entry.rollouts, asked: ++choices } });
        return;
      }
      try {
        const { steps, rollouts } = await client.request('rollouts', { runId, step });
        if (shownView(store.getState())?.id !== view?.id) return;
        const at = step ?? steps.at(-1);
        if (at === undefined) return;
        if (view) keepRollouts(view, runId, at, rollouts);
        store.setState({ rollouts: { runId, step: at, steps, rollouts, asked: ++choices } });
      } catch (error) {
        notices.fail(error);
      }
    },

    /** Back from an opened experiment to the one in work. */
    async showLive(): Promise<void> {
      store.setState({ opened: null, rollouts: null });
      const run = store.getState().live?.runs.at(-1);
      if (run) await this.showRollouts(run.id, null);
    },

    async open(id: string): Promise<void> {
      if (store.getState().live?.id === id) {
        await this.showLive();
        return;
      }
      try {
        const { record, runs } = await client.request('load', { id });
        store.setState({ opened: viewOfRecord(record, runs), rollouts: null });
        const last = runs.findLast((run) => run.rows.length > 0);
        if (last) await this.showRollouts(last.id, null);
      } catch (error) {
        notices.fail(error);
        await kept.refresh();
      }
    },
  };
}
