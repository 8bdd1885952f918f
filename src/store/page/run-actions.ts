// Starts, stops, resumes and paces experiments, and manages their queue.
import type { ExperimentSpec } from '../../experiments/config/spec.ts';
import type { Pace } from '../../lab/protocol/protocol.ts';
import type { StoreContext } from '../context.ts';
import { type ExperimentView, newView, viewOfRecord } from '../experiment-view.ts';
import type { FormActions } from '../form/actions.ts';
import type { createKeptActions } from '../kept/actions.ts';
import { type LabState, shownView } from '../lab-state.ts';
import { attempt } from '../notices.ts';
import { isUnderWay } from '../queue.ts';
import { createBegin } from '../runs/begin.ts';
import { createOnShow } from '../runs/on-show.ts';
import { missingFor } from '../share/needs.ts';

export function createRunActions(
  context: StoreContext,
  kept: ReturnType<typeof createKeptActions>,
  form: Pick<FormActions, 'follow' | 'fill' | 'leaveFork'>,
) {
  const { store, client, notices } = context;
  const begin = createBegin(context);

  /** Starts or queues an experiment under this id, independent of the form; returns whether that succeeded. */
  async function startSpec(id: string, spec: ExperimentSpec): Promise<boolean> {
    if (store.getState().connection.status !== 'ready') return false;
    return begin(newView(id, spec, Date.now()), () => client.request('start', { id, spec }));
  }

  /** Resumes from the last checkpoints. All logged data are shown, and the settings are in the form. `runId` restricts it to that run. */
  async function resume(id: string, runId?: string): Promise<void> {
    try {
      const { record, runs } = await client.request('kept.load', { kind: 'run', id });
      const view: ExperimentView = { ...viewOfRecord(record, runs), status: 'waiting', error: null };
      if (!store.getState().busy) form.follow(record.spec);
      await begin(view, () => client.request('resume', runId === undefined ? { id } : { id, runId }));
    } catch (error) {
      notices.fail(error);
    }
  }

  return {
    startSpec,
    resume,
    ...createOnShow(context, kept.refresh),

    /** Starts or queues the form's experiment, but not twice, and not without the files that it needs. */
    async start(): Promise<void> {
      const state = store.getState();
      const { spec } = state.check;
      if (!spec || isUnderWay(state, spec)) return;
      // While the model is loading, the start waits for it (boot.ts).
      if (state.connection.status === 'loading') {
        store.setState({ startsWhenReady: true });
        return;
      }
      const missing = missingFor(spec, state);
      if (missing) {
        notices.tell('bad', missing.message, { remedy: missing.remedy });
        return;
      }
      const waits = state.busy;
      const taken = await startSpec(crypto.randomUUID(), spec);
      if (taken && waits) notices.tell('info', 'It waits in the queue: see Watch.');
      // The form's next run is an ordinary one again.
      if (!taken || !spec.fork) return;
      form.leaveFork();
      const action = { label: 'Back to the fork', run: () => form.fill(spec) };
      notices.tell('info', 'The fork has started. The form is no fork any more.', { action });
    },

    /** Fills the form with a run as it was after a step, to continue with other settings. Returns whether that succeeded. */
    async fork(runId: string, step: number): Promise<boolean> {
      try {
        const known = shownView(store.getState())?.runs.find(({ id }) => id === runId);
        const id = runId.split('/')[0];
        const runs = known ? [known] : (await client.request('kept.load', { kind: 'run', id })).runs;
        const run = runs.find((one) => one.id === runId);
        if (!run) return false;
        const { forkOf } = await import('../runs/fork.ts');
        form.fill(forkOf(run, step));
        return true;
      } catch (error) {
        notices.fail(error);
        return false;
      }
    },

    /** Cancels a start that is waiting for the model. */
    cancelStart(): void {
      store.setState({ startsWhenReady: false });
    },

    /** Takes it out of the queue. It is stored as stopped, and can be resumed. */
    async cancelWaiting(id: string): Promise<void> {
      const answer = await attempt(notices, client.request('stop', { id }));
      if (!answer?.stopped) return;
      const again = () => void resume(id);
      notices.tell('info', 'Removed from the queue; it stays under Library, Runs.', {
        action: { label: 'Undo', run: again },
      });
    },

    /** Stops the live experiment. If its device is still being opened, it is stopped as soon as the device is ready. */
    async stop(): Promise<void> {
      const live = await untilStarted(store);
      if (live) await attempt(notices, client.request('stop', { id: live.id }));
    },

    /** Pauses before the next step, trains one more, or continues. */
    async pace(pace: Pace): Promise<void> {
      const { live, busy } = store.getState();
      if (live && busy) await attempt(notices, client.request('pace', { id: live.id, pace }));
    },
  };
}

/** The live experiment once it has started; null if there is none, or it could not start. */
function untilStarted(store: StoreContext['store']): Promise<ExperimentView | null> {
  return new Promise((resolve) => {
    const look = ({ live, busy }: LabState): boolean => {
      const isHere = busy && (live?.status === 'waiting' || live?.status === 'running');
      if (busy && !isHere) return false;
      resolve(isHere ? live : null);
      return true;
    };
    if (look(store.getState())) return;
    const unsubscribe = store.subscribe((state) => look(state) && unsubscribe());
  });
}
