// Applies the worker's events to the state. Training sends events faster than a page should redraw, so they are collected and applied
// together a few times a second, and a burst of steps causes one render.
import type { LabEvent } from '../../experiments/records/events.ts';
import type { WorkerEvent } from '../../lab/protocol/protocol.ts';
import type { StoreContext } from '../context.ts';
import { applyEvent, type ExperimentView } from '../experiment-view.ts';
import type { createKeptActions } from '../kept/actions.ts';
import { type LabState, withModel } from '../lab-state.ts';

/** Limits redraws to five a second. */
const FLUSH_MS = 200;
/** Milliseconds; factoring reports several times a second. */
const SILENCE_MS = 5000;

export function subscribeToLab(context: StoreContext, kept: ReturnType<typeof createKeptActions>): void {
  const { store, client, notices } = context;
  let queue: { experimentId: string; event: LabEvent }[] = [];
  let progress: LabState['progress'] | undefined;
  let timer: ReturnType<typeof setTimeout> | null = null;

  function flush(): void {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    const events = queue;
    queue = [];
    const { live } = store.getState();
    const patch: Partial<LabState> = {};
    let changed = false;
    for (const { experimentId, event } of events) {
      if (live?.id !== experimentId) continue;
      applyEvent(live, event);
      changed ||= event.type !== 'phase';
      if (event.type === 'prepare') {
        const { what, done, total, etaSeconds = null } = event;
        patch.preparing = { what, done, total, etaSeconds };
      } else if (event.type !== 'checkpoint') patch.preparing = null;
    }
    if (changed && live) {
      if (live.status === 'waiting') live.status = 'running';
      patch.live = { ...live };
      Object.assign(patch, followRollouts(store.getState(), patch.live, events));
    }
    if (progress !== undefined) patch.progress = progress;
    progress = undefined;
    if (Object.keys(patch).length > 0) store.setState(patch);
  }

  let closing: ReturnType<typeof setTimeout> | null = null;
  /** A stopped factoring sends no end event. If it is silent for this long, it is assumed to have ended. */
  function reportOpening({ what, done, total, etaSeconds = null }: Extract<WorkerEvent, { type: 'loading' }>): void {
    if (closing !== null) clearTimeout(closing);
    const isOver = total <= 0 || done >= total;
    store.setState({ opening: isOver ? null : { what, fraction: done / total, etaSeconds } });
    closing = isOver ? null : setTimeout(() => store.setState({ opening: null }), SILENCE_MS);
  }

  function soon(): void {
    if (timer === null) timer = setTimeout(flush, FLUSH_MS);
  }

  client.subscribe((event) => {
    switch (event.type) {
      case 'lab':
        queue.push({ experimentId: event.experimentId, event: event.event });
        // The first events of a run are shown immediately.
        if (event.event.type === 'step' && event.event.row.step === 1) flush();
        else soon();
        return;
      case 'progress':
        progress = event;
        soon();
        return;
      case 'experiment':
        flush();
        kept.news(event.summary);
        return;
      case 'loading':
        // The whole page is loaded at first; later only another device or a factored model.
        if (store.getState().connection.status === 'ready') reportOpening(event);
        store.setState((state) =>
          state.connection.status === 'loading'
            ? {
                connection: {
                  status: 'loading',
                  what: event.what,
                  fraction: event.total > 0 ? event.done / event.total : null,
                },
              }
            : state,
        );
        return;
      case 'warning':
        notices.tell('info', event.message);
        return;
      case 'model-opened':
        store.setState((state) => withModel(state, event.model));
        return;
      case 'device':
        store.setState({ device: event.report });
        return;
      case 'device-lost':
        notices.tell('bad', event.message, {
          remedy: 'Reload the page; the experiment can be resumed from its checkpoint.',
        });
        return;
    }
  });
}

/** Shows the newest rollouts unless the user has chosen a step. */
function followRollouts(
  state: LabState,
  live: ExperimentView,
  events: readonly { experimentId: string; event: LabEvent }[],
): Pick<LabState, 'rollouts'> | null {
  if (state.opened) return null;
  const last = events.findLast(
    ({ experimentId, event }) => experimentId === live.id && event.type === 'step' && event.rollouts.length > 0,
  )?.event;
  if (last?.type !== 'step') return null;
  const kept = live.rollouts.get(last.runId) ?? [];
  const steps = kept.map((entry) => entry.step);
  const chosen = state.rollouts;
  const isNewest = chosen !== null && !chosen.isPinned && chosen.step === chosen.steps.at(-1);
  const follows = chosen === null || !live.rollouts.has(chosen.runId) || isNewest;
  if (follows) {
    return { rollouts: { runId: last.runId, step: last.row.step, steps, rollouts: kept.at(-1)?.rollouts ?? [] } };
  }
  if (chosen.runId !== last.runId) return null;
  const all = [...new Set([...chosen.steps, ...steps])].sort((a, b) => a - b);
  return { rollouts: { ...chosen, steps: all } };
}
