// The charts of an experiment: hack and solve side by side on one scale, then groups that can be folded. A lazy chunk, because it imports
// recharts.
import { useCallback, useDeferredValue, useMemo, useState } from 'react';
import { nothingLeftNote } from '../../experiments/analysis/compare.ts';
import { armLabel } from '../../experiments/analysis/names.ts';
import { profilesOf } from '../../experiments/environments/registry.ts';
import { AXES, type AxisName } from '../../store/charts/axis.ts';
import { legendOf } from '../../store/charts/data.ts';
import { type Metric, metricGroups, metricsFor } from '../../store/charts/metrics.ts';
import { pinnedLines } from '../../store/charts/pinned.ts';
import { chartSet } from '../../store/charts/set.ts';
import { BETA } from '../../store/charts/smoothing.ts';
import type { ExperimentView } from '../../store/experiment-view.ts';
import { Charts, useLook } from '../charts/Charts.tsx';
import { FULL_RANGE, Smoothing, ZoomSliders } from '../charts/Controls.tsx';
import type { PointOfRun } from '../charts/PointMenu.tsx';
import { ProfileChart } from '../charts/ProfileChart.tsx';
import { SharedCursor } from '../charts/shared-cursor.ts';
import { usePinnedGroups } from '../charts/use-pinned-groups.ts';
import { useLabActions } from '../lab-context.ts';
import { Button } from '../parts/Button.tsx';
import { Segmented } from '../parts/Choice.tsx';
import { lazyPart } from '../parts/lazy-part.tsx';
import { MetricHelp } from '../parts/MetricHelp.tsx';
import { goAfterRedraw, goTo } from '../parts/PlaceLink.tsx';

const RunMethod = lazyPart(() => import('../method/RunMethod.tsx'));
const RunLog = lazyPart(() => import('../charts/RunLog.tsx'), <p className="chart-wait">Loading …</p>);
const PointMenu = lazyPart(() => import('../charts/PointMenu.tsx'));
const Characters = lazyPart(() => import('../environments/characters/Characters.tsx'));
const Buffer = lazyPart(() => import('../environments/exit/Buffer.tsx'));

const ALONG = (['step', 'tokens', 'time'] as const).map((axis) => [axis, AXES[axis].label] as const);
/** Axes of runs without timings. */
const ALONG_TIMELESS = ALONG.filter(([axis]) => axis !== 'time');

interface ChartGridProps {
  view: ExperimentView;
  /** Whether the runs have no rollouts to open, because they are not stored in this browser. */
  reading?: boolean;
  /** Whether the view shows the running experiment. */
  isLive?: boolean;
}

export default function ChartGrid({ view, reading = false, isLive = false }: ChartGridProps) {
  const lab = useLabActions();
  const [beta, setBeta] = useState(BETA);
  const [hasChoices, setChoices] = useState(false);
  const [logOpen, setLogOpen] = useState(false);
  const { zoom, setZoom, hidden, toggle } = useLook();
  const [axis, setAxis] = useState<AxisName>('step');
  const [shared] = useState(() => new SharedCursor());
  // Deferred, so that input has priority over a redraw of all charts.
  const shown = useDeferredValue(view);
  const steps = Math.max(1, ...shown.planned.map((run) => run.steps));
  const environment = shown.planned[0]?.environment ?? '';
  const lines = useMemo(() => legendOf(shown.runs), [shown]);
  const groupsPinned = usePinnedGroups(shown.id, environment, shown.spec.fork);
  const pinned = useMemo(() => pinnedLines(groupsPinned, lines), [groupsPinned, lines]);
  const look = useDeferredValue(useMemo(() => ({ beta, zoom, hidden, pinned }), [beta, zoom, hidden, pinned]));
  const set = useMemo(() => chartSet(shown.runs, look.beta, axis, steps, look), [shown, look, axis, steps]);
  const all = metricGroups(environment);
  const profiles = profilesOf(environment);
  const [folded, setFolded] = useState(() => new Set<string>(all.filter(({ open }) => !open).map(({ id }) => id)));
  const [main, ...groups] = all;
  const openStep = useCallback(
    (runId: string, step: number) => {
      void lab.showRollouts(runId, step);
      goTo('rollouts');
    },
    [lab],
  );
  const [point, setPoint] = useState<PointOfRun | null>(null);
  const closeMenu = useCallback(() => setPoint(null), []);
  const actions = [
    { label: 'Open the rollouts', run: ({ runId, step }: PointOfRun) => openStep(runId, step) },
    {
      label: 'Fork here',
      run: async ({ runId, step }: PointOfRun) => {
        if (await lab.fork(runId, step)) goAfterRedraw('configure');
      },
    },
  ];
  // Charts are drawn one after another, in the order of the page.
  const order = all.flatMap(({ metrics }) => metrics);
  const turnOf = (metric: Metric) => order.indexOf(metric) + 1;
  const draw = (metrics: readonly Metric[], tall: boolean) => (
    <Charts
      {...{ metrics, set, shared, tall, turnOf }}
      onOpen={reading ? null : openStep}
      onMenu={reading ? null : setPoint}
      onZoom={setZoom}
      onToggle={toggle}
    />
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
        <div className="chart-quiet">
          {zoom === FULL_RANGE ? null : <Button label="Reset zoom" onClick={() => setZoom(FULL_RANGE)} />}
          <Button
            label="Chart settings"
            tone="quiet"
            aria-expanded={hasChoices}
            onClick={() => setChoices(!hasChoices)}
          />
        </div>
        {hasChoices ? (
          <div className="chart-choices">
            <Segmented
              legend="Along the axis"
              options={reading ? ALONG_TIMELESS : ALONG}
              value={axis}
              onChange={setAxis}
            />
            <Smoothing value={beta} onChange={setBeta} />
            <ZoomSliders value={zoom} onChange={setZoom} />
          </div>
        ) : null}
      </div>
      {shown.runs.map((run) => {
        const note = run.status === 'running' ? nothingLeftNote(run, armLabel(run.spec.arm)) : null;
        return note ? (
          <p key={run.id} className="muted note">
            {note}
          </p>
        ) : null;
      })}
      {draw(main.metrics, true)}
      {reading ? null : <RunMethod view={view} isLive={isLive} shared={shared} axis={axis} />}
      {point ? <PointMenu point={point} actions={actions} onClose={closeMenu} /> : null}
      <p className="muted note">
        Dots beyond the last step: the final evaluation on unseen problems. Lines:{' '}
        {beta > 0 ? `smoothed (β ${beta.toFixed(2)})` : 'not smoothed'}. Bands: 95% t interval of the mean, from 3 seeds
        on. Drag along a chart to zoom all.
      </p>
      {profiles.length > 0 ? (
        <div className="charts two">
          {profiles.map((profile) => (
            <ProfileChart key={profile.id} profile={profile} view={shown} />
          ))}
        </div>
      ) : null}
      {environment === 'characters' ? <Characters view={shown} reading={reading} /> : null}
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
      {!reading && shown.planned.some(({ starts = 'tasks' }) => starts !== 'tasks') ? <Buffer view={shown} /> : null}
      <details className="chart-group" open={logOpen} onToggle={(event) => setLogOpen(event.currentTarget.open)}>
        <summary>
          <h3>Text log</h3>
          <span className="muted">a line a step</span>
        </summary>
        {logOpen ? <RunLog runs={shown.runs} /> : null}
      </details>
    </>
  );
}
