// Charts side by side with a shared cursor, zoom and choice of lines; and the charts of an environment's headline metrics, for runs that
// are compared, shared or published.
import { useCallback, useMemo, useState } from 'react';
import { type Metric, metricGroups } from '../../store/charts/metrics.ts';
import type { ChartRun } from '../../store/charts/run.ts';
import { type ChartLook, type ChartSet, chartSet } from '../../store/charts/set.ts';
import { BETA } from '../../store/charts/smoothing.ts';
import { Button } from '../parts/Button.tsx';
import { FULL_RANGE, type Zoom } from './Controls.tsx';
import { SharedCursor } from './shared-cursor.ts';
import { TrendChart, type TrendChartProps } from './TrendChart.tsx';

interface ChartsProps extends Omit<TrendChartProps, 'metric'> {
  metrics: readonly Metric[];
  className?: string;
  /** The order in which charts redraw. */
  turnOf: (metric: Metric) => number;
}

export function Charts({ metrics, turnOf, className = 'charts two', ...props }: ChartsProps) {
  return (
    <div className={className}>
      {metrics.map((metric) => (
        <TrendChart key={metric.id} metric={metric} turn={turnOf(metric)} {...props} />
      ))}
    </div>
  );
}

/** The part of the axis and the lines that the user has chosen to see. */
export function useLook() {
  const [zoom, setZoom] = useState<Zoom>(FULL_RANGE);
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());

  function toggle(id: string): void {
    const next = new Set(hidden);
    if (!next.delete(id)) next.add(id);
    setHidden(next);
  }

  return { zoom, setZoom, hidden, toggle };
}

/** Builds the charts of these runs over their steps, with the default smoothing. */
export function useRunCharts(runs: readonly ChartRun[]): HeadlineChartsProps['build'] {
  return useCallback(
    (look) => chartSet(runs, BETA, 'step', Math.max(1, ...runs.map(({ spec }) => spec.steps)), look),
    [runs],
  );
}

interface HeadlineChartsProps {
  /** Prefix of the charts' test ids. */
  place: string;
  environment: string;
  /** Makes the chart set for a choice of axis part and lines. When the function changes, the charts are computed again. */
  build: (look: ChartLook) => ChartSet;
  /** Ids of the metrics to draw; by default all. */
  only?: readonly string[];
  /** If absent, the charts have a cursor of their own. */
  shared?: SharedCursor;
  /** Opens the rollouts of one run at one step, unless `missing` gives a reason why there are none. If absent, points cannot be opened. */
  onOpen?: (runId: string, step: number) => void;
  missing?: TrendChartProps['missing'];
  tall?: boolean;
  className?: string;
  isFramed?: boolean;
}

/** One chart for each headline metric of the environment that has values. */
export function HeadlineCharts({
  environment,
  build,
  only,
  shared: given,
  tall = true,
  onOpen,
  missing,
  ...props
}: HeadlineChartsProps) {
  const { zoom, setZoom, hidden, toggle } = useLook();
  const [own] = useState(() => new SharedCursor());
  const [note, setNote] = useState<string | null>(null);
  const open = useMemo(
    () =>
      onOpen || missing
        ? (runId: string, step: number) => {
            const reason = missing?.(runId, step) ?? null;
            setNote(reason);
            if (reason === null) onOpen?.(runId, step);
          }
        : null,
    [onOpen, missing],
  );
  const set = useMemo(() => build({ zoom, hidden }), [build, zoom, hidden]);
  const [{ metrics }] = metricGroups(environment);
  const drawn = metrics.filter(
    (metric) => (only?.includes(metric.id) ?? true) && set.data(metric, false).points.length > 0,
  );
  return (
    <>
      <Charts
        {...props}
        {...{ set, tall }}
        metrics={drawn}
        shared={given ?? own}
        onOpen={open}
        missing={missing}
        onZoom={setZoom}
        onToggle={toggle}
        turnOf={(metric) => drawn.indexOf(metric)}
      />
      {open === null ? null : (
        <p className="muted note chart-note" role="status">
          {note}
        </p>
      )}
      {zoom === FULL_RANGE ? null : <Button label="Reset zoom" onClick={() => setZoom(FULL_RANGE)} />}
    </>
  );
}
