// The static drawing of a published chart, in plain SVG, because the first screen must not wait for the library that draws cursors. It has
// the same gutter and final dots as the interactive chart that replaces it when it is pointed at or focused (PublishedCharts.tsx).
import { pathOf, stepPathOf } from '../../lib/path.ts';
import type { DemoLine } from '../../store/charts/demo-lines.ts';
import { gutterWidth, shortNames } from '../../store/charts/gutter.ts';
import { useNarrow } from '../parts/use-narrow.ts';
import { useWidth } from '../parts/use-width.ts';
import { Gutter } from './Gutter.tsx';
import { MarkerShape } from './Shapes.tsx';

interface LineChartProps {
  title: string;
  lines: readonly DemoLine[];
  /** Right end of the axis: the last step, or the last value of another quantity. */
  steps: number;
  /** Labels under the axis's ends; by default steps. */
  ends?: readonly [string, string];
  /** Ticks of the shares, including both ends. */
  ticks: readonly number[];
  /** The chart in words, for screen readers. */
  label: string;
  /** Called with a line's id when its name is pressed; null if names are not buttons. */
  onToggle: ((id: string) => void) | null;
}

/** Height in pixels; smaller on a phone, so that a rollout below it fits on the screen. */
const HEIGHT = 190;
const LOW = 72;
const [LEFT, TOP, BOTTOM] = [38, 16, 22];
/** Share of the axis beyond the last step that is reserved for final evaluations, and their position in it. */
const FINAL = { room: 0.07, at: 0.045 };

export function LineChart({ title, lines, steps, ends, ticks, label, onToggle }: LineChartProps) {
  const [box, width] = useWidth();
  const height = useNarrow() ? LOW : HEIGHT;
  const plot = { top: TOP, bottom: height - BOTTOM };
  const names = shortNames(lines.map(({ id, label: text }) => ({ label: text, isDeployed: id.endsWith('/deployed') })));
  const gutter = gutterWidth(names, { width, height: plot.bottom - plot.top });
  const right = width - (gutter ?? 4);
  const hasFinal = lines.some(({ final }) => final !== null);
  const most = ticks[ticks.length - 1];
  const x = (step: number) => LEFT + ((right - LEFT) * step) / (steps * (hasFinal ? 1 + FINAL.room : 1));
  const y = (share: number) => plot.top + (plot.bottom - plot.top) * (1 - share / most);
  // Over steps, an evaluation holds until the next one. Over another quantity each point is a separate measurement.
  const draws = ({ isSparse }: DemoLine) => (isSparse && !ends ? stepPathOf : pathOf);
  const [first, last] = ends ?? ['step 1', `step ${steps}`];
  const endOf = ({ points, final }: DemoLine) => final ?? points.at(-1)?.y ?? null;
  const text = (share: number | null) => (share === null ? '–' : `${Math.round(100 * share)}%`);
  return (
    <div ref={box} className="chart-row" style={{ minHeight: height }}>
      {width > 0 ? (
        <>
          <svg className="line-chart" width={right} height={height} role="img" aria-label={label}>
            {ticks.map((share) => (
              <g key={share}>
                <path className="grid-line" d={`M${LEFT} ${y(share)}H${right}`} />
                <text className="tick" x={LEFT - 6} y={y(share) + 4} textAnchor="end">
                  {text(share)}
                </text>
              </g>
            ))}
            <text className="tick" x={LEFT} y={height - 5}>
              {first}
            </text>
            <text className="tick" x={x(steps)} y={height - 5} textAnchor="end">
              {last}
            </text>
            {hasFinal ? <path className="final-edge" d={`M${x(steps)} ${plot.top}V${plot.bottom}`} /> : null}
            {lines.map((line) => {
              const { id, style, points, isSparse, final } = line;
              return (
                <g key={id}>
                  <path
                    className={final === null ? 'line' : 'line faint'}
                    d={draws(line)(points.map((at) => [x(at.x), y(at.y)] as const))}
                    stroke={style.color}
                    strokeDasharray={style.dash}
                  />
                  {isSparse
                    ? points.map((at) => (
                        <MarkerShape key={at.x} {...style} cx={x(at.x)} cy={y(at.y)} r={final === null ? 4 : 3} />
                      ))
                    : null}
                  {final === null ? null : (
                    <MarkerShape {...style} cx={x(steps * (1 + FINAL.at))} cy={y(final)} r={5} />
                  )}
                </g>
              );
            })}
          </svg>
          <Gutter
            title={title}
            head={hasFinal ? 'final, unseen' : ''}
            lines={lines.map((line, i) => {
              const end = endOf(line);
              const { id, label: name, style } = line;
              return { id, label: name, style, short: names[i], value: text(end), end: end === null ? null : y(end) };
            })}
            height={height}
            plot={plot}
            width={gutter}
            onToggle={onToggle}
          />
        </>
      ) : null}
    </div>
  );
}
