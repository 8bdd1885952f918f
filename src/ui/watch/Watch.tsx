// What is happening now: progress, the cells of the arms × seeds grid, and the live charts.
import { lazy, Suspense } from 'react';
import { ARMS } from '../../experiments/spec/spec.ts';
import { termsOf } from '../../experiments/worlds/all-terms.ts';
import { showingOf } from '../../experiments/worlds/of-run.ts';
import { runsByArm } from '../../store/charts/data.ts';
import { moment } from '../../store/format.ts';
import { shownView } from '../../store/lab-state.ts';
import { placeInQueue } from '../../store/runs/queue.ts';
import type { ExperimentView } from '../../store/runs/view.ts';
import { useLab, useLabActions } from '../lab-context.ts';
import { Icon } from '../parts/Icon.tsx';
import { Empty, Section } from '../parts/Section.tsx';
import { Progress } from './Progress.tsx';
import { Queue } from './Queue.tsx';
import { RunCells } from './RunCells.tsx';

const ChartGrid = lazy(() => import('../charts/ChartGrid.tsx'));

export function Watch() {
  const view = useLab(shownView);
  const opened = useLab((state) => state.opened);
  const environment = useLab((state) => state.draft.fields.environment.trim());
  return (
    <Section
      id="watch"
      title="Watch"
      lead={
        view
          ? viewLead(view, opened !== null)
          : (termsOf(environment)?.loopholes ?? true)
            ? 'Two trajectories matter: how often the student hacks, and how often it solves.'
            : 'What training changes, step by step.'
      }
      actions={opened ? <BackToLive /> : null}
    >
      {opened ? null : <Progress />}
      <Queue />
      {view?.error ? (
        <div className="callout bad" role="alert">
          <p>
            <b>The experiment failed.</b> {view.error.message}
          </p>
          <p>{view.error.remedy}</p>
        </div>
      ) : null}
      {view?.status === 'stopped' ? <Stopped view={view} /> : null}
      {view ? <RunCells view={view} /> : null}
      {view && runsByArm(view.runs).size > 0 ? (
        <Suspense fallback={<div className="chart-wait">Loading the charts …</div>}>
          <ChartGrid view={view} />
        </Suspense>
      ) : (
        <Teach waiting={view !== null} environment={environment} />
      )}
    </Section>
  );
}

function viewLead(view: ExperimentView, opened: boolean): string {
  const { preset, arms, seeds } = view.spec;
  const names = arms.map((arm) => ARMS[arm]?.label ?? arm).join(', ');
  const when = opened ? `Kept run of ${moment(view.createdAt)}. ` : '';
  return `${when}Preset ${preset}: ${names}; ${seeds.length === 1 ? 'seed' : 'seeds'} ${seeds.join(', ')}.`;
}

function Stopped({ view }: { view: ExperimentView }) {
  const lab = useLabActions();
  const busy = useLab((state) => state.busy);
  const queued = useLab((state) => placeInQueue(state, view.id) !== null);
  return (
    <div className="callout slim stopped">
      <p>
        <b>Stopped.</b> It goes on from its last checkpoints, to the same bytes as if it had never stopped.
      </p>
      <button
        type="button"
        className="btn small"
        disabled={queued}
        title={busy ? 'Waits in the queue for the experiment in work' : undefined}
        onClick={() => void lab.resume(view.id)}
      >
        <Icon name="play" size={14} />
        {queued ? 'In the queue' : 'Go on'}
      </button>
    </div>
  );
}

function BackToLive() {
  const lab = useLabActions();
  const busy = useLab((state) => state.busy);
  const live = useLab((state) => state.live !== null);
  return (
    <button type="button" className="btn small" onClick={() => void lab.showLive()}>
      <Icon name={busy ? 'play' : 'close'} size={14} />
      {busy ? 'Back to the running experiment' : live ? 'Back to the last experiment' : 'Close'}
    </button>
  );
}

function Teach({ waiting, environment }: { waiting: boolean; environment: string }) {
  if (waiting) return <div className="chart-wait">The charts begin with the first step.</div>;
  const terms = termsOf(environment);
  if (terms && !terms.loopholes)
    return (
      <Empty title="Nothing has run yet">
        <p>
          <b>{terms.label}.</b> {showingOf(environment).lead}
        </p>
        <p>
          Press <b>Run</b>: its own small model, {terms.defaults('demo').settings.model}, comes with it.
        </p>
      </Empty>
    );
  return (
    <Empty title="Nothing has run yet">
      <ol className="steps">
        <li>
          <b>The loophole.</b> A small coder is trained by reinforcement on one-line Python problems whose graders each
          have one flaw. Some passes are solutions, others are hacks.
        </li>
        <li>
          <b>The basis.</b> A few labelled pairs, hack beside clean, give each layer a handful of directions that point
          hack-ward.
        </li>
        <li>
          <b>The arms.</b> <i>Vanilla</i> trains as usual. <i>Erase</i> drops the hack-ward part of every update.{' '}
          <i>Route</i> collects it in a quarantine, which deployment leaves out.
        </li>
      </ol>
      <p>
        The default experiment is filled in: press <b>Run</b>, and watch hack and solve part.
      </p>
    </Empty>
  );
}
