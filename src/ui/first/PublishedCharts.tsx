// The charts of a published run with a cursor, zoom, and lines that can be hidden, like the charts of every run. Loaded when their static
// drawings are pointed at or focused.
import { useCallback, useMemo } from 'react';
import type { PublishedDemo } from '../../experiments/analysis/demo.ts';
import type { DemoSamples } from '../../experiments/analysis/demo-samples.ts';
import { armLabel } from '../../experiments/analysis/names.ts';
import { environmentOf } from '../../experiments/config/preset-in.ts';
import { runsOfDemo } from '../../store/charts/elsewhere.ts';
import { HeadlineCharts, useRunCharts } from '../charts/Charts.tsx';
import type { SharedCursor } from '../charts/shared-cursor.ts';
import { useLabActions } from '../lab-context.ts';
import { goTo } from '../parts/PlaceLink.tsx';
import { useLoaded } from '../parts/use-loaded.ts';

interface PublishedChartsProps {
  demo: PublishedDemo;
  /** Ids of the metrics to draw. */
  metrics: readonly string[];
  shared: SharedCursor;
}

export default function PublishedCharts({ demo, metrics, shared }: PublishedChartsProps) {
  const runs = useMemo(() => runsOfDemo(demo), [demo]);
  const environment = environmentOf(demo.spec);
  const published = useLabActions().published(document.baseURI);
  const samples = useLoaded(() => published.samples(environment), environment);
  const missing = useCallback((runId: string, step: number) => notPublished(samples, runId, step), [samples]);
  return (
    <HeadlineCharts
      place="published-chart"
      className="published-moving"
      only={metrics}
      environment={environment}
      build={useRunCharts(runs)}
      shared={shared}
      onOpen={openSamples}
      missing={missing}
      tall={false}
    />
  );
}

const openSamples = () => goTo('samples');

/** Why the rollouts of a step cannot be read here; null if they are published. */
function notPublished(samples: DemoSamples | null | undefined, runId: string, step: number): string | null {
  const others = 'run it yourself to read those of every step.';
  if (samples === undefined) return 'Its rollouts are being fetched …';
  if (samples === null) return `No rollouts of this run are published: ${others}`;
  const { arm, seed } = samples;
  if (runId === `${arm}/${seed}` && step === samples.step) return null;
  return `Rollouts of step ${samples.step} of ${armLabel(arm)} are published: ${others}`;
}
