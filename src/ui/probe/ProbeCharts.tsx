// The probe's charts: each sample's part along V against its length, the mean of each step, and the hack rate while T5 trains. A link's
// probe may be shown beside one that was run here, so `of` prefixes the ids of a chart.

import { axisAround } from '../../lib/axis.ts';
import { decimal } from '../../lib/numbers.ts';
import { plotAxis } from '../../lib/plot.ts';
import type { LegendItem, StepLine } from '../../store/charts/data.ts';
import type { ScatterPoint } from '../../store/kinds/probe/chart.ts';
import { linesCsv } from '../../store/kinds/probe/trainings.ts';
import { PlotFigure } from '../charts/PlotFigure.tsx';
import { MarkerShape } from '../charts/Shapes.tsx';
import { StepFigure, type StepFigureProps } from '../charts/StepFigure.tsx';

type ChartScope = 'probe' | 'probe-shared';

interface SampleScatterProps {
  of?: ChartScope;
  /** The maximum of cos_S_contrib, which is a sum over modules and not a cosine. */
  bound: number;
  points: readonly ScatterPoint[];
  legend: readonly LegendItem[];
  csv: () => string;
}

/** Shows whether V separates the buckets of T4, or only long answers from short ones. Colour and shape both mark the bucket. */
export function SampleScatter({ of = 'probe', bound, points, legend, csv }: SampleScatterProps) {
  const styles = new Map(legend.map(({ id, style }) => [id, style]));
  const words = legend.map(({ id, label, n }) => {
    const own = points.filter(({ bucket }) => bucket === id);
    return `${n} of ${label}, mean ${decimal(own.reduce((sum, { y }) => sum + y, 0) / own.length)}`;
  });
  return (
    <PlotFigure
      id={`${of}-scatter`}
      title="Against length"
      about="Every sample of the vanilla replay. T4 sets the first two kinds against each other."
      description={`cos_S_contrib of ${points.length} samples against their length in tokens: ${words.join('; ')}.`}
      x={plotAxis('completion tokens', axisAround(points.map(({ x }) => x)))}
      y={plotAxis(atMost('cos_S_contrib', bound), axisAround([0, ...points.map(({ y }) => y)]))}
      legend={legend}
      isMarks
      csv={csv}
    >
      {(place) =>
        points.map(({ bucket, x, y, label }, i) => {
          const style = styles.get(bucket);
          return style ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: samples of a step may be equal
            <g key={i}>
              <title>{`${label}${decimal(y)} at ${x} tokens`}</title>
              <MarkerShape marker={style.marker} cx={place.x(x)} cy={place.y(y)} r={4.2} color={style.color} />
            </g>
          ) : null;
        })
      }
    </PlotFigure>
  );
}

const atMost = (what: string, bound: number): string => `${what} (at most ${bound.toFixed(2)})`;

interface StepChartProps extends Pick<StepFigureProps, 'lines' | 'steps' | 'csv'> {
  of?: ChartScope;
  bound: number;
}

/**
 * Vanilla and projected training: whether the pool's gradient along the basis fades with learning, and whether projection prevents that.
 */
export function StepChart({ of = 'probe', bound, ...drawn }: StepChartProps) {
  return (
    <StepFigure
      id={`${of}-steps`}
      title="Step by step"
      about="Mean cos_S_contrib of the samples of a step, which is one problem."
      yLabel={atMost('mean cos_S_contrib', bound)}
      {...drawn}
    />
  );
}

/** The step from which T5 reads its figures. */
const BY = { step: 15, label: 'step 15, by which vanilla must have risen' };

export function RateChart({ of = 'probe', lines }: { of?: ChartScope; lines: readonly StepLine[] }) {
  if (lines.length === 0) return null;
  return (
    <StepFigure
      id={`${of}-rates`}
      title="Hacking while it is trained"
      about="Share of the student’s own rollouts of a step that exploit the grader."
      yLabel="student hack rate"
      lines={lines}
      steps={Math.max(...lines.map(({ n }) => n))}
      mark={BY}
      csv={() => linesCsv(lines)}
    />
  );
}
