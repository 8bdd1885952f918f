// The values in the head of a chart: those at the shared cursor if there is one, else the latest.
import { type ChartData, type LegendEntry, pointAt } from '../../store/charts/data.ts';
import { type SharedCursor, useSharedPlace } from './cursor.tsx';
import { Swatch } from './Legend.tsx';

interface ReadoutProps {
  data: ChartData;
  /** Entries that have values. */
  legend: readonly LegendEntry[];
  shared: SharedCursor;
  /** Whether the chart is in the window; otherwise it does not follow the cursor. */
  seen: boolean;
  show: (x: number | null) => string;
}

export function Readout({ data, legend, shared, seen, show }: ReadoutProps) {
  const x = useSharedPlace(shared, () => seen);
  const shownAt = (id: string) => (x === null ? data.latest[id] : (pointAt(data, id, x)?.[id] ?? null));
  return (
    <dl className={x === null ? 'readout' : 'readout at-cursor'}>
      {legend.map((entry) => (
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
