// The shared cursor inside charts. The chart at the pointer or with the keyboard's focus has recharts' own cursor; the other charts follow
// with a line and their gutters. Recharts' `syncId` is not used, because it would redraw all charts at every move.
import { type RefObject, useCallback, useEffect } from 'react';
import {
  useActiveTooltipLabel,
  useIsTooltipActive,
  usePlotArea,
  useXAxisDomain,
  useXAxisScale,
  useYAxisScale,
} from 'recharts';
import { CURSOR } from './recharts.ts';
import { type Cursor, type SharedCursor, useSharedPlace } from './shared-cursor.ts';

interface ProbeProps {
  cursor: RefObject<Cursor>;
  shared: SharedCursor;
}

/** Rendered inside a chart, whose cursor it reports to the grid. */
export function CursorProbe({ cursor, shared }: ProbeProps) {
  const active = useIsTooltipActive();
  const label = useActiveTooltipLabel();
  const scale = useYAxisScale();
  const across = useXAxisScale();
  useEffect(() => {
    const own = cursor.current;
    own.x = active && typeof label === 'number' ? label : null;
    own.pixel = (y) => scale?.(y) ?? null;
    own.place = (x) => across?.(x) ?? null;
    shared.move(own.x, own);
  }, [cursor, shared, active, label, scale, across]);
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
