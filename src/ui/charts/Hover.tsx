// What the cursor reads: for each entry of the legend its value there, ± half of the band that its seeds make.
import { type ChartData, type LegendEntry, type LegendItem, pointAt } from '../../store/charts/data.ts';
import { Swatch } from './Legend.tsx';

interface HoverBoxProps {
  where: string;
  rows: readonly { entry: LegendItem; text: string; half?: string | null }[];
  hint?: string;
}

export function HoverBox({ where, rows, hint }: HoverBoxProps) {
  if (rows.length === 0) return null;
  return (
    <div className="hover">
      <strong>{where}</strong>
      {rows.map(({ entry, text, half }) => (
        <span key={entry.id}>
          <Swatch entry={entry} />
          <span>{entry.label}</span>
          <b className="num">
            {text}
            {half ? <i> ± {half}</i> : null}
          </b>
        </span>
      ))}
      {hint ? <small>{hint}</small> : null}
    </div>
  );
}

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
  const rows = legend.flatMap((entry) => {
    const point = pointAt(data, entry.id, x);
    if (!point) return [];
    const y = point[entry.id] as number;
    const high = data.lines.find(({ key }) => key === entry.id)?.band?.[1];
    const top = high ? point[high] : null;
    return [{ entry, text: show(y), half: typeof top === 'number' ? show(top - y) : null }];
  });
  return <HoverBox where={where(x)} rows={rows} hint={opens} />;
}
