// Share of runs that passed within a budget, over the runs played since this view was opened.

import { COSTS, type CostId } from '@projected-grpo-lab/are/agents/budget.ts';
import { useState } from 'react';
import { axisAround } from '../../lib/axis.ts';
import { percent } from '../../lib/numbers.ts';
import { plotAxis } from '../../lib/plot.ts';
import { budgetLines, costsCsv } from '../../store/agents/budget.ts';
import { LineMark } from '../charts/marks.tsx';
import { PlotFigure } from '../charts/PlotFigure.tsx';
import { Chips } from '../parts/Choice.tsx';
import { Section } from '../parts/Section.tsx';
import { useAre } from './use-are.ts';

const WORDS: Readonly<Record<CostId, { chip: string; axis: string }>> = {
  calls: { chip: 'calls', axis: 'calls of the model; without a model, actions' },
  tokens: { chip: 'tokens', axis: 'tokens read and written' },
  seconds: { chip: 'simulated time', axis: 'simulated seconds' },
};

export default function Budget() {
  const costs = useAre((state) => state.costs);
  const [cost, setCost] = useState<CostId>('calls');
  const lines = budgetLines(costs, cost);
  const ends = lines.map(({ label, n, points }) => `${label} ${percent(points[points.length - 1].y, 0)} of ${n}`);
  return (
    <Section
      id="budget"
      title="Success within a budget"
      lead="Share of runs that passed within a cost. Counts runs since this view was opened, without edits or noise."
    >
      <Chips
        legend="Cost"
        options={COSTS.map((one) => [one, WORDS[one].chip] as const)}
        value={cost}
        onChange={setCost}
      />
      {lines.length === 0 ? (
        <p className="muted">No agent with a model has played.</p>
      ) : (
        <PlotFigure
          id="are-budget"
          title={`Passed, by ${WORDS[cost].chip}`}
          about="Runs that failed count at any cost. n: runs; scenarios of different agents need not be the same."
          description={`Share of runs that passed, by ${WORDS[cost].axis}: ${ends.join('; ')}.`}
          x={plotAxis(WORDS[cost].axis, axisAround([0, ...lines.flatMap(({ points }) => points.map(({ x }) => x))]))}
          y={plotAxis('share passed', { low: 0, high: 1, ticks: [0, 0.25, 0.5, 0.75, 1] })}
          legend={lines}
          csv={() => costsCsv(costs)}
        >
          {(place) =>
            lines.map(({ id, style, points }) => <LineMark key={id} {...{ points, style, place }} every={0} />)
          }
        </PlotFigure>
      )}
    </Section>
  );
}
