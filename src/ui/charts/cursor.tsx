// The cursor that charts in a grid share. In the chart under the pointer or with the keyboard's focus it is recharts' own cursor; the other
// charts follow with a line and their readouts. Recharts' `syncId` is not used, because it would redraw every chart at every move.
import { type RefObject, useCallback, useEffect, useSyncExternalStore } from 'react';
import {
  useActiveTooltipLabel,
  useIsTooltipActive,
  usePlotArea,
  useXAxisDomain,
  useXAxisScale,
  useYAxisScale,
} from 'recharts';
import { CURSOR } from './recharts.ts';

/** Cursor of one chart: its place on the axis, and how values become pixels there. */
export interface Cursor {
  x: number | null;
  /** Pixels from the chart's top. */
  pixel(y: number): number | null;
}

export const newCursor = (): Cursor => ({ x: null, pixel: () => null });

/** Cursor shared by all charts in a grid. */
export class SharedCursor {
  x: number | null = null;
  /** Cursor of the chart under the pointer or with the focus. */
  by: Cursor | null = null;
  #listeners = new Set<() => void>();

  /** A chart that loses its cursor clears only its own place, because the pointer may be in another chart by now. */
  move(x: number | null, by: Cursor): void {
    if (x === null && this.by !== by) return;
    this.x = x;
    this.by = x === null ? null : by;
    for (const tell of this.#listeners) tell();
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
}

/** Place of the shared cursor; null if there is none or the chart does not follow it. */
export function useSharedPlace(shared: SharedCursor, follows: (by: Cursor) => boolean): number | null {
  return useSyncExternalStore(shared.subscribe, () => (shared.by && follows(shared.by) ? shared.x : null));
}

interface ProbeProps {
  cursor: RefObject<Cursor>;
  shared: SharedCursor;
}

/** Rendered inside a chart; reports its cursor to the grid. */
export function CursorProbe({ cursor, shared }: ProbeProps) {
  const active = useIsTooltipActive();
  const label = useActiveTooltipLabel();
  const scale = useYAxisScale();
  useEffect(() => {
    const own = cursor.current;
    own.x = active && typeof label === 'number' ? label : null;
    own.pixel = (y) => scale?.(y) ?? null;
    shared.move(own.x, own);
  }, [cursor, shared, active, label, scale]);
  useEffect(() => {
    const own = cursor.current;
    return () => shared.move(null, own);
  }, [cursor, shared]);
  return null;
}

/** The line of another chart's cursor, inside the chart that follows it. */
export function CursorLine({ cursor, shared }: ProbeProps) {
  const x = useSharedPlace(
    shared,
    useCallback((by) => by !== cursor.current, [cursor]),
  );
  const area = usePlotArea();
  const scale = useXAxisScale();
  const domain = useXAxisDomain();
  const [from, to] = [domain?.at(0), domain?.at(-1)].map(Number);
  const at = x === null || x < from || x > to ? null : scale?.(x);
  if (!area || typeof at !== 'number') return null;
  return <path className="cursor-line" d={`M${at} ${area.y}v${area.height}`} {...CURSOR} pointerEvents="none" />;
}
