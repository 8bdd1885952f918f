// Spreads redraws over time: the charts and the rollouts each take their own turn, so that together they never make one
// long task of the page.
import { useEffect, useRef, useState } from 'react';

/** Least time between two redraws of the same thing. */
const PERIOD_MS = 800;
/** Distance between two turns. */
const TURN_MS = 60;

/** The newest value, as of the last turn; a change after a pause is there at once, but for its turn. */
export function usePaced<T>(value: T, turn: number): T {
  const [shown, setShown] = useState(value);
  const latest = useRef(value);
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const last = useRef(Number.NEGATIVE_INFINITY);

  useEffect(() => {
    latest.current = value;
    if (timer.current !== null) return;
    const wait = Math.max(turn * TURN_MS, last.current + PERIOD_MS - performance.now());
    timer.current = setTimeout(() => {
      timer.current = null;
      last.current = performance.now();
      setShown(latest.current);
    }, wait);
  }, [value, turn]);

  useEffect(
    () => () => {
      if (timer.current !== null) clearTimeout(timer.current);
      timer.current = null;
    },
    [],
  );
  return shown;
}
