// The charts of an experiment: hack and solve side by side on one scale, then groups that can be folded away.
// A lazy chunk of its own, because it brings recharts with it.
import { useCallback, useDeferredValue, useMemo, useState } from 'react';
import { AXES, type AxisName } from '../../store/charts/axis.ts';
import { type Metric, metricGroups, metricsFor } from '../../store/charts/metrics.ts';
import { type ChartSet, chartSet } from '../../store/charts/set.ts';
import type { ExperimentView } from '../../store/runs/view.ts';
import { useLabActions } from '../lab-context.ts';
import { MetricHelp } from '../parts/MetricHelp.tsx';
import { goTo } from '../parts/PlaceLink.tsx';
import { Legend } from './Legend.tsx';
import { TrendChart } from './TrendChart.tsx';

const SMOOTHING = [
  { label: 'off', value: 0 },
  { label: 'light', value: 0.6 },
  { label: 'strong', value: 0.85 },
] as const;
const ALONG = (['step', 'tokens', 'time'] as const).map((value) => ({ label: AXES[value].label, value }));
/** Of runs without timings. */
const ALONG_TIMELESS = ALONG.filter(({ value }) => value !== 'time');

/** @param reading the runs have no rollouts to open (they are not kept in this browser). */
export default function ChartGrid({ view, reading = false }: { view: ExperimentView; reading?: boolean }) {
  const lab = useLabActions();
  const [beta, setBeta] = useState<number>(SMOOTHING[1].value);
  const [axis, setAxis] = useState<AxisName>('step');
  // A redraw of all charts may wait for the hand on the keyboard.
  const shown = useDeferredValue(view);
  const steps = Math.max(1, ...shown.planned.map((run) => run.steps));
  const set = useMemo(() => chartSet(shown.runs, beta, axis, steps), [shown, beta, axis, steps]);
  const all = metricGroups(shown.planned[0]?.environment ?? '');
  const [folded, setFolded] = useState(() => new Set<string>(all.filter(({ open }) => !open).map(({ id }) => id)));
  const [main, ...groups] = all;
  const smoothing = SMOOTHING.find(({ value }) => value === beta)?.label;
  const openStep = useCallback(
    (runId: string, step: number) => {
      void lab.showRollouts(runId, step);
      goTo('rollouts');
    },
    [lab],
  );
  // Charts are drawn one after another, in the order of the page.
  const order = all.flatMap(({ metrics }) => metrics);
  const turnOf = (metric: Metric) => order.indexOf(metric) + 1;
  const draw = (metrics: readonly Metric[], tall: boolean) => (
    <Charts {...{ metrics, set, tall, onOpen: reading ? null : openStep, turnOf }} />
  );

  function fold(id: string, open: boolean): void {
    const next = new Set(folded);
    if (open) next.delete(id);
    else next.add(id);
    setFolded(next);
  }

  return (
    <>
      <div className="chart-bar">
        <Legend entries={set.legend} />
        <div className="chart-choices">
          <Segmented
            name="along"
            legend="Along the axis"
            options={reading ? ALONG_TIMELESS : ALONG}
            value={axis}
            onChange={setAxis}
          />
          <Segmented name="smoothing" legend="Smoothing" options={SMOOTHING} value={beta} onChange={setBeta} />
        </div>
      </div>
      <p className="muted note">
        Figures at the charts: {beta > 0 ? `the last point, smoothed (${smoothing})` : 'the last point, not smoothed'}.
        The table has the final evaluation.
      </p>
      {draw(main.metrics, true)}
      {groups.map((group) => {
        const metrics = metricsFor(shown.runs, group);
        return metrics.length === 0 ? null : (
          <details
            key={group.id}
            className="chart-group"
            open={!folded.has(group.id)}
            onToggle={(event) => fold(group.id, event.currentTarget.open)}
          >
            <summary>
              <h3>{group.title}</h3>
              <span className="muted">{metrics.map((metric) => metric.title).join(', ')}</span>
            </summary>
            {folded.has(group.id) ? null : (
              <>
                {draw(metrics, false)}
                {group.id === 'rollouts' ? <MetricHelp id="loss" name="the loss" text="Why is the loss 0?" /> : null}
              </>
            )}
          </details>
        );
      })}
    </>
  );
}

interface ChartsProps {
  metrics: readonly Metric[];
  set: ChartSet;
  tall: boolean;
  turnOf: (metric: Metric) => number;
  onOpen: ((runId: string, step: number) => void) | null;
}

function Charts({ metrics, turnOf, ...props }: ChartsProps) {
  return (
    <div className={`charts ${metrics.length % 3 === 0 ? 'three' : 'two'}`}>
      {metrics.map((metric) => (
        <TrendChart key={metric.id} metric={metric} turn={turnOf(metric)} {...props} />
      ))}
    </div>
  );
}

interface SegmentedProps<T> {
  name: string;
  legend: string;
  options: readonly { label: string; value: T }[];
  value: T;
  onChange: (value: T) => void;
}

function Segmented<T extends string | number>({ name, legend, options, value, onChange }: SegmentedProps<T>) {
  return (
    <fieldset className="segmented">
      <legend>{legend}</legend>
      {options.map((option) => (
        <label key={option.label}>
          <input type="radio" name={name} checked={value === option.value} onChange={() => onChange(option.value)} />
          <span>{option.label}</span>
        </label>
      ))}
    </fieldset>
  );
}
