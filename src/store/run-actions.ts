// Start, stop and resume of experiments, and the choice of what is on show.
import type { ExperimentSpec } from '../experiments/spec.ts';
import type { Pace } from '../lab/protocol.ts';
import { keepRollouts, newView, viewOfRecord } from './experiment-view.ts';
import type { createKeptActions } from './kept-actions.ts';
import { shownView } from './lab-state.ts';
import type { StoreContext } from './lab-store.ts';

export function createRunActions(context: StoreContext, kept: ReturnType<typeof createKeptActions>) {
  const { store, client, notices } = context;
  let choices = 0;

  async function begin(id: string, spec: ExperimentSpec, send: () => Promise<unknown>): Promise<void> {
    store.setState({ busy: true, progress: null, preparing: null, opened: null });
    try {
      if (store.getState().device?.choice !== spec.device) {
        store.setState({ device: await client.request('setDevice', { device: spec.device }) });
      }
      await send();
    } catch (error) {
      store.setState((state) => ({ busy: false, live: state.live?.id === id ? null : state.live }));
      notices.fail(error);
    }
  }

  /** Starts an experiment under this id, whatever stands in the form; whether it could be started. */
  async function startSpec(id: string, spec: ExperimentSpec): Promise<boolean> {
    const { connection, busy } = store.getState();
    if (connection.status !== 'ready' || busy) return false;
    await begin(id, spec, () => {
      store.setState({ live: newView(id, spec, Date.now()), rollouts: null });
      return client.request('start', { id, spec });
    });
    return store.getState().live?.id === id;
  }

  return {
    startSpec,

    async start(): Promise<void> {
      const { spec } = store.getState().check;
      if (spec) await startSpec(crypto.randomUUID(), spec);
    },

    /** Goes on from the last checkpoints, with everything logged so far on show; with `runId`, with that run alone. */
    async resume(id: string, runId?: string): Promise<void> {
      if (store.getState().busy) return;
      try {
        const { record, runs } = await client.request('load', { id });
        await begin(id, record.spec, () => {
          const view = viewOfRecord(record, runs);
          view.status = 'waiting';
          view.error = null;
          store.setState({ live: view, rollouts: null });
          return client.request('resume', runId === undefined ? { id } : { id, runId });
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
