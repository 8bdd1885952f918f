// The legend of a plot in plain SVG: each line's colour, dash, marker and number of seeds, and a switch for each line in plots that can
// hide lines. Hiding a line does not change the colours of the others. The charts of runs have a gutter instead (Gutter.tsx).
import type { LegendItem } from '../../store/charts/data.ts';
import { MarkerShape } from './Shapes.tsx';

export function Swatch({ entry }: { entry: Pick<LegendItem, 'style'> }) {
  const { color, dash, marker, hollow } = entry.style;
  return (
    <svg className="swatch" width="30" height="12" viewBox="0 0 30 12" aria-hidden="true">
      <path d="M1 6H29" stroke={color} strokeWidth="2" strokeDasharray={dash} />
      <MarkerShape marker={marker} cx={15} cy={6} r={4} color={color} hollow={hollow} />
    </svg>
  );
}

/** Swatch of marks that are not joined by a line. */
function MarkSwatch({ entry: { style } }: { entry: Pick<LegendItem, 'style'> }) {
  return (
    <svg className="swatch" width="14" height="12" viewBox="0 0 14 12" aria-hidden="true">
      <MarkerShape marker={style.marker} cx={7} cy={6} r={4.5} color={style.color} hollow={style.hollow} />
    </svg>
  );
}

export interface LegendProps {
  title: string;
  lines: readonly LegendItem[];
  /** Whether the chart has marks without lines. */
  isMarks?: boolean;
  /** Ids of lines that are not drawn; the legend can change them only with `onHidden`. */
  hidden?: ReadonlySet<string>;
  onHidden?: (hidden: ReadonlySet<string>) => void;
}

export function Legend({ title, lines, isMarks, hidden, onHidden }: LegendProps) {
  const Look = isMarks ? MarkSwatch : Swatch;
  const toggle = (id: string) => {
    const next = new Set(hidden);
    if (!next.delete(id)) next.add(id);
    onHidden?.(next);
  };
  return (
    <ul className="legend" aria-label={title}>
      {lines.map(({ id, label, style, n, number }) => {
        const words = (
          <>
            {number === undefined ? null : <span className="question-number num">{number}</span>}
            <Look entry={{ style }} />
            <span>{label}</span>
            {n === undefined ? null : <span className="muted num">n = {n}</span>}
          </>
        );
        return (
          <li key={id} data-legend={id}>
            {onHidden ? (
              <label className="line-toggle">
                <input type="checkbox" checked={!hidden?.has(id)} onChange={() => toggle(id)} />
                {words}
              </label>
            ) : (
              words
            )}
          </li>
        );
      })}
    </ul>
  );
}
