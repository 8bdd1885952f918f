// Mean cos_S_contrib of each step's samples, vanilla and projected: whether the pool's pull along the basis fades as it is learnt,
// and whether projection keeps it there.
import type { ProbeReport } from '../../experiments/probe/types.ts';
import { decimal } from '../../store/format.ts';
import { axisAround, stepLines, stepsCsv } from '../../store/probe-chart.ts';
import { Swatch } from '../charts/Legend.tsx';
import { MarkerShape } from '../charts/MarkerShape.tsx';
import { Figure } from './Figure.tsx';

export function StepChart({ report }: { report: ProbeReport }) {
  const lines = stepLines(report);
  const points = lines.flatMap((line) => line.points);
  if (points.length === 0) return <p className="none">No step has a cosine.</p>;
  const steps = report.vanilla.length;
  const every = Math.max(1, Math.ceil(steps / 12));
  const numbers = Array.from({ length: steps }, (_, i) => i + 1);
  const words = lines.map(({ label, points: own }) => {
    const [first, last] = [own[0], own[own.length - 1]];
    return first ? `${label} from ${decimal(first.y)} at step ${first.x} to ${decimal(last.y)} at step ${last.x}` : '';
  });
  return (
    <Figure
      id="probe-steps"
      title="Step by step"
      about="Mean cos_S_contrib of the samples of a step, which is one problem."
      description={`Mean cos_S_contrib over ${steps} steps: ${words.join('; ')}.`}
      x={{ low: 0.5, high: steps + 0.5, ticks: numbers.filter((step) => (step - 1) % every === 0) }}
      y={axisAround([0, ...points.map(({ y }) => y)])}
      xLabel="step"
      yLabel="mean cos_S_contrib"
      legend={lines}
      swatch={(item) => <Swatch entry={item} />}
      csv={() => stepsCsv(report)}
    >
      {(place) =>
        lines.map(({ id, label, style, points: own }) => (
          <g key={id}>
            <path
              d={own.map(({ x, y }, i) => `${i ? 'L' : 'M'}${place.x(x)} ${place.y(y)}`).join('')}
              fill="none"
              stroke={style.color}
              strokeWidth={2}
              strokeDasharray={style.dash}
            />
            {own.map(({ x, y }) => (
              <g key={x}>
                <title>{`${label}, step ${x}: ${decimal(y)}`}</title>
                <MarkerShape marker={style.marker} cx={place.x(x)} cy={place.y(y)} r={4} color={style.color} />
              </g>
            ))}
          </g>
        ))
      }
    </Figure>
  );
}
