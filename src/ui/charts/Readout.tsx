// The values in the head of a chart: at the cursor while there is one in any of the charts, else the latest.
import { type RefObject, useEffect, useState } from 'react';
import { useActiveTooltipLabel, useIsTooltipActive, useYAxisScale } from 'recharts';
import { type ChartData, type LegendEntry, pointAt } from '../../store/charts/data.ts';
import { Swatch } from './Legend.tsx';

interface ReadoutProps {
  data: ChartData;
  legend: readonly LegendEntry[];
  cursor: RefObject<Cursor>;
  show: (x: number | null) => string;
}

export function Readout({ data, legend, cursor, show }: ReadoutProps) {
  const [x, setX] = useState<number | null>(null);
  useEffect(() => {
    const followed = cursor.current;
    followed.follow = setX;
    return () => {
      followed.follow = () => {};
    };
  }, [cursor]);
  const shownAt = (id: string) => (x === null ? data.latest[id] : (pointAt(data, id, x)?.[id] ?? null));
  const entries = legend.filter(({ id }) => data.latest[id] !== undefined);
  return (
    <dl className={x === null ? 'readout' : 'readout at-cursor'}>
      {entries.map((entry) => (
        <div key={entry.id} data-legend={entry.id}>
          <dt>
            <Swatch entry={entry} />
            <span className="sr">{entry.label}</span>
          </dt>
          <dd className="num">{show(shownAt(entry.id))}</dd>
        </div>
      ))}
    </dl>
  );
}

// The chart's cursor, read from inside the chart: where it is on the axis, and how values become pixels there.

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
