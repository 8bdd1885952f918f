// Determines when a chart redraws: each in its own turn, often while it is in the window and seldom outside. If a dozen charts redrew at
// every step, the page would respond slowly.
import { type RefObject, startTransition, useEffect, useRef, useState } from 'react';
import type { ChartSet } from '../../store/charts/set.ts';
import { askForTurn, leaveTurn, type Turn } from './use-slot.ts';

/**
 * Minimum time in milliseconds between two redraws: of a chart in the window for new data (`SEEN_MS`) or after a choice of the user
 * (`LOOKED_MS`), and of a chart outside (`UNSEEN_MS`). Charts are most of the main thread's work during a run.
 */
const SEEN_MS = 3000;
const LOOKED_MS = 1500;
const UNSEEN_MS = 20_000;
/** Milliseconds between two turns. */
const TURN_MS = 60;

/** Whether the element is in the window or within 120 pixels of it. `drawn`: whether the target is the chart, not its placeholder. */
export function useInWindow(target: RefObject<HTMLElement | null>, drawn: boolean): boolean {
  const [inWindow, setInWindow] = useState(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the target changes with `drawn`
  useEffect(() => {
    if (!target.current) return;
    const observer = new IntersectionObserver((entries) => setInWindow(entries.at(-1)?.isIntersecting ?? true), {
      rootMargin: '120px',
    });
    observer.observe(target.current);
    return () => observer.disconnect();
  }, [target, drawn]);
  return inWindow;
}

/**
 * Milliseconds that a chart waits after its last redraw before it shows a set. It does not wait after a change of axis or smoothing, which
 * the user has just chosen, nor for the first point of a run, which the user is waiting for.
 */
export function restOf(shown: ChartSet, next: ChartSet, seen: boolean): number {
  if (shown.axis !== next.axis || shown.beta !== next.beta || shown.begun !== next.begun) return 0;
  if (!seen) return UNSEEN_MS;
  return shown.zoom !== next.zoom || shown.hidden !== next.hidden ? LOOKED_MS : SEEN_MS;
}

/** The newest set as of the last turn. */
export function useTurn(value: ChartSet, turn: number, seen: boolean): ChartSet {
  const [shown, setShown] = useState(value);
  const latest = useRef(value);
  const last = useRef(Number.NEGATIVE_INFINITY);

  useEffect(() => {
    latest.current = value;
  }, [value]);

  // There is one timer at a time, renewed after each redraw and when the chart enters the window; it takes the latest value.
  // `shown` is a dependency, because a value may have come between the timer and its redraw.
  const stale = shown !== value;
  const least = restOf(shown, value, seen);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of `shown` restarts the timer
  useEffect(() => {
    if (!stale) return;
    const wait = Math.max(turn * TURN_MS, least === 0 ? 0 : last.current + least - performance.now());
    let mine: Turn | null = null;
    const timer = setTimeout(() => {
      // Timers that were delayed by a busy page fire together, and React would draw all their charts in one task.
      mine = {
        draw: () => {
          last.current = performance.now();
          startTransition(() => setShown(latest.current));
        },
      };
      askForTurn(mine);
    }, wait);
    return () => {
      clearTimeout(timer);
      if (mine) leaveTurn(mine);
    };
  }, [stale, shown, least, turn]);
  return shown;
}
