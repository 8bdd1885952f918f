// The box at a chart's cursor: each legend entry's value there, ± half of the band over its seeds. A value that was evaluated before is
// given with its place.
import { type ChartData, type LegendEntry, pointAt } from '../../store/charts/data.ts';
import { HoverBox } from './HoverBox.tsx';

interface HoverProps {
  active: boolean;
  x: number | null;
  data: ChartData;
  legend: readonly LegendEntry[];
  /** Names a place on the axis: `Step 12`, `34k rollout tokens`. */
  where: (x: number) => string;
  show: (y: number | null) => string;
  /** What a click or Enter does here; null if the cursor only follows another chart's. */
  hint: () => string | null;
}

export function Hover({ active, x, data, legend, where, show, hint }: HoverProps) {
  const opens = active ? hint() : null;
  if (x === null || opens === null) return null;
  const rows = legend.flatMap((entry) => {
    const point = pointAt(data, entry.id, x);
    if (!point) return [];
    const y = point[entry.id] as number;
    const line = data.lines.find(({ key }) => key === entry.id);
    const high = line?.band?.[1];
    const top = high ? point[high] : null;
    const from = line?.kind === 'evaluated' && point.x < x ? where(point.x) : null;
    return [{ entry, text: show(y), half: typeof top === 'number' ? show(top - y) : null, from }];
  });
  return <HoverBox where={where(x)} rows={rows} hint={opens} />;
}
