// What stands at a chart's cursor: a place, and for each entry of the legend its value there. Without the charts' data, which a link's chart
// does not load.
import type { LegendItem } from '../../store/charts/data.ts';
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
