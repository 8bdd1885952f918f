// The chart's cursor, read from inside the chart: where it stands on the axis, and how values become pixels there.
import { type RefObject, useEffect } from 'react';
import { useActiveTooltipLabel, useIsTooltipActive, useYAxisScale } from 'recharts';

export interface Cursor {
  x: number | null;
  /** Pixels from the chart's top. */
  pixel(y: number): number | null;
  /** Told of every move; null when the cursor leaves. */
  follow(x: number | null): void;
}

export const newCursor = (): Cursor => ({ x: null, pixel: () => null, follow: () => {} });

export function CursorProbe({ cursor }: { cursor: RefObject<Cursor> }) {
  const active = useIsTooltipActive();
  const label = useActiveTooltipLabel();
  const scale = useYAxisScale();
  useEffect(() => {
    const x = active && typeof label === 'number' ? label : null;
    cursor.current.x = x;
    cursor.current.pixel = (y) => scale?.(y) ?? null;
    cursor.current.follow(x);
  }, [cursor, active, label, scale]);
  return null;
}
