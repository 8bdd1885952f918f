// Every sample's cosine against its length, by T4's buckets: whether V tells the kinds apart, or only long from short. Colour
// and shape both say the bucket.
import { decimal } from '../../store/format.ts';
import { axisAround, type LegendItem, type ScatterPoint } from '../../store/kinds/probe/chart.ts';
import { MarkerShape } from '../charts/MarkerShape.tsx';
import { Figure } from './Figure.tsx';

interface SampleScatterProps {
  points: readonly ScatterPoint[];
  legend: readonly LegendItem[];
  csv: () => string;
}

export function SampleScatter({ points, legend, csv }: SampleScatterProps) {
  const styles = new Map(legend.map(({ id, style }) => [id, style]));
  const words = legend.map(({ id, label, n }) => {
    const own = points.filter(({ bucket }) => bucket === id);
    return `${n} of ${label}, mean ${decimal(own.reduce((sum, { y }) => sum + y, 0) / own.length)}`;
  });
  return (
    <Figure
      id="probe-scatter"
      title="Against length"
      about="Every sample of the vanilla replay. T4 sets the first two kinds against each other."
      description={`cos_S_contrib of ${points.length} samples against their length in tokens: ${words.join('; ')}.`}
      x={axisAround(points.map(({ x }) => x))}
      y={axisAround([0, ...points.map(({ y }) => y)])}
      xLabel="completion tokens"
      yLabel="cos_S_contrib"
      legend={legend}
      swatch={({ style }) => (
        <svg className="swatch" width="14" height="12" viewBox="0 0 14 12" aria-hidden="true">
          <MarkerShape marker={style.marker} cx={7} cy={6} r={4.5} color={style.color} />
        </svg>
      )}
      csv={csv}
    >
      {(place) =>
        points.map(({ bucket, x, y, label }, i) => {
          const style = styles.get(bucket);
          return style ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: samples of a step may be alike in everything
            <g key={i}>
              <title>{`${label}${decimal(y)} at ${x} tokens`}</title>
              <MarkerShape marker={style.marker} cx={place.x(x)} cy={place.y(y)} r={4.2} color={style.color} />
            </g>
          ) : null;
        })
      }
    </Figure>
  );
}
