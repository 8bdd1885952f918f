// A small line chart in plain SVG for the first screen, which must not wait for the library that a run's charts need.
import { pathOf, stepPathOf } from '../../lib/path.ts';
import type { DemoLine } from '../../store/charts/demo-lines.ts';
import { endNames, gutterFor, leaderOf, placeLabels } from '../../store/charts/direct-labels.ts';
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

export function LineChart({ lines, steps, ends, ticks, label }: LineChartProps) {
  const { width, height } = useNarrow() ? LOW : SIZE;
  const texts = endNames(lines.map(({ id, label: text }) => ({ label: text, isDeployed: id.endsWith('/deployed') })));
  const gutter = gutterFor(texts, FONT_SIZE, width);
  const [left, right, top, bottom] = [38, Math.max(10, gutter), 8, 22];
  // Over steps, an evaluation holds until the next; over another quantity each point is a measure of its own.
  const draws = ({ isSparse }: DemoLine) => (isSparse && !ends ? stepPathOf : pathOf);
  const [first, last] = ends ?? ['step 1', `step ${steps}`];
  const x = (step: number) => left + ((width - left - right) * step) / steps;
  const most = ticks[ticks.length - 1];
  const y = (share: number) => top + (height - top - bottom) * (1 - share / most);
  const drawn = lines.map((line) => ({ id: line.id, points: line.points.map((at) => [x(at.x), y(at.y)] as const) }));
  const named = lines.flatMap(({ id, style }, i) => {
    const end = drawn[i].points.at(-1);
    return end ? [{ id, text: texts[i], color: style.color, x: end[0], y: end[1] }] : [];
  });
  const within = gutter === 0 ? width - right : undefined;
  const names = placeLabels(named, drawn, { fontSize: FONT_SIZE, top, bottom: height - bottom, right: within });
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
        {first}
      </text>
      <text className="tick" x={width - right} y={height - 5} textAnchor="end">
        {last}
      </text>
      {lines.map((line, i) => (
        <g key={line.id}>
          <path
            className="line"
            d={draws(line)(drawn[i].points)}
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
      {names.map((name) => (
        <g key={name.id}>
          {name.isApart ? <path className="leader" d={leaderOf(name)} stroke={name.color} /> : null}
          <text
            className="line-name"
            x={name.isWithin && name.isApart ? name.left - 3 : name.left}
            y={name.at + 0.35 * FONT_SIZE}
            textAnchor={name.isWithin ? 'end' : 'start'}
            fill={name.color}
          >
            {name.text}
          </text>
        </g>
      ))}
    </svg>
  );
}
