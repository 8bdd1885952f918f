// The entry of a run that is on show (selected by stepping, by jumping, or by playing in simulated time), and the apps' state after that
// entry, which the worker computes by replaying the run up to it.
import type { AgentsWorker } from '../../lab/agents/client.ts';
import type { AppState } from '../../lab/protocol/agents.ts';
import { problemOf } from '../lab-state.ts';
import type { AreStore, Speed } from './state.ts';
import { placeAt } from './timeline.ts';

/** Number of app states that are cached, so that stepping back and forth needs no replay. */
const KEPT = 16;

/** @param look the worker's `look` request, for the run on show */
export function createAppStateReader({ getState: get, setState: set }: AreStore, look: AgentsWorker['look']) {
  let looking: Promise<void> | null = null;
  let known = new Map<number, readonly AppState[]>();

  function goTo(place: number): void {
    const { entries } = get();
    const to = Math.max(Math.min(place, entries.length - 1), entries.length > 0 ? 0 : -1);
    const entry = entries[to];
    if (!entry) return;
    set({ place: to, now: entry.time });
    wantApps();
  }

  /** Goes to an entry that the user chose, and stops playing. */
  function jump(place: number): void {
    set({ isPlaying: false });
    goTo(place);
  }

  function play(): void {
    const { entries, place, speed } = get();
    if (entries.length === 0) return;
    if (speed === null) {
      goTo(entries.length - 1);
      return;
    }
    if (place >= entries.length - 1) goTo(0);
    set({ isPlaying: true });
  }

  const pause = () => set({ isPlaying: false });

  function setSpeed(speed: Speed): void {
    set({ speed });
    if (speed === null && get().isPlaying) {
      pause();
      goTo(get().entries.length - 1);
    }
  }

  /** Advances the reader's clock by this many seconds. */
  function advance(seconds: number): void {
    const { isPlaying, speed, now, entries, place } = get();
    if (!isPlaying || speed === null) return;
    const later = now + seconds * speed;
    const next = Math.max(placeAt(entries, later), place);
    const isOver = next >= entries.length - 1;
    set({ now: isOver ? (entries.at(-1)?.time ?? later) : later, place: next, isPlaying: !isOver });
    if (next !== place) wantApps();
  }

  /** Requests the apps' state at the current entry. Only one replay runs at a time, and always for the latest entry. */
  function wantApps(): void {
    looking ??= bring().finally(() => {
      looking = null;
    });
  }

  async function bring(): Promise<void> {
    for (;;) {
      const { place, played, states } = get();
      if (!played || place < 0 || states?.place === place) return;
      try {
        const apps = known.get(place) ?? (await look({ place }));
        if (get().played !== played) continue;
        if (!apps) return;
        keep(place, apps);
        set({ states: { place, apps } });
      } catch (error) {
        // A failure is ignored if its run is no longer on the page.
        if (get().played !== played) continue;
        return set({ problem: problemOf(error) });
      }
    }
  }

  function keep(place: number, apps: readonly AppState[]): void {
    known.delete(place);
    known.set(place, apps);
    const [oldest] = known.keys();
    if (known.size > KEPT && oldest !== undefined) known.delete(oldest);
  }

  return {
    goTo,
    jump,
    play,
    pause,
    setSpeed,
    advance,
    /** Clears the cached states when another run is shown. */
    forget(): void {
      known = new Map();
    },
    /** Resolves when the apps' state at the current entry is available. */
    looked: () => looking ?? Promise.resolve(),
  };
}
