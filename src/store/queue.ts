// Experiments of this tab that wait while another trains: which is next, and the position of each. The worker's session maintains the same
// order. These copies let the page show the next experiment as soon as the previous one ends.
import type { ExperimentSpec } from '../experiments/config/spec.ts';
import type { ExperimentSummary } from '../lab/protocol/experiments.ts';
import type { ExperimentView } from './experiment-view.ts';
import type { LabState } from './lab-state.ts';

const FINISHED = new Set<ExperimentSummary['status']>(['done', 'stopped', 'failed']);

export const hasEnded = (status: ExperimentSummary['status']): boolean => FINISHED.has(status);

/** Position in this tab's queue, 1 for the next experiment; null if it is not queued here. */
export function placeInQueue({ queue }: Pick<LabState, 'queue'>, id: string): number | null {
  const place = queue.findIndex((view) => view.id === id);
  return place < 0 ? null : place + 1;
}

/** Whether the same spec is already running or queued, since a second run would produce the same bytes. */
export function isUnderWay(
  { queue, live, busy }: Pick<LabState, 'queue' | 'live' | 'busy'>,
  spec: ExperimentSpec,
): boolean {
  const text = JSON.stringify(spec);
  return [...(busy && live ? [live] : []), ...queue].some((view) => JSON.stringify(view.spec) === text);
}

/**
 * Changes of the state after an update of one experiment: the live one takes the new status, one that has ended is replaced by the next,
 * and one that was taken out of the queue is removed.
 */
export function afterNews(
  state: Pick<LabState, 'queue' | 'live' | 'busy' | 'opened' | 'rollouts'>,
  { id, status, error }: Pick<ExperimentSummary, 'id' | 'status' | 'error'>,
): Partial<LabState> {
  const { live, opened } = state;
  const ended = hasEnded(status);
  const waiting = state.queue.find((view) => view.id === id);
  const queue = ended || status === 'running' ? state.queue.filter((view) => view.id !== id) : state.queue;
  if (live?.id === id) {
    const [next] = queue;
    if (ended && next) return atWork(next, queue.slice(1), opened, state.rollouts);
    const shown = { ...live, status, error, revision: live.revision + 1 };
    return { queue, live: shown, busy: !ended, ...(ended ? { progress: null, preparing: null } : {}) };
  }
  // The worker has started it, although the page has not yet received the end of the previous one.
  if (waiting && status === 'running') return atWork({ ...waiting, status }, queue, opened, state.rollouts);
  return { queue };
}

function atWork(
  live: ExperimentView,
  queue: readonly ExperimentView[],
  opened: ExperimentView | null,
  rollouts: LabState['rollouts'],
): Partial<LabState> {
  return { live, queue, busy: true, progress: null, preparing: null, rollouts: opened ? rollouts : null };
}
