// The gutter at the right of a chart: each line's name and value at the height of its end. It also serves as the chart's legend: a click on
// a name hides or shows the line in all charts of the grid. If a chart is too narrow, the names are in a list below it.
import type { LegendItem } from '../../store/charts/data.ts';
import { LEADERS, placeNames } from '../../store/charts/gutter.ts';
import { Swatch } from './Legend.tsx';

export interface GutterLine extends LegendItem {
  /** The name, shortened to fit into the gutter. The button's title has the full name. */
  short: string;
  value: string;
  /** Text after the name in the title, for example an interval. */
  note?: string;
  isHidden?: boolean;
  /** Height of the line's end, in pixels from the chart's top; null if no end is visible. */
  end: number | null;
}

interface GutterProps {
  /** Title of the chart. */
  title: string;
  /** Kind of the values: `final, unseen`, or a position of the cursor. */
  head: string;
  lines: readonly GutterLine[];
  /** Height of the chart, and both ends of its plot, in pixels. */
  height: number;
  plot: { top: number; bottom: number };
  /** Width in pixels; null puts the names in a list below the chart. */
  width: number | null;
  /** Null if lines cannot be hidden. */
  onToggle: ((id: string) => void) | null;
}

export function Gutter({ title, head, lines, height, plot, width, onToggle }: GutterProps) {
  const places = placeNames(
    lines.map(({ end }) => end),
    plot,
  );
  const isList = width === null;
  return (
    <div className={isList ? 'gutter list' : 'gutter'} style={isList ? undefined : { width, height }}>
      <span className="gutter-head muted num">{head}</span>
      {isList ? null : (
        <svg className="leaders" width={LEADERS} height={height} aria-hidden="true">
          {lines.map(({ id, end, style }, i) =>
            end !== null && places[i].isApart ? (
              <path key={id} d={`M1 ${end}L${LEADERS - 2} ${places[i].at}`} stroke={style.color} fill="none" />
            ) : null,
          )}
        </svg>
      )}
      <ul aria-label={`Lines of ${title}`}>
        {lines.map(({ id, label, short, n, style, value, note, isHidden = false }, i) => {
          const words = (
            <>
              <Swatch entry={{ style }} />
              <b className="num">{value}</b>
              <span className="gutter-name" style={{ color: style.color }}>
                {short}
              </span>
            </>
          );
          const parts = [label, n !== undefined && n > 1 ? `mean of ${n} seeds` : null, note ?? null];
          const about = parts.filter((part) => part !== null).join(', ');
          return (
            <li key={id} data-legend={id} style={isList ? undefined : { top: places[i].at }}>
              {onToggle ? (
                <button
                  type="button"
                  aria-pressed={!isHidden}
                  title={`${about}. Click to ${isHidden ? 'show' : 'hide'} it in all charts.`}
                  onClick={() => onToggle(id)}
                >
                  {words}
                </button>
              ) : (
                <span title={about}>{words}</span>
              )}
            </li>
          );
        })}
      </ul>
    </div>
  );
}
