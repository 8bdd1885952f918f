// A figure of lines over steps, each with its own colour, dash and marker.

import { type Axis, axisAround } from '../../lib/axis.ts';
import { decimal } from '../../lib/numbers.ts';
import { plotAxis } from '../../lib/plot.ts';
import type { StepLine } from '../../store/charts/data.ts';
import { LineMark } from './marks.tsx';
import { PlotFigure } from './PlotFigure.tsx';

export interface StepFigureProps {
  id: string;
  title: string;
  about: string;
  yLabel: string;
  lines: readonly StepLine[];
  steps: number;
  /** The first step, which is 0 if the model is evaluated before training. */
  from?: 0 | 1;
  /** If absent, the axis spans the values and 0. */
  y?: Axis;
  /** The step whose values a decision rule reads, drawn as a vertical line. */
  mark?: { step: number; label: string };
  csv: () => string;
}

/** Maximum number of intervals into which ticks divide the steps. */
const MOST = 12;

export function StepFigure({ id, title, about, yLabel, lines, steps, from = 1, y, mark, csv }: StepFigureProps) {
  const values = lines.flatMap(({ points }) => points.map((point) => point.y));
  if (values.length === 0) return <p className="none">{title}: no step has a value.</p>;
  const every = Math.max(1, Math.ceil(steps / MOST));
  const ticks = Array.from({ length: Math.floor((steps - from) / every) + 1 }, (_, i) => from + i * every);
  const words = lines.map(({ label, points }) => {
    const [first, last] = [points[0], points[points.length - 1]];
    return first ? `${label} from ${decimal(first.y)} at step ${first.x} to ${decimal(last.y)} at step ${last.x}` : '';
  });
  return (
    <PlotFigure
      {...{ id, title, about, csv }}
      description={`${yLabel} over ${steps} steps: ${words.join('; ')}.`}
      x={{ ...plotAxis('step', { low: from, high: Math.max(from + 1, steps), ticks }), inset: 12 }}
      y={plotAxis(yLabel, y ?? axisAround([0, ...values]))}
      legend={lines}
    >
      {(place) => (
        <>
          {mark && mark.step <= steps ? (
            <path
              d={`M${place.x(mark.step)} ${place.top}V${place.bottom}`}
              stroke="var(--ink-3)"
              strokeDasharray="2 4"
              aria-label={mark.label}
            >
              <title>{mark.label}</title>
            </path>
          ) : null}
          {lines.map(({ id: line, label, style, points }) => (
            <g key={line}>
              <LineMark {...{ points, style, place }} words={(at) => `${label}, step ${at.x}: ${decimal(at.y)}`} />
            </g>
          ))}
        </>
      )}
    </PlotFigure>
  );
}
