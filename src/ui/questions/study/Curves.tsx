// Learning curves of a question, hack and solve on one scale: each trained line's mean over seeds, ± one standard deviation as a band.
// A line can be hidden, its number is the table's.
import { useMemo, useState } from 'react';
import type { QuestionId } from '../../../experiments/kinds/study/types.ts';
import { axisOf } from '../../../store/findings/axis.ts';
import { CURVE_BETA, type Curve } from '../../../store/kinds/study/curves.ts';
import { Swatch } from '../../charts/Legend.tsx';
import { MarkerShape } from '../../charts/MarkerShape.tsx';
import { Frame } from '../Frame.tsx';
import { point } from '../words.tsx';
import { useQuestions, useQuestionsActions } from './use-questions.ts';

const HEIGHT = 260;
const PAD = { left: 46, right: 14, top: 10, bottom: 38 };
/** Drawn at first; of more lines nobody could read any. */
const FEW = 5;

export function Curves({ id: question }: { id: QuestionId }) {
  const actions = useQuestionsActions();
  const round = useQuestions((state) => state.round);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs that come give other curves
  const [hack, solve] = useMemo(
    () => [actions.curves(question, 'hack'), actions.curves(question, 'solve')],
    [actions, question, round],
  );
  const [hidden, setHidden] = useState<ReadonlySet<string>>(() => new Set(hack.slice(FEW).map(({ id }) => id)));
  if (hack.length === 0) return null;
  const toggle = (id: string) => {
    const next = new Set(hidden);
    if (!next.delete(id)) next.add(id);
    setHidden(next);
  };
  return (
    <figure className="question-chart" data-testid={`curves-${question}`}>
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
  if (curves.length === 0) return <div className="plot" style={{ height: HEIGHT }} />;
  const all = curves.flatMap(({ points }) => points);
  const end = Math.max(...all.map(({ step }) => step));
  const { ticks, ...ends } = axisOf(
    all.map(({ mean, sd }) => Math.min(1, mean + (sd ?? 0))),
    { low: 0 },
  );
  const steps = [...new Set([1, Math.round((end + 1) / 2), end])];
  const said = curves.map(({ number, label, points }) => `${number}, ${label}: ${point(points.at(-1)?.mean ?? 0)}%`);
  return (
    <Frame
      height={HEIGHT}
      pad={PAD}
      description={`${name} along the steps. At the end ${said.join('; ')}`}
      x={{
        label: `${name}, step`,
        low: 1,
        high: Math.max(2, end),
        ticks: steps.map((at) => ({ at, text: String(at) })),
      }}
      y={{ label: '', ...ends, ticks: ticks.map((at) => ({ at, text: `${Math.round(100 * at)}%` })) }}
    >
      {({ x: px, y }) => {
        const py = (value: number) => y(Math.min(ends.high, Math.max(0, value)));
        return (
          <>
            {curves.map(({ id, style, points }) => (
              <path key={id} className="curve-band" d={bandPath(points, px, py)} fill={style.color} />
            ))}
            {curves.map((curve) => (
              <Line key={curve.id} curve={curve} px={px} py={py} />
            ))}
          </>
        );
      }}
    </Frame>
  );
}

type To = (value: number) => number;

function Line({ curve: { id, style, points }, px, py }: { curve: Curve; px: To; py: To }) {
  const { marker, color, hollow, dash } = style;
  return (
    <g data-curve={id}>
      <path
        className="curve"
        d={points.map(({ step, mean }, i) => `${i ? 'L' : 'M'}${px(step)} ${py(mean)}`).join('')}
        stroke={color}
        strokeDasharray={dash}
      />
      {points
        .filter((_, i) => i % Math.max(1, Math.ceil(points.length / 5)) === 0)
        .map(({ step, mean }) => (
          <MarkerShape key={step} {...{ marker, color, hollow, cx: px(step), cy: py(mean), r: 3.2 }} />
        ))}
    </g>
  );
}

/** Along the upper edge and back along the lower; nothing where one seed has no spread. */
function bandPath(points: Curve['points'], px: To, py: To): string {
  const wide = points.filter(({ sd }) => sd !== null);
  if (wide.length < 2) return '';
  const upper = wide.map(({ step, mean, sd }) => `${px(step)} ${py(mean + (sd as number))}`);
  const lower = wide.map(({ step, mean, sd }) => `${px(step)} ${py(mean - (sd as number))}`).reverse();
  return `M${[...upper, ...lower].join('L')}Z`;
}
