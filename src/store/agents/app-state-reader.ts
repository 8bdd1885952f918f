// The moment of a run that is looked at: stepped to, jumped to, or played on simulated time; and the apps at that moment, which the worker
// finds by replaying the run up to it.
import type { AgentsWorker } from '../../lab/agents/client.ts';
import type { AppState } from '../../lab/protocol/agents.ts';
import { problemOf } from '../lab-state.ts';
import type { AreStore, Speed } from './state.ts';
import { placeAt } from './timeline.ts';

/** Moments whose states are kept, so that stepping back and forth replays nothing. */
const KEPT = 16;

/** @param look the worker's `look`, for the run on show */
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

  /** Goes to a place that a person chose; playing ends. */
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

  /** Advances the reader's clock by so many seconds. */
  function advance(seconds: number): void {
    const { isPlaying, speed, now, entries, place } = get();
    if (!isPlaying || speed === null) return;
    const later = now + seconds * speed;
    const next = Math.max(placeAt(entries, later), place);
    const isOver = next >= entries.length - 1;
    set({ now: isOver ? (entries.at(-1)?.time ?? later) : later, place: next, isPlaying: !isOver });
    if (next !== place) wantApps();
  }

  /** Brings the apps' state at the current place; one replay at a time, always for the latest place. */
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
        // A failure of a run that has left the page is ignored.
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
    /** Forgets the states of the run that was on show. */
    forget(): void {
      known = new Map();
    },
    /** Settles when the apps at the current place are there. */
    looked: () => looking ?? Promise.resolve(),
  };
}
