// The page: its views, and the lab among them: a form on the left, what becomes of it on the right; one column on a phone.
import { type ComponentType, lazy, Suspense, useCallback, useEffect } from 'react';
import { Configure } from './configure/Configure.tsx';
import { Header } from './Header.tsx';
import { Results } from './inspect/ResultTable.tsx';
import { Rollouts } from './inspect/Rollouts.tsx';
import { Bases } from './keep/Bases.tsx';
import { Kept } from './keep/Kept.tsx';
import { Pools } from './keep/Pools.tsx';
import { ResumeOffer } from './keep/ResumeOffer.tsx';
import { useLab, useLabActions } from './lab-context.ts';
import { Tour } from './learn/Tour.tsx';
import { dropFiles, dropFolder } from './models/drop.ts';
import { DropTarget } from './parts/DropTarget.tsx';
import { Notices } from './parts/Notices.tsx';
import { PlaceLink } from './parts/PlaceLink.tsx';
import { useView, VIEWS, type View } from './parts/view.ts';
import { Watch } from './watch/Watch.tsx';

const SharedRun = lazy(() => import('./share/SharedRun.tsx'));

const PLACES = [
  ['configure', 'Configure'],
  ['watch', 'Watch'],
  ['results', 'Result'],
  ['rollouts', 'Rollouts'],
  ['kept', 'Kept runs'],
  ['bases', 'Bases'],
] as const;

/** Views beside the lab arrive when they are opened. */
const LAZY_VIEWS: Record<Exclude<View, 'lab'>, ComponentType> = {
  compare: lazy(async () => ({ default: (await import('./compare/Compare.tsx')).Compare })),
  questions: lazy(async () => ({ default: (await import('./questions/QuestionsView.tsx')).QuestionsView })),
  bases: lazy(async () => ({ default: (await import('./bases/BasesView.tsx')).BasesView })),
  probe: lazy(async () => ({ default: (await import('./probe/ProbeView.tsx')).ProbeView })),
  models: lazy(async () => ({ default: (await import('./models/ModelsView.tsx')).ModelsView })),
  playground: lazy(async () => ({ default: (await import('./playground/Playground.tsx')).Playground })),
  device: lazy(async () => ({ default: (await import('./device/DevicePage.tsx')).DevicePage })),
};

export function App() {
  const lab = useLabActions();
  const view = useView();
  const label = VIEWS.find(({ id }) => id === view)?.label;
  const onFiles = useCallback((files: File[]) => void dropFiles(lab, files), [lab]);
  const onFolder = useCallback((entry: FileSystemDirectoryEntry) => void dropFolder(lab, entry), [lab]);
  useEffect(() => {
    document.title = view === 'lab' ? 'Projected GRPO Lab' : `${label} · Projected GRPO Lab`;
  }, [view, label]);
  return (
    <>
      {view === 'lab' ? (
        <PlaceLink id="watch" label="Skip to the charts" className="skip" />
      ) : (
        <button type="button" className="skip" onClick={() => document.querySelector('main')?.focus()}>
          Skip to the content
        </button>
      )}
      <Header />
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
      <Suspense
        fallback={
          <p className="chart-wait" role="status">
            Loading …
          </p>
        }
      >
        <Content />
      </Suspense>
    </main>
  );
}

function LabView() {
  return (
    <>
      <nav className="places" aria-label="Sections">
        <ul>
          {PLACES.map(([id, label]) => (
            <li key={id}>
              <PlaceLink id={id} label={label} />
            </li>
          ))}
        </ul>
      </nav>
      <Shared />
      <div className="layout">
        <aside className="rail">
          <Configure />
        </aside>
        <main>
          <Tour />
          <CpuNote />
          <ResumeOffer />
          <Watch />
          <Results />
          <Rollouts />
          <Kept />
          <div className="halves">
            <Bases />
            <Pools />
          </div>
        </main>
      </div>
    </>
  );
}

/** Results that came with the address; most pages open without any. */
function Shared() {
  const here = useLab((state) => state.shared !== null);
  return here ? (
    <Suspense fallback={<div className="chart-wait">Loading the shared run …</div>}>
      <SharedRun />
    </Suspense>
  ) : null;
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
        Everything runs in this tab; nothing of yours is sent anywhere.
        {ready ? (
          <>
            {' '}
            Student: {ready.model.id}, {ready.model.parameters.toLocaleString('en-GB')} parameters,{' '}
            {ready.model.knobs.toLocaleString('en-GB')} trained knobs in {ready.model.modules} modules. Grader{' '}
            {ready.graderVersion}. Lab {ready.appVersion}.
          </>
        ) : null}{' '}
        <a href="./licences.html">Licences of what it is made of</a>
      </p>
    </footer>
  );
}
