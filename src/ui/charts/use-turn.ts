// When a chart redraws: each in its own turn, at once while it is in the window, and seldom beyond it. A dozen charts
// redrawing at every step would make the page stutter for what nobody sees.
import { type RefObject, startTransition, useEffect, useRef, useState } from 'react';
import type { ChartSet } from '../../store/charts/set.ts';

/** Least time between two redraws of a chart in the window for what the run has done since, and for what the reader changes about
 *  it; and of one out of the window. Charts are most of what the page's own thread does while a run has the cores. */
const SEEN_MS = 3000;
const LOOKED_MS = 1500;
const UNSEEN_MS = 20_000;
/** Distance between two turns. */
const TURN_MS = 60;

/** Whether the element is in the window, or nearly so. `drawn`: whether the target is the chart yet, not what stands in for it. */
export function useInWindow(target: RefObject<HTMLElement | null>, drawn: boolean): boolean {
  const [inWindow, setInWindow] = useState(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: drawn says when the target changes
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

/** The newest set as of the last turn; one under another axis or smoothing, which the reader has just chosen, waits for nothing else. */
export function useTurn(value: ChartSet, turn: number, seen: boolean): ChartSet {
  const [shown, setShown] = useState(value);
  const latest = useRef(value);
  const last = useRef(Number.NEGATIVE_INFINITY);

  useEffect(() => {
    latest.current = value;
  }, [value]);

  // One timer at a time, renewed after each redraw and when the chart comes into the window: what comes meanwhile is taken
  // along. `shown` is among the reasons: a value may have come between the timer and its redraw.
  const stale = shown !== value;
  const asked = shown.axis !== value.axis || shown.beta !== value.beta;
  const looked = shown.zoom !== value.zoom || shown.hidden !== value.hidden;
  // biome-ignore lint/correctness/useExhaustiveDependencies: shown says when, not what
  useEffect(() => {
    if (!stale) return;
    const least = seen ? (looked ? LOOKED_MS : SEEN_MS) : UNSEEN_MS;
    const rest = asked ? 0 : last.current + least - performance.now();
    const wait = Math.max(turn * TURN_MS, rest);
    const timer = setTimeout(() => {
      last.current = performance.now();
      startTransition(() => setShown(latest.current));
    }, wait);
    return () => clearTimeout(timer);
  }, [stale, shown, asked, looked, turn, seen]);
  return shown;
}
