// The running experiment: its progress, the cells of the arms × seeds grid, and the live charts.
import { lazy, memo, Suspense, useDeferredValue } from 'react';
import { ARMS } from '../../experiments/config/arms.ts';
import { capabilitiesOf } from '../../experiments/config/environments.ts';
import { findEnvironment } from '../../experiments/environments/registry.ts';
import { moment } from '../../lib/numbers.ts';
import type { ExperimentView } from '../../store/experiment-view.ts';
import { runName } from '../../store/kinds/kinds.ts';
import { shownView } from '../../store/lab-state.ts';
import { placeInQueue } from '../../store/queue.ts';
import { OtherPreset, Published } from '../first/Published.tsx';
import { useDemo, usePublishedOnShow } from '../first/use-demo.ts';
import { useLab, useLabActions } from '../lab-context.ts';
import { Tour } from '../learn/Tour.tsx';
import { Button } from '../parts/Button.tsx';
import { lazyPart } from '../parts/lazy-part.tsx';
import { ViewLink } from '../parts/links.tsx';
import { Section } from '../parts/Section.tsx';
import { loadCells, loadCharts, loadHeadline, loadQueue } from './begin.ts';
import { Intro } from './Intro.tsx';
import { Progress } from './Progress.tsx';

const ChartGrid = lazy(loadCharts);
// These parts are lazy because they have nothing to show before the first experiment.
const Headline = lazyPart(loadHeadline);
const Queue = lazyPart(loadQueue);
const RunCells = lazyPart(loadCells);
const PublishedFinding = lazyPart(() => import('../first/PublishedFinding.tsx'));

export function Watch() {
  // Deferred, so that the page responds to a press of Run first. Progress and buttons are not delayed.
  const view = useDeferredValue(useLab(shownView));
  const opened = useLab((state) => state.opened);
  const busy = useLab((state) => state.busy);
  const hasQueue = useLab((state) => state.queue.length > 0);
  const environment = useLab((state) => state.draft.fields.environment.trim());
  // The tour explains hacks and the basis that removes them.
  const hasTour = capabilitiesOf(view?.planned[0].environment ?? environment)?.loopholes !== false;
  const about = findEnvironment(environment)?.card.about ?? null;
  // The cells are above the charts only if they offer an action, that is, if there are unfinished runs while nothing trains.
  const isBelow = view?.result != null || busy;
  return (
    <Section
      id="watch"
      title="Watch"
      isSlim={busy && opened === null}
      lead={view ? viewLead(view, opened !== null) : about}
      actions={opened ? <BackToLive /> : null}
    >
      {hasTour ? <Tour isOffered={view === null && !busy} /> : null}
      {opened ? null : <Progress />}
      {hasQueue ? <Queue /> : null}
      {view?.error ? (
        <div className="callout bad" role="alert">
          <p>
            <b>The experiment failed.</b> {view.error.message}
          </p>
          <p>{view.error.remedy}</p>
        </div>
      ) : null}
      {view?.status === 'stopped' ? <Stopped view={view} /> : null}
      {view ? <Headline view={view} isLive={opened === null} /> : null}
      {view && !isBelow ? <RunCells view={view} /> : null}
      {view && view.runs.length > 0 ? (
        <Suspense fallback={<div className="chart-wait">Loading the charts …</div>}>
          <ChartGrid view={view} isLive={opened === null} />
        </Suspense>
      ) : (
        <Start waiting={view !== null || busy} environment={environment} />
      )}
      {view && isBelow ? <RunCells view={view} /> : null}
    </Section>
  );
}

function viewLead(view: ExperimentView, opened: boolean): string {
  const { preset, arms, seeds, fork } = view.spec;
  const names = arms.map((arm) => ARMS[arm]?.label ?? arm).join(', ');
  const begun = fork ? `; fork of ${ARMS[fork.arm].label} at step ${fork.step}` : '';
  const when = opened ? `Kept run of ${moment(view.createdAt)}. ` : '';
  return `${when}Preset ${preset}: ${names}; ${seeds.length === 1 ? 'seed' : 'seeds'} ${seeds.join(', ')}${begun}.`;
}

function Stopped({ view }: { view: ExperimentView }) {
  const lab = useLabActions();
  const busy = useLab((state) => state.busy);
  const queued = useLab((state) => placeInQueue(state, view.id) !== null);
  return (
    <div className="callout slim stopped">
      <p>
        <b>Stopped.</b> Resume continues from the last checkpoints. The result is the same to the last bit.
      </p>
      <Button
        icon="play"
        label={queued ? 'In the queue' : 'Resume'}
        disabled={queued}
        title={busy ? 'Waits in the queue until the running experiment ends' : undefined}
        onClick={() => void lab.resume(view.id)}
      />
    </div>
  );
}

function BackToLive() {
  const lab = useLabActions();
  const busy = useLab((state) => state.busy);
  const live = useLab((state) => state.live !== null);
  return (
    <Button
      icon={busy ? 'open' : 'close'}
      label={busy ? 'Back to the running experiment' : live ? 'Back to the last experiment' : 'Close'}
      onClick={() => void lab.showLive()}
    />
  );
}

/** Shown before the first run: the finished demo of the chosen environment, and what the chosen arms do. */
const Before = memo(function Before({ environment }: { environment: string }) {
  const demo = useDemo(environment);
  const onShow = usePublishedOnShow();
  const preset = useLab((state) => state.draft.preset);
  const hasShared = useLab((state) => state.shared !== null);
  return (
    <>
      <LastKept />
      {onShow ? (
        <Published demo={onShow} />
      ) : demo && !hasShared ? (
        <OtherPreset of={demo} preset={preset} />
      ) : demo === undefined ? (
        <div className="chart-wait">Loading a finished run …</div>
      ) : hasShared ? null : (
        <PublishedFinding environment={environment} />
      )}
      <Intro environment={environment} />
    </>
  );
});

function LastKept() {
  const lab = useLabActions();
  const last = useLab((state) => state.kept.run.find(({ status }) => status === 'done'));
  if (!last) return null;
  return (
    <p className="last-kept">
      Your last finished run: <b>{runName(last)}</b>, {moment(last.createdAt)}.{' '}
      <Button icon="open" label="Open it" onClick={() => void lab.open(last.id)} />{' '}
      <ViewLink view="kept">All of them</ViewLink>
    </p>
  );
}

function Start({ waiting, environment }: { waiting: boolean; environment: string }) {
  return useDeferredValue(waiting) ? (
    <div className="chart-wait">The charts begin with the first step.</div>
  ) : (
    <Before environment={environment} />
  );
}
