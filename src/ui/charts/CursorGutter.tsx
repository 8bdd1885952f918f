// A gutter whose values follow the cursor that the charts of a grid share: the values at the cursor if there is one, otherwise the final
// evaluations, otherwise the last drawn values.
import { inBrackets } from '../../lib/numbers.ts';
import { type ChartData, type LegendEntry, pointAt } from '../../store/charts/data.ts';
import { shortNames } from '../../store/charts/gutter.ts';
import { Gutter } from './Gutter.tsx';
import { type SharedCursor, useSharedPlace } from './shared-cursor.ts';

interface CursorGutterProps {
  title: string;
  data: ChartData;
  /** Entries with values, including the hidden ones. */
  entries: readonly LegendEntry[];
  hidden: ReadonlySet<string> | undefined;
  shared: SharedCursor;
  /** Whether the chart is in the window. Otherwise it does not follow the cursor. */
  seen: boolean;
  show: (y: number | null) => string;
  /** The name of a position on the axis. */
  where: (x: number) => string;
  /** Right end of the drawn part of the axis, where lines end. */
  right: number;
  /** Whether final evaluations are in the drawn part. */
  hasFinal: boolean;
  /** In pixels from the chart's top. */
  pixel: (y: number) => number;
  isSmoothed: boolean;
  height: number;
  plot: { top: number; bottom: number };
  width: number | null;
  onToggle: ((id: string) => void) | null;
}

export function CursorGutter(props: CursorGutterProps) {
  const { title, data, entries, hidden, shared, seen, show, where, right, hasFinal, pixel, isSmoothed, ...rest } =
    props;
  const x = useSharedPlace(shared, () => seen);
  const names = shortNames(entries.map(({ label, deployed }) => ({ label, isDeployed: deployed })));
  const finals = entries.filter(({ id }) => data.finals[id]).length;
  // While some runs are still running, a dot marks the values that are final, as in the chart.
  const areMixed = finals > 0 && finals < entries.length;
  const seeds = new Set(entries.map(({ n }) => n));
  const [n] = seeds;
  const last = isSmoothed ? 'last, smoothed' : 'last';
  const head =
    x !== null ? where(x).toLowerCase() : areMixed ? `${last}; ● final` : finals > 0 ? 'final, unseen' : last;
  return (
    <Gutter
      {...rest}
      title={title}
      head={seeds.size === 1 && n > 1 ? `${head} · n = ${n}` : head}
      lines={entries.map((entry, i) => {
        const { id } = entry;
        const isHidden = hidden?.has(id) ?? false;
        const final = data.finals[id];
        const edge = hasFinal && final ? final.mean : (pointAt(data, id, right)?.[id] ?? null);
        return {
          ...entry,
          short: names[i],
          isHidden,
          value: x === null ? endValue(data, id, areMixed, show) : valueAt(data, id, x, show),
          note: final
            ? `final evaluation on unseen problems ${show(final.mean)}${inBrackets(final.interval, show)}`
            : undefined,
          end: isHidden || edge === null ? null : pixel(edge),
        };
      })}
    />
  );
}

/** A line's final evaluation, or else its last value. */
function endValue(data: ChartData, id: string, isMarked: boolean, show: (y: number | null) => string): string {
  const final = data.finals[id];
  return final ? `${isMarked ? '● ' : ''}${show(final.mean)}` : show(data.latest[id] ?? null);
}

/** A line's value, ± half of the band over its seeds. */
function valueAt(data: ChartData, id: string, x: number, show: (y: number | null) => string): string {
  const point = pointAt(data, id, x);
  const y = point?.[id] ?? null;
  const high = data.lines.find(({ key }) => key === id)?.band?.[1];
  const top = point && high ? point[high] : null;
  return typeof top === 'number' && y !== null ? `${show(y)} ± ${show(top - y).replace('%', '')}` : show(y);
}
