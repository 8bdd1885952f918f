// Learning curves of a question, hack and solve on one scale: each trained line's mean over seeds, its 95% t interval as a band.
// A line can be hidden, its number is the table's.
import { useMemo, useState } from 'react';
import type { QuestionId } from '../../../../research/series/study/types.ts';
import { axisAround } from '../../../lib/axis.ts';
import { percent } from '../../../lib/numbers.ts';
import { type Place, plotAxis } from '../../../lib/plot.ts';
import { BETA } from '../../../store/charts/smoothing.ts';
import type { Curve } from '../../../store/kinds/study/curves.ts';
import { BandMark, LineMark } from '../../charts/marks.tsx';
import { Plot } from '../../charts/Plot.tsx';
import { ChartFigure } from '../../charts/PlotFigure.tsx';
import { useQuestions, useQuestionsActions } from '../../lab-context.ts';

const HEIGHT = 260;
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
  return (
    <ChartFigure
      id={`curves-${question}`}
      title="Learning curves"
      about={`Live rollouts of each training step, debiased moving average (β = ${BETA}) seed by seed, then the mean over seeds; band: its 95% t interval, from 3 seeds on. Not the final evaluation of the table.`}
      legend={hack}
      hidden={hidden}
      onHidden={setHidden}
    >
      <div className="question-panels">
        <Panel name="hack" curves={hack.filter(({ id }) => !hidden.has(id))} />
        <Panel name="solve" curves={solve.filter(({ id }) => !hidden.has(id))} />
      </div>
    </ChartFigure>
  );
}

function Panel({ name, curves }: { name: string; curves: readonly Curve[] }) {
  if (curves.length === 0) return <div style={{ height: HEIGHT }} />;
  const all = curves.flatMap(({ points }) => points);
  const end = Math.max(...all.map(({ step }) => step));
  const shares = axisAround(
    all.map(({ mean, half }) => Math.min(1, mean + (half ?? 0))),
    { low: 0, least: 0.1 },
  );
  const steps = [...new Set([1, Math.round((end + 1) / 2), end])];
  const said = curves.map(({ number, label, points }) => `${number}, ${label}: ${percent(points.at(-1)?.mean ?? 0)}`);
  return (
    <Plot
      height={HEIGHT}
      description={`${name} along the steps. At the end ${said.join('; ')}`}
      x={plotAxis(`${name}, step`, { low: 1, high: Math.max(2, end), ticks: steps })}
      y={plotAxis('', shares, (at) => `${Math.round(100 * at)}%`)}
    >
      {(whole) => {
        const place = { ...whole, y: (value: number) => whole.y(Math.min(shares.high, Math.max(0, value))) };
        return curves.map((curve) => <Line key={curve.id} curve={curve} place={place} />);
      }}
    </Plot>
  );
}

function Line({ curve: { id, label, style, points }, place }: { curve: Curve; place: Place }) {
  const edges = points.flatMap(({ step, mean, half }) =>
    half === null ? [] : [{ x: step, low: mean - half, high: mean + half }],
  );
  return (
    <g data-curve={id}>
      <BandMark edges={edges} color={style.color} place={place} />
      <LineMark
        points={points.map(({ step, mean }) => ({ x: step, y: mean }))}
        {...{ style, place, r: 3.2 }}
        every={Math.max(1, Math.ceil(points.length / 5))}
        words={({ x, y }) => `${label}, step ${x}: ${percent(y)}`}
      />
    </g>
  );
}
