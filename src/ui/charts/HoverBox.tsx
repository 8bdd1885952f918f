// The box at a chart's cursor: the place, and each legend entry's value there. It does not import the charts' data module, because a
// shared link's chart does not load it.
import type { LegendItem } from '../../store/charts/data.ts';
import { Swatch } from './Legend.tsx';

interface HoverBoxProps {
  where: string;
  /** `from`: the earlier place at which the value was evaluated. */
  rows: readonly { entry: LegendItem; text: string; half?: string | null; from?: string | null }[];
  hint?: string;
}

export function HoverBox({ where, rows, hint }: HoverBoxProps) {
  if (rows.length === 0) return null;
  return (
    <div className="hover">
      <strong>{where}</strong>
      {rows.map(({ entry, text, half, from }) => (
        <span key={entry.id}>
          <Swatch entry={entry} />
          <span>{entry.label}</span>
          <b className="num">
            {text}
            {half ? <i> ± {half}</i> : null}
            {from ? <i> ({from.toLowerCase()})</i> : null}
          </b>
        </span>
      ))}
      {hint ? <small>{hint}</small> : null}
    </div>
  );
}
