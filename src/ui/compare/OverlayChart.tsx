// Charts of hack and solve for lines of different experiments, or of a link, side by side on one scale. Part of a lazy chunk,
// because it imports recharts; colours, dashes and markers are as in all other charts.
import { useState } from 'react';
import { CartesianGrid, Line, LineChart, Tooltip, type TooltipContentProps, XAxis, YAxis } from 'recharts';
import { percent } from '../../lib/numbers.ts';
import type { OverlayData, OverlayLine, OverlayOf } from '../../store/charts/overlay.ts';
import { FULL_RANGE, type Zoom, ZoomSliders } from '../charts/Controls.tsx';
import { HoverBox } from '../charts/HoverBox.tsx';
import { Legend } from '../charts/Legend.tsx';
import { AXIS, CURSOR, MARKERS, markerAt, ROOM, SHARES, VALUE_AXIS } from '../charts/recharts.ts';
import { Button } from '../parts/Button.tsx';

/** One chart for each metric; all have the same lines. */
export function OverlayCharts({ id, charts }: { id: string; charts: readonly OverlayOf[] }) {
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const [zoom, setZoom] = useState<Zoom>(FULL_RANGE);
  const [log, setLog] = useState(false);
  return (
    <>
      <div className="chart-bar">
        <Legend lines={charts[0]?.data.lines ?? []} hidden={hidden} onHidden={setHidden} />
        <div className="chart-choices">
          <ZoomSliders value={zoom} onChange={setZoom} />
          <Button label="log axis" aria-pressed={log} onClick={() => setLog(!log)} />
        </div>
      </div>
      <div className="charts two">
        {charts.map(({ info, data }) => (
          <OverlayChart
            key={info.id}
            id={id}
            info={info}
            data={{ ...data, lines: data.lines.filter((line) => !hidden.has(line.id)) }}
            zoom={zoom}
            log={log}
          />
        ))}
      </div>
    </>
  );
}

/** Lower end of a logarithmic axis; smaller shares, and 0, are below it. */
const LOG_FLOOR = 0.001;
const LOG_TICKS = [0.001, 0.01, 0.1, 1];

function OverlayChart({
  id,
  info: { id: measure, label },
  data,
  zoom: [from, to],
  log,
}: { id: string; zoom: Zoom; log: boolean } & OverlayOf) {
  const name = `${id}-${measure}`;
  const every = Math.max(1, Math.ceil(data.points.length / MARKERS));
  const steps = Math.max(1, data.points.at(-1)?.x ?? 1);
  const words = data.lines.map(({ id: line, label }) => `${label} ${percent(data.latest[line], 0)}`).join(', ');
  return (
    <figure className="chart" aria-labelledby={name} data-testid={name}>
      <figcaption>
        <h3 id={name}>{label}</h3>
        <p>Live rollouts by step, smoothed; a deployed model is evaluated every few steps.</p>
      </figcaption>
      <LineChart
        responsive
        desc={`${label} over ${steps} steps. Latest: ${words}.`}
        className="chart-body"
        style={{ width: '100%', height: 250 }}
        data={data.points}
        syncId={id}
        syncMethod="value"
        margin={ROOM}
      >
        <CartesianGrid stroke="var(--line)" vertical={false} />
        <XAxis
          dataKey="x"
          type="number"
          domain={[from * steps, to * steps]}
          allowDataOverflow
          allowDecimals={false}
          tickFormatter={(x: number) => String(Math.round(x))}
          {...AXIS}
        />
        <YAxis
          key={log ? 'log' : 'linear'}
          scale={log ? 'log' : 'linear'}
          domain={log ? [LOG_FLOOR, 1] : [0, 1]}
          allowDataOverflow
          ticks={log ? LOG_TICKS : SHARES}
          tickFormatter={(y: number) => percent(y, log && y < 0.01 ? 1 : 0)}
          {...VALUE_AXIS}
        />
        <Tooltip
          isAnimationActive={false}
          cursor={CURSOR}
          content={(props) => <Hover {...props} lines={data.lines} />}
        />
        {data.lines.map((line) => (
          <Line
            key={line.id}
            dataKey={(point: OverlayData['points'][number]) => {
              const y = point[line.id];
              return log && typeof y === 'number' && y < LOG_FLOOR ? null : y;
            }}
            name={line.id}
            type={line.sparse ? 'stepAfter' : 'linear'}
            connectNulls
            isAnimationActive={false}
            activeDot={false}
            stroke={line.style.color}
            strokeWidth={2}
            strokeDasharray={line.style.dash}
            dot={markerAt(line.style, line.sparse ? 4.5 : 3.2, ({ index }) => line.sparse || index % every === 0)}
          />
        ))}
      </LineChart>
    </figure>
  );
}

function Hover({ active, payload, label, lines }: TooltipContentProps & { lines: readonly OverlayLine[] }) {
  if (!active) return null;
  const values = new Map(payload.map((entry) => [String(entry.name), entry.value]));
  const rows = lines.flatMap((entry) => {
    const value = values.get(entry.id);
    return typeof value === 'number' ? [{ entry, text: percent(value, 0) }] : [];
  });
  return <HoverBox where={`Step ${label}`} rows={rows} />;
}
