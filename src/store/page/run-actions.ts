// Start, stop, resume and pace of experiments, and the queue of those that wait.
import type { ExperimentSpec } from '../../experiments/config/spec.ts';
import type { Pace } from '../../lab/protocol/protocol.ts';
import type { StoreContext } from '../context.ts';
import { type ExperimentView, newView, viewOfRecord } from '../experiment-view.ts';
import type { FormActions } from '../form/actions.ts';
import type { createKeptActions } from '../kept/actions.ts';
import type { LabState } from '../lab-state.ts';
import { attempt } from '../notices.ts';
import { isUnderWay } from '../queue.ts';
import { createBegin } from '../runs/begin.ts';
import { createOnShow } from '../runs/on-show.ts';
import { missingFor } from '../share/needs.ts';

export function createRunActions(
  context: StoreContext,
  kept: ReturnType<typeof createKeptActions>,
  form: Pick<FormActions, 'follow'>,
) {
  const { store, client, notices } = context;
  const begin = createBegin(context);

  /** Starts or queues an experiment under this id, whatever is in the form; whether that could be done. */
  async function startSpec(id: string, spec: ExperimentSpec): Promise<boolean> {
    if (store.getState().connection.status !== 'ready') return false;
    return begin(newView(id, spec, Date.now()), () => client.request('start', { id, spec }));
  }

  /**
   * Goes on from the last checkpoints, with everything logged so far on show and its settings in the form; with `runId`, with that run
   * alone.
   */
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

    /** The form's experiment: now, or after those that are under way; not twice, and not without what it needs. */
    async start(): Promise<void> {
      const state = store.getState();
      const { spec } = state.check;
      if (!spec || isUnderWay(state, spec)) return;
      // Pressed while the model is on its way: it starts as soon as that is there (boot.ts).
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
    },

    /** A start that waits for the model is taken back. */
    cancelStart(): void {
      store.setState({ startsWhenReady: false });
    },

    /** Out of the queue: it is kept as a stopped one, which can be resumed. */
    async cancelWaiting(id: string): Promise<void> {
      const answer = await attempt(notices, client.request('stop', { id }));
      if (!answer?.stopped) return;
      const again = () => void resume(id);
      notices.tell('info', 'Removed from the queue; it stays under Library, Runs.', {
        action: { label: 'Undo', run: again },
      });
    },

    /** Also one that was asked for a moment ago, while its device opens: it is stopped as soon as it is there. */
    async stop(): Promise<void> {
      const live = await begun(store);
      if (live) await attempt(notices, client.request('stop', { id: live.id }));
    },

    /** Pauses before the next step, trains one more, or goes on. */
    async pace(pace: Pace): Promise<void> {
      const { live, busy } = store.getState();
      if (live && busy) await attempt(notices, client.request('pace', { id: live.id, pace }));
    },
  };
}

/** The experiment at work, once it has its name; null where none is, or where it could not begin. */
function begun(store: StoreContext['store']): Promise<ExperimentView | null> {
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
