// The chart of a run from any source: lines over steps, final evaluations beyond the last step, each line's name and value in the gutter,
// and a cursor that all charts share. A click on a point, or Enter at the cursor, opens that step's rollouts. A right click, a long press
// or the menu key opens its menu.
import { type KeyboardEvent, type MouseEvent, memo, type RefObject, useMemo, useRef, useState } from 'react';
import {
  Area,
  CartesianGrid,
  ComposedChart,
  Line,
  ReferenceArea,
  ReferenceLine,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts';
import { decimal, percent, significant } from '../../lib/numbers.ts';
import { AXES, type AxisName, shortCount, shortTime } from '../../store/charts/axis.ts';
import { type ChartData, type LegendEntry, runAt, stepsAt } from '../../store/charts/data.ts';
import { chartCsv } from '../../store/charts/download.ts';
import { gutterWidth, shortNames } from '../../store/charts/gutter.ts';
import type { Metric } from '../../store/charts/metrics.ts';
import type { ChartSet } from '../../store/charts/set.ts';
import { GLOSSARY, type GlossaryId } from '../../store/glossary/glossary.ts';
import { Button } from '../parts/Button.tsx';
import { MetricHelp } from '../parts/MetricHelp.tsx';
import { useWidth } from '../parts/use-width.ts';
import { type Zoom, zoomBetween } from './Controls.tsx';
import { CursorGutter } from './CursorGutter.tsx';
import { CursorLine, CursorProbe } from './cursor.tsx';
import { Hover } from './Hover.tsx';
import { bandOf, curveOf, FinalDots, Markers, strokeOf } from './lines.tsx';
import { type Finger, useLongPress } from './long-press.ts';
import { PictureMenu } from './PictureMenu.tsx';
import type { PointOfRun } from './PointMenu.tsx';
import { AXIS, CURSOR, ROOM, VALUE_AXIS, X_AXIS_HEIGHT } from './recharts.ts';
import { type Cursor, newCursor, type SharedCursor } from './shared-cursor.ts';
import { useSlot } from './use-slot.ts';
import { useInWindow, useTurn } from './use-turn.ts';

export interface TrendChartProps {
  metric: Metric;
  set: ChartSet;
  /** Cursor shared by all charts in the grid. */
  shared: SharedCursor;
  tall: boolean;
  /** Opens the rollouts of one run at one step; null if points cannot be opened. */
  onOpen: ((runId: string, step: number) => void) | null;
  /** Why the record has no rollouts of a step, in one line; null if it has them. */
  missing?: (runId: string, step: number) => string | null;
  /** Opens the menu of one run at one step; null if there is none. */
  onMenu?: ((point: PointOfRun) => void) | null;
  /** Zooms all charts to a part of the axis. */
  onZoom(zoom: Zoom): void;
  /** Hides or shows a line in all charts. */
  onToggle(id: string): void;
  /** Prefix of the charts' test ids: `chart`, `shared-chart`. */
  place?: string;
  /** Whether help and downloads are omitted, as in a frame of another page. */
  isFramed?: boolean;
}

/** Heights in pixels that are reserved for a chart before it is drawn. */
const CAPTION_HEIGHT = 52;
const heightOf = (tall: boolean) => (tall ? 250 : 190);

/** @param turn the chart's position in the order in which charts redraw */
export function TrendChart({ turn, set, ...props }: TrendChartProps & { turn: number }) {
  const figure = useRef<HTMLElement>(null);
  const isDrawn = useSlot();
  const drawn = isDrawn('caption');
  const seen = useInWindow(figure, drawn);
  const shown = useTurn(set, turn, seen);
  return drawn ? (
    <Chart
      {...props}
      figure={figure}
      seen={seen}
      set={shown}
      hasFrame={isDrawn('frame')}
      hasAxes={isDrawn('axes')}
      hasLines={isDrawn('lines')}
    />
  ) : (
    <figure ref={figure} className="chart" aria-busy="true" aria-label={props.metric.title}>
      <div style={{ height: heightOf(props.tall) + CAPTION_HEIGHT }} />
    </figure>
  );
}

interface ChartProps extends TrendChartProps {
  figure: RefObject<HTMLElement | null>;
  /** Whether the chart is in the window; only such charts follow the shared cursor. */
  seen: boolean;
  hasFrame: boolean;
  hasAxes: boolean;
  hasLines: boolean;
}

const Chart = memo(function Chart(props: ChartProps) {
  const { metric, set, shared, tall, figure, seen, hasFrame, hasAxes, hasLines, onZoom, onToggle } = props;
  const { onOpen, onMenu = null, missing, place = 'chart', isFramed = false } = props;
  const [wantsLog, setWantsLog] = useState(false);
  const cursor = useRef<Cursor>(newCursor());
  const logTicks = useMemo(() => (wantsLog ? set.ticks(metric, true) : null), [set, metric, wantsLog]);
  const log = logTicks !== null;
  const data = useMemo(() => set.data(metric, log), [set, metric, log]);
  const ticks = useMemo(() => logTicks ?? set.ticks(metric, false) ?? [0, 1], [set, metric, logTicks]);
  const along = useMemo(() => set.along(metric), [set, metric]);
  // Memoized, because recharts redraws a chart whose axis is a new object.
  const xAxis = useMemo(
    () => ({
      domain: [along.start, along.final?.edge ?? along.end],
      ticks: [...along.ticks],
      niceTicks: 'none' as const,
      tickFormatter: AXIS_TEXT[set.axis](along.end),
    }),
    [along, set.axis],
  );
  const [bottom, top] = [ticks[0], ticks[ticks.length - 1]];
  const yAxis = useMemo(
    () => ({ domain: [bottom, top], ticks: [...ticks], niceTicks: 'none' as const }),
    [ticks, bottom, top],
  );
  const bands = useMemo(
    () => data.lines.flatMap((line) => (line.band ? [{ line, of: bandOf(line.band, bottom, top) }] : [])),
    [data, bottom, top],
  );
  const { axis, legend } = set;
  const known = legend.filter(({ id }) => data.latest[id] !== undefined);
  const show = SHOW[metric.format];
  const opening = useOpening(data, cursor, figure, { onOpen, onMenu, missing });
  const brush = useBrush(along.whole, onZoom);
  const [area, width] = useWidth();
  const height = heightOf(tall);
  const plot = { top: ROOM.top, bottom: height - X_AXIS_HEIGHT };
  const named = set.entries.filter(({ id }) => data.latest[id] !== undefined);
  const names = shortNames(named.map(({ label, deployed }) => ({ label, isDeployed: deployed })));
  const gutter = gutterWidth(names, { width, height: plot.bottom - plot.top });
  const pixel = (y: number): number => {
    const share = log ? Math.log(y / bottom) / Math.log(top / bottom) : (y - bottom) / (top - bottom);
    return plot.bottom - Math.min(1, Math.max(0, share)) * (plot.bottom - plot.top);
  };
  const words = metric.words ?? GLOSSARY[metric.id as GlossaryId];
  const titleId = `${place}-${metric.id}`;
  const caption = {
    title: metric.title,
    about: metric.about,
    note: `${AXES[axis].label}; ${set.beta === 0 ? 'not smoothed' : `debiased moving average, β = ${set.beta}`}${log ? '; logarithmic' : ''}`,
  };

  return (
    <figure ref={figure} className="chart" aria-labelledby={titleId} data-testid={titleId}>
      <figcaption>
        <div className="chart-title">
          <h3 id={titleId}>{metric.title}</h3>
          {isFramed ? null : <MetricHelp id={words} name={words.title} />}
          <span className="chart-tools">
            {log || !set.dips(metric) ? (
              <Button
                label="log"
                tone="quiet"
                aria-pressed={wantsLog}
                aria-label={`log axis: ${metric.title}`}
                onClick={() => setWantsLog(!wantsLog)}
              />
            ) : null}
            {isFramed ? null : (
              <PictureMenu
                figure={figure}
                file={fileName(metric)}
                caption={caption}
                legend={known}
                csv={() => chartCsv(data, legend, axis)}
              />
            )}
          </span>
        </div>
        <p>{metric.about}</p>
      </figcaption>
      <div ref={area} className="chart-row">
        <div className={onOpen ? 'chart-area opens' : 'chart-area'} onKeyDownCapture={opening.onKey} {...opening.press}>
          {hasFrame ? (
            <ComposedChart
              responsive
              desc={chartDescription(metric, data, known, show)}
              className="chart-body"
              style={{ width: '100%', height }}
              data={data.points}
              margin={ROOM}
              onMouseDown={({ activeLabel }) => brush.begin(activeLabel)}
              onMouseMove={({ activeLabel }) => brush.move(activeLabel)}
              onMouseUp={() => {
                if (brush.end()) leave(figure.current);
              }}
              onMouseLeave={brush.cancel}
              onContextMenu={(_, event) => opening.onMenu(event)}
              onClick={(_, event) => {
                if (!brush.hasZoomed()) opening.onClick(event);
              }}
            >
              {hasAxes ? (
                <>
                  <CartesianGrid stroke="var(--line)" vertical={false} />
                  <XAxis dataKey="x" type="number" allowDataOverflow height={X_AXIS_HEIGHT} {...xAxis} {...AXIS} />
                  <YAxis
                    key={log ? 'log' : 'linear'}
                    scale={log ? 'log' : 'linear'}
                    {...yAxis}
                    tickFormatter={VALUE_TEXT[metric.format]}
                    {...VALUE_AXIS}
                  />
                </>
              ) : null}
              {hasLines && data.nullLevel !== null ? (
                <ReferenceLine
                  y={data.nullLevel}
                  stroke="var(--ink-2)"
                  strokeDasharray="2 3"
                  label={edgeLabel('null')}
                />
              ) : null}
              {hasLines && data.baseLevel !== null ? (
                <ReferenceLine
                  y={data.baseLevel}
                  stroke="var(--ink-3)"
                  strokeDasharray="1 4"
                  label={edgeLabel('base')}
                />
              ) : null}
              <Tooltip
                isAnimationActive={false}
                cursor={CURSOR}
                content={({ active, label }) => (
                  <Hover
                    active={active}
                    x={typeof label === 'number' ? label : null}
                    where={WHERE[axis]}
                    hint={opening.hint}
                  />
                )}
              />
              {(hasLines ? bands : []).map(({ line, of }) => (
                <Area
                  key={`${line.key} band`}
                  dataKey={of}
                  type={curveOf(line)}
                  connectNulls
                  stroke="none"
                  fill={line.style.color}
                  fillOpacity={0.14}
                  isAnimationActive={false}
                  activeDot={false}
                  tooltipType="none"
                />
              ))}
              {(hasLines ? data.lines : []).map((line) => (
                <Line
                  key={line.key}
                  dataKey={line.key}
                  type={curveOf(line)}
                  connectNulls={line.kind !== 'raw' || axis !== 'step'}
                  isAnimationActive={false}
                  activeDot={false}
                  {...strokeOf(line, data)}
                  dot={false}
                />
              ))}
              {brush.part ? (
                <ReferenceArea x1={brush.part[0]} x2={brush.part[1]} fill="var(--accent)" fillOpacity={0.12} />
              ) : null}
              {hasLines ? <Markers data={data} /> : null}
              {hasLines && along.final ? <FinalDots data={data} x={{ at: along.final.at, end: along.end }} /> : null}
              <CursorProbe {...{ cursor, shared }} />
              {seen ? <CursorLine {...{ cursor, shared }} /> : null}
            </ComposedChart>
          ) : (
            <div style={{ height }} />
          )}
        </div>
        <CursorGutter
          {...{ data, shared, seen, show, height, plot, pixel, onToggle }}
          title={metric.title}
          entries={named}
          hidden={set.hidden}
          where={WHERE[axis]}
          right={along.end}
          hasFinal={along.final !== null}
          isSmoothed={set.beta > 0}
          width={gutter}
        />
      </div>
    </figure>
  );
});

/** Handlers that open a step's rollouts by click or key, and the hint that says so. */
function useOpening(
  data: ChartData,
  cursor: { current: Cursor },
  figure: { current: HTMLElement | null },
  { onOpen, onMenu = null, missing = () => null }: Pick<TrendChartProps, 'onOpen' | 'onMenu' | 'missing'>,
) {
  /** Index (modulo the number of runs) of the run at the cursor that Enter opens. */
  const chosen = useRef(0);
  const [, redraw] = useState(0);
  const touched = useRef<number | null>(null);

  const atCursor = () => {
    const { x } = cursor.current;
    if (x === null) return null;
    const runs = stepsAt(data, x);
    return runs.length === 0 ? null : runs[((chosen.current % runs.length) + runs.length) % runs.length];
  };

  const atPointer = (clientY: number, x = cursor.current.x) => {
    const { pixel } = cursor.current;
    const surface = figure.current?.querySelector('svg.recharts-surface');
    if (x === null || !surface) return null;
    const pointer = clientY - surface.getBoundingClientRect().top;
    return runAt(data, x, (y) => Math.abs((pixel(y) ?? Number.MAX_VALUE) - pointer));
  };

  /** A resting finger does not have a cursor yet. */
  const atFinger = ({ x, y }: Finger) => {
    const left = figure.current?.querySelector('svg.recharts-surface')?.getBoundingClientRect().left ?? 0;
    const far = (point: { x: number }) => Math.abs((cursor.current.place(point.x) ?? Number.MAX_VALUE) - (x - left));
    const nearest = data.points.reduce((best, point) => (far(point) < far(best) ? point : best), data.points[0]);
    return nearest ? atPointer(y, nearest.x) : null;
  };
  const press = useLongPress((finger) => {
    const run = onMenu && atFinger(finger);
    if (run) onMenu({ runId: run.runId, step: run.step, label: run.label, ...finger });
  });

  return {
    press: onMenu ? press.handlers : {},
    onClick(event: MouseEvent<SVGGraphicsElement>): void {
      const { x } = cursor.current;
      if (!onOpen || x === null || press.wasLong()) return;
      // A finger cannot hover, so its first tap reads the point and the second tap opens it.
      if ((event.nativeEvent as PointerEvent).pointerType === 'touch' && touched.current !== x) {
        touched.current = x;
        return;
      }
      const run = atPointer(event.clientY);
      if (run) onOpen(run.runId, run.step);
    },
    onMenu(event: MouseEvent<SVGGraphicsElement>): void {
      // Some browsers also report a long press in this way.
      const isTouch = (event.nativeEvent as PointerEvent).pointerType === 'touch';
      if (isTouch && onMenu) event.preventDefault();
      // The event of the menu key is at the focused element rather than at a pointer.
      const run = onMenu && !isTouch && (event.button === 2 ? atPointer(event.clientY) : atCursor());
      if (!run) return;
      event.preventDefault();
      const { runId, step, label } = run;
      onMenu({ runId, step, label, x: event.clientX, y: event.clientY });
    },
    onKey(event: KeyboardEvent): void {
      const run = onOpen ? atCursor() : null;
      if (!run || !['Enter', 'ArrowUp', 'ArrowDown'].includes(event.key)) return;
      event.preventDefault();
      event.stopPropagation();
      if (event.key === 'Enter') onOpen?.(run.runId, run.step);
      else {
        chosen.current += event.key === 'ArrowUp' ? -1 : 1;
        redraw((n) => n + 1);
      }
    },
    hint(): string | null {
      const area = figure.current?.querySelector('.chart-area');
      if (area?.querySelector('svg:focus')) {
        const run = onOpen ? atCursor() : null;
        if (!run) return '';
        const reason = missing(run.runId, run.step);
        if (reason !== null) return reason;
        return `Enter opens ${run.label}, step ${run.step}${data.tracks.length > 1 ? '; ↑ ↓ another run' : ''}`;
      }
      if (!area?.matches(':hover')) return null;
      const run = onOpen ? atCursor() : null;
      return run ? (missing(run.runId, run.step) ?? 'A click opens the rollouts') : '';
    },
  };
}

/** A drag along the axis zooms to the part that it spans. A click or a very short drag does not zoom. */
function useBrush(whole: number, onZoom: (zoom: Zoom) => void) {
  const [part, setPart] = useState<readonly [number, number] | null>(null);
  const zoomed = useRef(false);
  const placeOf = (label: string | number | undefined): number | null => (typeof label === 'number' ? label : null);
  return {
    part: part && part[0] !== part[1] ? part : null,
    begin(label: string | number | undefined): void {
      const x = placeOf(label);
      zoomed.current = false;
      setPart(x === null ? null : [x, x]);
    },
    move(label: string | number | undefined): void {
      const x = placeOf(label);
      if (part && x !== null && x !== part[1]) setPart([part[0], x]);
    },
    /** Whether the drag zoomed. */
    end(): boolean {
      const zoom = part && zoomBetween(part[0], part[1], whole);
      setPart(null);
      zoomed.current = zoom !== null;
      if (zoom) onZoom(zoom);
      return zoom !== null;
    },
    cancel: () => setPart(null),
    hasZoomed: () => zoomed.current,
  };
}

/**
 * Ends the chart's hover as if the pointer had left. After a zoom, recharts would otherwise keep the pointer's previous position, which now
 * belongs to another step, until the pointer moves.
 */
function leave(figure: HTMLElement | null): void {
  const drawn = figure?.querySelector('svg.recharts-surface');
  drawn?.dispatchEvent(new MouseEvent('mouseout', { bubbles: true, relatedTarget: document.body }));
}

const SHOW: Record<Metric['format'], (y: number | null) => string> = {
  share: (y) => percent(y, 0),
  fixed: (y) => decimal(y),
  size: significant,
};
const VALUE_TEXT: Record<Metric['format'], (y: number) => string> = {
  share: (y) => percent(y, 0),
  fixed: (y) => String(Number(y.toFixed(3))),
  size: (y) => (y >= 1000 ? shortCount(y) : significant(y)),
};
const AXIS_TEXT: Record<AxisName, (end: number) => (x: number) => string> = {
  step: () => String,
  tokens: () => shortCount,
  time: (end) => (x) => shortTime(x, end),
};
const WHERE: Record<AxisName, (x: number) => string> = {
  step: (x) => `Step ${x}`,
  tokens: (x) => `${shortCount(Math.round(x))} rollout tokens`,
  time: (x) => `After ${shortTime(x, x)}`,
};

const fileName = ({ id }: Metric) => `chart-${id.replace(':', '-')}`;

/** The chart in words, for screen readers. */
function chartDescription(
  metric: Metric,
  data: ChartData,
  legend: readonly LegendEntry[],
  show: (x: number | null) => string,
): string {
  const values = legend.map(({ id, label }) => `${label} ${show(data.latest[id])}`);
  return `${metric.title}, ${data.points.length} points. Latest: ${values.join(', ')}.`;
}

function edgeLabel(value: string) {
  return { value, position: 'insideBottomLeft', fontSize: 10, fill: 'var(--ink-3)' } as const;
}
