// The page and its views. The lab has the form on the left and the experiment on the right; a phone has one column.
import { type ComponentType, lazy, Suspense, useCallback, useDeferredValue, useEffect, useState } from 'react';
import { shownView } from '../store/lab-state.ts';
import { lacksRealModel } from '../store/models/follow-environment.ts';
import { linksToRollout } from '../store/rollouts/link.ts';
import { Configure } from './configure/Configure.tsx';
import { QuestionList } from './first/QuestionList.tsx';
import { Header } from './Header.tsx';
import { ResumeOffer } from './keep/ResumeOffer.tsx';
import { useLab, useLabActions } from './lab-context.ts';
import { Navigation, Tabs } from './Navigation.tsx';
import { DropTarget } from './parts/DropTarget.tsx';
import { LOADING, lazyPart } from './parts/lazy-part.tsx';
import { Notices } from './parts/Notices.tsx';
import { PlaceLink } from './parts/PlaceLink.tsx';
import { useUnknownView, useView, type View, viewInfo } from './parts/view.ts';
import { loadEarly, loadResults, loadRollouts, loadRunStrip } from './watch/begin.ts';
import { Watch } from './watch/Watch.tsx';

const RealModel = lazyPart(() => import('./first/RealModel.tsx'));
const SharedRun = lazyPart(
  () => import('./share/SharedRun.tsx'),
  <div className="chart-wait">Loading the shared run …</div>,
);
const RunStrip = lazyPart(loadRunStrip);
const NotKept = lazyPart(() => import('./parts/NotKept.tsx'));
// These parts are lazy because they have nothing to show before the first experiment.
const Results = lazy(loadResults);
const Rollouts = lazy(loadRollouts);

const loadDrop = () => import('./models/drop.ts');
const openScenario = async (file: File) => (await import('./agents/use-are.ts')).are.openFile(file);

/** Two addresses of the same page. */
const loadData = () => import('./Data.tsx');

/** A view other than the lab, loaded with the views' shared stylesheet when it is opened. */
const lazyView = (load: () => Promise<{ default: ComponentType }>) =>
  lazyPart(async () => (await Promise.all([import('./styles/views.css'), load()]))[1], LOADING);

const LAZY_VIEWS: Record<Exclude<View, 'lab'>, ComponentType> = {
  kept: lazyView(() => import('./keep/Kept.tsx')),
  sweeps: lazyView(() => import('./sweeps/SweepsView.tsx')),
  pools: lazyView(loadData),
  problems: lazyView(loadData),
  compare: lazyView(() => import('./compare/Compare.tsx')),
  questions: lazyView(() => import('./questions/QuestionsView.tsx')),
  arena: lazyView(() => import('./arena/ArenaView.tsx')),
  bases: lazyView(() => import('./bases/BasesView.tsx')),
  probe: lazyView(() => import('./probe/ProbeView.tsx')),
  models: lazyView(() => import('./models/ModelsView.tsx')),
  playground: lazyView(() => import('./playground/Playground.tsx')),
  agents: lazyView(() => import('./agents/AgentsView.tsx')),
  device: lazyView(() => import('./device/DevicePage.tsx')),
};

export function App() {
  const lab = useLabActions();
  const view = useView();
  const unknown = useUnknownView();
  useEffect(() => {
    if (unknown === null) return;
    lab.tell('bad', `The address asks for the view “${unknown}”, which this lab does not have.`, {
      remedy: 'This is the Lab. The row above has all views; an older link may name one that is gone.',
    });
  }, [lab, unknown]);
  const onFiles = useCallback(
    (files: File[]) => void loadDrop().then(({ dropFiles }) => dropFiles(lab, files, openScenario)),
    [lab],
  );
  const onFolder = useCallback(
    (entry: FileSystemDirectoryEntry) => void loadDrop().then(({ dropFolder }) => dropFolder(lab, entry, openScenario)),
    [lab],
  );
  return (
    <>
      {view === 'lab' ? (
        <>
          <PlaceLink id="watch" label="Skip to the charts" className="skip" />
          <PlaceLink id="run" label="Skip to Run" className="skip" />
        </>
      ) : (
        <button type="button" className="skip" onClick={() => document.querySelector('main')?.focus()}>
          Skip to the content
        </button>
      )}
      <div className="masthead">
        <Header />
        <Navigation />
      </div>
      {view === 'lab' ? <LabView /> : <OtherView view={view} />}
      <Footer />
      <DropTarget onFiles={onFiles} onFolder={onFolder} />
      <Notices />
    </>
  );
}

function OtherView({ view }: { view: Exclude<View, 'lab'> }) {
  const Content = LAZY_VIEWS[view];
  return (
    <main className="view" tabIndex={-1}>
      <Tabs section={viewInfo(view).section} />
      <Content />
    </main>
  );
}

function LabView() {
  const isAtWork = useLab((state) => shownView(state) !== null || state.busy);
  // Deferred, so that the page responds to a press of Run before it draws results and rollouts.
  const hasOutcome = useDeferredValue(isAtWork);
  const lacksModel = useLab(lacksRealModel);
  return (
    <>
      <Missing />
      <ResumeOffer />
      <Shared />
      <div className={isAtWork ? 'layout at-work' : 'layout'}>
        <QuestionList />
        <aside className="rail">
          <Configure onNearRun={loadEarly} strip={<RunStrip />} />
        </aside>
        <main>
          {lacksModel ? <RealModel /> : null}
          <Watch />
          <CpuNote />
          <Outcome isAtWork={hasOutcome} />
        </main>
      </div>
    </>
  );
}

/** Result and rollouts of the shown experiment, of the run of a rollout that the address names, or of an opened log. */
function Outcome({ isAtWork }: { isAtWork: boolean }) {
  const [isAsked] = useState(() => linksToRollout(window.location.search) !== null);
  const hasLog = useLab((state) => state.log !== null);
  return (
    <Suspense fallback={null}>
      {isAtWork ? <Results /> : null}
      {isAtWork || isAsked || hasLog ? <Rollouts /> : null}
    </Suspense>
  );
}

/** The run that the address names, if it is not stored in this browser. */
function Missing() {
  const lab = useLabActions();
  const id = useLab((state) => state.missingRun);
  return id === null ? null : <NotKept kind="run" id={id} onClose={() => void lab.showLive()} />;
}

/** The results in the address, if there are any. */
function Shared() {
  const here = useLab((state) => state.shared !== null);
  return here ? <SharedRun /> : null;
}

function CpuNote() {
  const report = useLab((state) => state.device);
  if (report?.kind !== 'cpu' || report.choice === 'cpu') return null;
  return (
    <p className="callout slim">
      <b>Running on the CPU.</b> {report.reason}
    </p>
  );
}

function Footer() {
  const connection = useLab((state) => state.connection);
  const ready = connection.status === 'ready' ? connection.report : null;
  return (
    <footer className="foot">
      <p>
        Everything runs in this tab. Your data goes only to servers that you name.
        {ready ? (
          <>
            {' '}
            Student: {ready.model.id}, {ready.model.parameters.toLocaleString('en-GB')} parameters,{' '}
            {ready.model.adapterParams.toLocaleString('en-GB')} trainable parameters (adapter) in {ready.model.modules}{' '}
            modules. Grader {ready.graderVersion}. Lab {ready.appVersion}.
          </>
        ) : null}{' '}
        <a href="./docs/index.html" target="_blank" rel="noreferrer">
          Docs
        </a>{' '}
        <a href="./licences.html">Licences</a>
      </p>
    </footer>
  );
}
