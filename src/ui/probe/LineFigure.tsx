// Lines over steps, each with a colour, a dash and a marker of its own.
import { decimal } from '../../store/format.ts';
import { axisAround, type StepLine } from '../../store/kinds/probe/chart.ts';
import { Swatch } from '../charts/Legend.tsx';
import { MarkerShape } from '../charts/MarkerShape.tsx';
import { Figure } from './Figure.tsx';

interface LineFigureProps {
  id: string;
  title: string;
  about: string;
  yLabel: string;
  lines: readonly StepLine[];
  steps: number;
  /** A step that a rule reads its figures at. */
  mark?: { step: number; label: string };
  csv: () => string;
}

export function LineFigure({ id, title, about, yLabel, lines, steps, mark, csv }: LineFigureProps) {
  const points = lines.flatMap((line) => line.points);
  if (points.length === 0) return <p className="none">{title}: no step has a figure.</p>;
  const every = Math.max(1, Math.ceil(steps / 12));
  const numbers = Array.from({ length: steps }, (_, i) => i + 1);
  const words = lines.map(({ label, points: own }) => {
    const [first, last] = [own[0], own[own.length - 1]];
    return first ? `${label} from ${decimal(first.y)} at step ${first.x} to ${decimal(last.y)} at step ${last.x}` : '';
  });
  return (
    <Figure
      id={id}
      title={title}
      about={about}
      description={`${yLabel} over ${steps} steps: ${words.join('; ')}.`}
      x={{ low: 0.5, high: steps + 0.5, ticks: numbers.filter((step) => (step - 1) % every === 0) }}
      y={axisAround([0, ...points.map(({ y }) => y)])}
      xLabel="step"
      yLabel={yLabel}
      legend={lines}
      swatch={(item) => <Swatch entry={item} />}
      csv={csv}
    >
      {(place) => (
        <>
          {mark && mark.step <= steps ? (
            <path
              d={`M${place.x(mark.step)} 12V240`}
              stroke="var(--ink-3)"
              strokeDasharray="2 4"
              aria-label={mark.label}
            >
              <title>{mark.label}</title>
            </path>
          ) : null}
          {lines.map(({ id: line, label, style, points: own }) => (
            <g key={line}>
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
          ))}
        </>
      )}
    </Figure>
  );
}
