// When a chart is drawn for the first time: one chart an idle slice of the page. All of them at once would be one long task,
// and a click in it would have to wait.
import { startTransition, useEffect, useState } from 'react';

/** Longest wait for an idle slice: a page that is never idle still draws its charts. */
const PATIENCE_MS = 400;

const waiting: (() => void)[] = [];
let scheduled = false;

function schedule(): void {
  if (scheduled || waiting.length === 0) return;
  scheduled = true;
  const draw = () => {
    scheduled = false;
    waiting.shift()?.();
    // After what was just set has been painted, not in the same slice.
    setTimeout(schedule);
  };
  // Safari has no idle callbacks.
  if (typeof requestIdleCallback === 'function') requestIdleCallback(draw, { timeout: PATIENCE_MS });
  else setTimeout(draw, 16);
}

/** False until this component's turn has come. */
export function useSlot(): boolean {
  const [drawn, setDrawn] = useState(false);
  useEffect(() => {
    // As a transition React draws it in small slices, too.
    const draw = () => startTransition(() => setDrawn(true));
    waiting.push(draw);
    schedule();
    return () => {
      const place = waiting.indexOf(draw);
      if (place >= 0) waiting.splice(place, 1);
    };
  }, []);
  return drawn;
}
