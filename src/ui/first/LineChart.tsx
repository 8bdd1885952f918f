// A small line chart in plain SVG for the first screen, which must not wait for the library that a run's charts need.
import { pathOf } from '../../lib/path.ts';
import type { DemoLine } from '../../store/charts/demo-lines.ts';
import { nameHeight, placed } from '../../store/charts/direct-labels.ts';
import { MarkerShape } from '../charts/Shapes.tsx';
import { useNarrow } from '../parts/use-narrow.ts';

interface LineChartProps {
  lines: readonly DemoLine[];
  /** Right end of the axis: the last step, or the last value of another quantity. */
  steps: number;
  /** Labels under the axis's ends; by default steps. */
  ends?: readonly [string, string];
  /** Ticks of the shares, ends included. */
  ticks: readonly number[];
  /** The chart in words, for screen readers. */
  label: string;
}

const SIZE = { width: 330, height: 190 };
/** Lower on a phone, so that a rollout below it fits on the screen. */
const LOW = { width: 330, height: 112 };
/** Font size of a line's name, in pixels; `line-name` in the stylesheet must agree. */
const FONT_SIZE = 11.5;

export function LineChart({ lines, steps, ends = ['step 1', `step ${steps}`], ticks, label }: LineChartProps) {
  const { width, height } = useNarrow() ? LOW : SIZE;
  const [left, right, top, bottom] = [38, 10, 8, 22];
  const x = (step: number) => left + ((width - left - right) * step) / steps;
  const most = ticks[ticks.length - 1];
  const y = (share: number) => top + (height - top - bottom) * (1 - share / most);
  const named = lines.flatMap(({ id, label: text, style, points }) => {
    const last = points.at(-1);
    return last ? [{ id, text, color: style.color, y: y(last.y) - 6 }] : [];
  });
  const room = { gap: nameHeight(FONT_SIZE), top: top + FONT_SIZE - 2, bottom: height - bottom - 3 };
  const names = placed(named, room);
  return (
    <svg className="line-chart" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
      {ticks.map((share) => (
        <g key={share}>
          <path className="grid-line" d={`M${left} ${y(share)}H${width - right}`} />
          <text className="tick" x={left - 6} y={y(share) + 4} textAnchor="end">
            {Math.round(100 * share)}%
          </text>
        </g>
      ))}
      <text className="tick" x={left} y={height - 5}>
        {ends[0]}
      </text>
      <text className="tick" x={width - right} y={height - 5} textAnchor="end">
        {ends[1]}
      </text>
      {lines.map((line) => (
        <g key={line.id}>
          <path
            className="line"
            d={pathOf(line.points.map((point) => [x(point.x), y(point.y)]))}
            stroke={line.style.color}
            strokeDasharray={line.style.dash}
          />
          {line.isSparse
            ? line.points.map((point) => (
                <MarkerShape
                  key={point.x}
                  marker={line.style.marker}
                  cx={x(point.x)}
                  cy={y(point.y)}
                  r={4}
                  color={line.style.color}
                />
              ))
            : null}
        </g>
      ))}
      {names.map(({ id, text, color, y: at }) => (
        <text key={id} className="line-name" x={width - right} y={at} textAnchor="end" fill={color}>
          {text}
        </text>
      ))}
    </svg>
  );
}
