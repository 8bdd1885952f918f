// Sweeps: configurations × seeds as a form, their runs while they are made, what they came to, and work for others' sweeps.
import { useEffect } from 'react';
import { readWorkLink } from '../../experiments/sweep/relay/messages.ts';
import { isSweepHash, isWorkHash } from '../../share/view-hash.ts';
import { decodeSweep } from '../../store/sweeps/draft.ts';
import { useSweepActions, useSweeps } from '../lab-context.ts';
import { Problem } from '../parts/Problem.tsx';
import { Section } from '../parts/Section.tsx';
import { SweepForm } from './SweepForm.tsx';
import { SweepLive } from './SweepLive.tsx';
import { SweepReport } from './SweepReport.tsx';
import { WorkPanel } from './WorkPanel.tsx';
import './sweeps.css';

export default function SweepsView() {
  useSweepAddress();
  const problem = useSweeps((state) => state.problem);
  const work = useSweeps((state) => state.work);
  const isOffered = useSweeps((state) => state.offered !== null || state.relay !== null);
  return (
    <div className="sweeps">
      {isOffered ? <WorkPanel /> : null}
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

/** What the address brings is taken once: a sweep into the form, work for a relay as an offer; the token does not stay in the address. */
function useSweepAddress(): void {
  const actions = useSweepActions();
  useEffect(() => {
    const { hash } = window.location;
    if (isWorkHash(hash)) {
      const link = readWorkLink(hash);
      if (link) actions.offer(link);
      window.history.replaceState(window.history.state, '', `${window.location.pathname}${window.location.search}`);
    } else if (isSweepHash(hash)) decodeSweep(hash).then(actions.open, actions.fail);
  }, [actions]);
}
