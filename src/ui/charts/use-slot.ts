// Schedules the drawing of charts: one chart per idle slice of the page, both for the first time here and later in use-turn.ts. Drawing all
// charts at once would be one long task that delays clicks.
import { startTransition, useEffect, useState } from 'react';

/** Maximum wait for an idle slice and for a chart's frame, so that a page that is never idle, or hidden, still draws its charts. */
const PATIENCE_MS = 400;

export interface Turn {
  draw(): void;
}

const waiting: Turn[] = [];
/** The chart that is being drawn. */
let currentTurn: Turn | null = null;
let scheduled = false;

function scheduleNext(): void {
  if (scheduled || currentTurn || waiting.length === 0) return;
  scheduled = true;
  const draw = () => {
    scheduled = false;
    currentTurn = waiting.shift() ?? null;
    const turn = currentTurn;
    if (!turn) return;
    turn.draw();
    setTimeout(() => endTurn(turn), PATIENCE_MS);
  };
  // Safari has no idle callbacks.
  if (typeof requestIdleCallback === 'function') requestIdleCallback(draw, { timeout: PATIENCE_MS });
  else setTimeout(draw, 16);
}

function endTurn(turn: Turn): void {
  if (currentTurn !== turn) return;
  currentTurn = null;
  scheduleNext();
}

/** Draws when no other chart is being drawn. */
export function askForTurn(turn: Turn): void {
  waiting.push(turn);
  scheduleNext();
}

/** Gives up a turn that has not come, and ends one that has. Recharts computes the layout in the frame after a commit. */
export function leaveTurn(turn: Turn): void {
  const place = waiting.indexOf(turn);
  if (place >= 0) waiting.splice(place, 1);
  else afterFrame(() => endTurn(turn));
}

/** Parts of a chart, each drawn in its own task, because recharts redraws a chart for every part that is added. */
const PARTS = ['caption', 'frame', 'axes', 'lines'] as const;
export type ChartPart = (typeof PARTS)[number];

/** Whether a part of this component's chart has been drawn. No part is drawn before the chart's turn. */
export function useSlot(): (part: ChartPart) => boolean {
  const [turn, setTurn] = useState<Turn | null>(null);
  const [drawn, setDrawn] = useState(1);
  useEffect(() => {
    // React draws a transition in small slices.
    const mine: Turn = { draw: () => startTransition(() => setTurn(mine)) };
    askForTurn(mine);
    return () => {
      const place = waiting.indexOf(mine);
      if (place >= 0) waiting.splice(place, 1);
      endTurn(mine);
    };
  }, []);
  useEffect(() => {
    if (!turn) return;
    // Recharts computes the layout of lines in the frame after the first commit, so that two charts in one frame would make one long task.
    const next = drawn === PARTS.length ? () => endTurn(turn) : () => startTransition(() => setDrawn(drawn + 1));
    return afterFrame(next);
  }, [turn, drawn]);
  return (part) => turn !== null && PARTS.indexOf(part) < drawn;
}

/** Falls back to a timer, because a hidden page gets no frames. */
function afterFrame(next: () => void): () => void {
  let timer = setTimeout(next, PATIENCE_MS);
  const frame = requestAnimationFrame(() => {
    clearTimeout(timer);
    timer = setTimeout(next);
  });
  return () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
}
