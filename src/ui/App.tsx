// The page: a form on the left, what becomes of it on the right; one column on a phone.
import { Configure } from './configure/Configure.tsx';
import { Header } from './Header.tsx';
import { Results } from './inspect/ResultTable.tsx';
import { Rollouts } from './inspect/Rollouts.tsx';
import { Bases } from './keep/Bases.tsx';
import { Kept } from './keep/Kept.tsx';
import { Pools } from './keep/Pools.tsx';
import { useLab, useLabActions } from './lab-context.ts';
import { DropTarget } from './parts/DropTarget.tsx';
import { Notices } from './parts/Notices.tsx';
import { PlaceLink } from './parts/PlaceLink.tsx';
import { Watch } from './watch/Watch.tsx';

const PLACES = [
  ['configure', 'Configure'],
  ['watch', 'Watch'],
  ['results', 'Result'],
  ['rollouts', 'Rollouts'],
  ['kept', 'Kept runs'],
  ['bases', 'Bases'],
] as const;

export function App() {
  const lab = useLabActions();
  return (
    <>
      <PlaceLink id="watch" label="Skip to the charts" className="skip" />
      <Header />
      <nav className="places" aria-label="Sections">
        <ul>
          {PLACES.map(([id, label]) => (
            <li key={id}>
              <PlaceLink id={id} label={label} />
            </li>
          ))}
        </ul>
      </nav>
      <div className="layout">
        <aside className="rail">
          <Configure />
        </aside>
        <main>
          <CpuNote />
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
      <Footer />
      <DropTarget onFile={lab.dropBasis} />
      <Notices />
    </>
  );
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
        Everything runs in this tab; nothing is sent anywhere.
        {ready ? (
          <>
            {' '}
            Student: {ready.model.id}, {ready.model.parameters.toLocaleString('en-GB')} parameters,{' '}
            {ready.model.knobs.toLocaleString('en-GB')} trained knobs in {ready.model.modules} modules. Grader{' '}
            {ready.graderVersion}. Lab {ready.appVersion}.
          </>
        ) : null}
      </p>
    </footer>
  );
}
