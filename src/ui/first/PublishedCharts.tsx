// The charts of a published run with a cursor, zoom, and lines that can be hidden: the charts of every run. Loaded when a pointer or the
// focus comes to their first pictures.
import { useMemo } from 'react';
import type { PublishedDemo } from '../../experiments/analysis/demo.ts';
import { environmentOf } from '../../experiments/config/preset-in.ts';
import { runsOfDemo } from '../../store/charts/elsewhere.ts';
import { HeadlineCharts, useRunCharts } from '../charts/Charts.tsx';
import type { SharedCursor } from '../charts/shared-cursor.ts';

interface PublishedChartsProps {
  demo: PublishedDemo;
  /** Ids of the metrics to draw. */
  metrics: readonly string[];
  shared: SharedCursor;
}

export default function PublishedCharts({ demo, metrics, shared }: PublishedChartsProps) {
  const runs = useMemo(() => runsOfDemo(demo), [demo]);
  return (
    <HeadlineCharts
      place="published-chart"
      className="published-moving"
      only={metrics}
      environment={environmentOf(demo.spec)}
      build={useRunCharts(runs)}
      shared={shared}
      tall={false}
    />
  );
}
