// Learning curves of a question, hack and solve on one scale: each trained line's mean over seeds, ± one standard deviation as a band.
// Plain SVG at the width that the page gives; a line can be hidden, its number is the table's.
import { useMemo, useState } from 'react';
import { axisOf } from '../../store/kinds/study/chart.ts';
import { CURVE_BETA, type Curve } from '../../store/kinds/study/curves.ts';
import type { ShownSheet } from '../../store/kinds/study/state.ts';
import { Swatch } from '../charts/Legend.tsx';
import { MarkerShape } from '../charts/MarkerShape.tsx';
import { useWidth } from '../parts/use-width.ts';
import { useQuestions, useQuestionsActions } from './use-questions.ts';
import { point } from './words.tsx';

const HEIGHT = 260;
const PAD = { left: 46, right: 14, top: 10, bottom: 38 };
/** Drawn at first; of more lines nobody could read any. */
const FEW = 5;

export function Curves({ sheet }: { sheet: ShownSheet }) {
  const actions = useQuestionsActions();
  const round = useQuestions((state) => state.round);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs that come give other curves
  const [hack, solve] = useMemo(
    () => [actions.curves(sheet, 'hack'), actions.curves(sheet, 'solve')],
    [actions, sheet, round],
  );
  const [hidden, setHidden] = useState<ReadonlySet<string>>(() => new Set(hack.slice(FEW).map(({ id }) => id)));
  if (hack.length === 0) return null;
  const toggle = (id: string) => {
    const next = new Set(hidden);
    if (!next.delete(id)) next.add(id);
    setHidden(next);
  };
  return (
    <figure className="question-chart" data-testid={`curves-${sheet.question.id}`}>
      <figcaption>
        <h3>Learning curves</h3>
        <p>
          Student rollouts of each training step, debiased moving average (β = {CURVE_BETA}) seed by seed, then mean
          over seeds; band: ± one standard deviation over seeds. Not the final evaluation of the table.
        </p>
      </figcaption>
      <div className="question-panels">
        <Panel name="hack" curves={hack.filter(({ id }) => !hidden.has(id))} />
        <Panel name="solve" curves={solve.filter(({ id }) => !hidden.has(id))} />
      </div>
      <ul className="legend curve-legend" aria-label="Lines of these curves">
        {hack.map(({ id, number, label, style, n }) => (
          <li key={id}>
            <label>
              <input type="checkbox" checked={!hidden.has(id)} onChange={() => toggle(id)} />
              <span className="question-number num">{number}</span>
              <Swatch entry={{ style }} />
              <span>{label}</span>
              <span className="muted num">n = {n}</span>
            </label>
          </li>
        ))}
      </ul>
    </figure>
  );
}

function Panel({ name, curves }: { name: string; curves: readonly Curve[] }) {
  const [box, width] = useWidth();
  return (
    <div ref={box} className="plot" style={{ height: HEIGHT }}>
      {width > 0 && curves.length > 0 ? <Drawing name={name} curves={curves} width={width} /> : null}
    </div>
  );
}

function Drawing({ name, curves, width }: { name: string; curves: readonly Curve[]; width: number }) {
  const all = curves.flatMap(({ points }) => points);
  const end = Math.max(...all.map(({ step }) => step));
  const y = axisOf(
    all.map(({ mean, sd }) => Math.min(1, mean + (sd ?? 0))),
    { low: 0 },
  );
  const [right, bottom] = [width - PAD.right, HEIGHT - PAD.bottom];
  const px = (step: number) => PAD.left + ((step - 1) / Math.max(1, end - 1)) * (right - PAD.left);
  const py = (value: number) =>
    bottom - ((Math.min(y.high, Math.max(0, value)) - y.low) / (y.high - y.low)) * (bottom - PAD.top);
  const said = curves.map(({ number, label, points }) => `${number}, ${label}: ${point(points.at(-1)?.mean ?? 0)}%`);
  return (
    <svg width={width} height={HEIGHT} role="img" aria-label={`${name} along the steps. At the end ${said.join('; ')}`}>
      <g className="plot-axis">
        {y.ticks.map((tick) => (
          <g key={tick}>
            <line x1={PAD.left} x2={right} y1={py(tick)} y2={py(tick)} className="plot-grid" />
            <text x={PAD.left - 7} y={py(tick) + 4} textAnchor="end">
              {Math.round(100 * tick)}%
            </text>
          </g>
        ))}
        {[1, Math.round((end + 1) / 2), end].map((step) => (
          <text key={step} x={px(step)} y={bottom + 16} textAnchor="middle">
            {step}
          </text>
        ))}
        <text x={(PAD.left + right) / 2} y={HEIGHT - 6} textAnchor="middle" className="plot-title">
          {name}, step
        </text>
      </g>
      {curves.map(({ id, style, points }) => (
        <path key={id} className="curve-band" d={bandPath(points, px, py)} fill={style.color} />
      ))}
      {curves.map(({ id, style, points }) => (
        <g key={id} data-curve={id}>
          <path
            className="curve"
            d={points.map(({ step, mean }, i) => `${i ? 'L' : 'M'}${px(step)} ${py(mean)}`).join('')}
            stroke={style.color}
            strokeDasharray={style.dash}
          />
          {points
            .filter((_, i) => i % Math.max(1, Math.ceil(points.length / 5)) === 0)
            .map(({ step, mean }) => (
              <MarkerShape
                key={step}
                marker={style.marker}
                cx={px(step)}
                cy={py(mean)}
                r={3.2}
                color={style.color}
                hollow={style.hollow}
              />
            ))}
        </g>
      ))}
    </svg>
  );
}

/** Along the upper edge and back along the lower; nothing where one seed has no spread. */
function bandPath(points: Curve['points'], px: (step: number) => number, py: (value: number) => number): string {
  const wide = points.filter(({ sd }) => sd !== null);
  if (wide.length < 2) return '';
  const upper = wide.map(({ step, mean, sd }) => `${px(step)} ${py(mean + (sd as number))}`);
  const lower = wide.map(({ step, mean, sd }) => `${px(step)} ${py(mean - (sd as number))}`).reverse();
  return `M${[...upper, ...lower].join('L')}Z`;
}
