// The estimate for the experiment in the form (memory, time, and whether it fits), requested from the worker whenever typing pauses. A
// running experiment is not estimated, since its progress is more informative.

import type { StoreContext } from '../context.ts';
import { type LabState, loadedModel } from '../lab-state.ts';
import { isUnderWay } from '../queue.ts';

/** Pause in milliseconds after which typing counts as finished. */
const REST_MS = 350;

export function followForm({ store, client }: StoreContext): void {
  let timer: ReturnType<typeof setTimeout> | null = null;

  async function ask(): Promise<void> {
    timer = null;
    const state = store.getState();
    const { check, connection, device } = state;
    const { spec } = check;
    if (!spec || isUnderWay(state, spec) || connection.status !== 'ready' || device?.choice !== spec.device) return;
    // A refusal is not shown here, because starting the experiment would report the same more prominently.
    const estimate = await client.request('estimate', { spec }).catch(() => null);
    // The experiment may have been started in the meantime. Its estimate is then dropped.
    const now = store.getState();
    if (now.check.spec === spec && !isUnderWay(now, spec)) store.setState({ estimate });
  }

  const concerns = (state: LabState) => [
    state.check.spec,
    state.connection.status,
    loadedModel(state),
    state.busy,
    state.device,
  ];
  store.subscribe((state, before) => {
    const earlier = concerns(before);
    if (concerns(state).every((value, i) => value === earlier[i])) return;
    if (timer !== null) clearTimeout(timer);
    timer = setTimeout(() => void ask(), REST_MS);
    if (state.estimate !== null && state.check.spec !== before.check.spec) store.setState({ estimate: null });
  });
}
