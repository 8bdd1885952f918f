// What the cursor reads: for each entry of the legend its value there, ± half of the band that its seeds make.
import { type ChartData, type LegendEntry, pointAt } from '../../store/charts/data.ts';
import { Swatch } from './Legend.tsx';

interface HoverProps {
  active: boolean;
  x: number | null;
  data: ChartData;
  legend: readonly LegendEntry[];
  /** `Step 12`, `34k rollout tokens`. */
  where: (x: number) => string;
  show: (y: number | null) => string;
  /** What a click or Enter does here; null where the cursor only follows that of another chart. */
  hint: () => string | null;
}

export function Hover({ active, x, data, legend, where, show, hint }: HoverProps) {
  const opens = active ? hint() : null;
  if (x === null || opens === null) return null;
  const shown = legend.flatMap((entry) => {
    const point = pointAt(data, entry.id, x);
    if (!point) return [];
    const y = point[entry.id] as number;
    const high = data.lines.find(({ key }) => key === entry.id)?.band?.[1];
    const top = high ? point[high] : null;
    return [{ entry, y, half: typeof top === 'number' ? top - y : null }];
  });
  if (shown.length === 0) return null;
  return (
    <div className="hover">
      <strong>{where(x)}</strong>
      {shown.map(({ entry, y, half }) => (
        <span key={entry.id}>
          <Swatch entry={entry} />
          <span>{entry.label}</span>
          <b className="num">
            {show(y)}
            {half === null ? null : <i> ± {show(half)}</i>}
          </b>
        </span>
      ))}
      {opens ? <small>{opens}</small> : null}
    </div>
  );
}
