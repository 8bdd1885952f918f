// Estimate of the experiment in the form, asked of the worker whenever typing pauses: memory, time, and whether it fits. The experiment at
// work is not estimated: its own progress says more.

import type { StoreContext } from '../context.ts';
import { type LabState, loadedModel } from '../lab-state.ts';
import { isUnderWay } from '../queue.ts';

/** Pause after which typing counts as done. */
const REST_MS = 350;

export function followForm({ store, client }: StoreContext): void {
  let timer: ReturnType<typeof setTimeout> | null = null;

  async function ask(): Promise<void> {
    timer = null;
    const state = store.getState();
    const { check, connection, device } = state;
    const { spec } = check;
    if (!spec || isUnderWay(state, spec) || connection.status !== 'ready' || device?.choice !== spec.device) return;
    // A refusal is not shown: a start would say the same, and louder.
    const estimate = await client.request('estimate', { spec }).catch(() => null);
    // It may have been started while its estimate gave way to it.
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
