// The Sweeps view: a form for configurations × seeds, their runs in progress, and the results.
import { useEffect } from 'react';
import { isSweepHash } from '../../share/view-hash.ts';
import { decodeSweep } from '../../store/sweeps/draft.ts';
import { useSweepActions, useSweeps } from '../lab-context.ts';
import { Problem } from '../parts/Problem.tsx';
import { Section } from '../parts/Section.tsx';
import { SweepForm } from './SweepForm.tsx';
import { SweepLive } from './SweepLive.tsx';
import { SweepReport } from './SweepReport.tsx';
import './sweeps.css';

export default function SweepsView() {
  useSweepAddress();
  const problem = useSweeps((state) => state.problem);
  const work = useSweeps((state) => state.work);
  return (
    <div className="sweeps">
      <Section
        id="sweep"
        title="Sweep"
        lead="Many runs that differ in a few options: every configuration with every seed."
        more="The same file runs on other machines: npm run lab -- sweep run SPEC --out DIR."
      >
        <Problem problem={problem} />
        <SweepForm />
      </Section>
      {work ? <SweepLive work={work} /> : null}
      {work?.report ? <SweepReport report={work.report} plan={work.plan} /> : null}
    </div>
  );
}

/** Fills the form with the address's sweep, once. */
function useSweepAddress(): void {
  const actions = useSweepActions();
  useEffect(() => {
    const { hash } = window.location;
    if (isSweepHash(hash)) decodeSweep(hash).then(actions.open).catch(actions.fail);
  }, [actions]);
}
