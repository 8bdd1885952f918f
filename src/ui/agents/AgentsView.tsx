// The Agents view: a scenario, an agent that plays it, the events in simulated time, the apps' state at any entry, and the verdict
// (docs/reference/are.md).

import { useEffect, useState } from 'react';
import { useLabActions } from '../lab-context.ts';
import { lazyPart } from '../parts/lazy-part.tsx';
import { Problem } from '../parts/Problem.tsx';
import { Empty, Section } from '../parts/Section.tsx';
import { AppBrowser } from './AppBrowser.tsx';
import { EntryDetail } from './EntryDetail.tsx';
import { EntryList } from './EntryList.tsx';
import { LinkOffer } from './LinkOffer.tsx';
import { MissingApps } from './MissingApps.tsx';
import { RunBar } from './RunBar.tsx';
import { ScenarioFacts } from './ScenarioFacts.tsx';
import { ScenarioForm } from './ScenarioForm.tsx';
import { Timeline } from './Timeline.tsx';
import { Transport } from './Transport.tsx';
import { are, useAre } from './use-are.ts';
import { VerdictPanel } from './VerdictPanel.tsx';
import { Writing } from './Writing.tsx';
import './are.css';

const EditScenario = lazyPart(() => import('./EditScenario.tsx'), <p className="muted">Reading …</p>);
const Budget = lazyPart(() => import('./Budget.tsx'));
const EventGraph = lazyPart(() => import('./EventGraph.tsx'));

export default function AgentsView() {
  const problem = useAre((state) => state.problem);
  const hasScenario = useAre((state) => state.scenario !== null);
  const [isEditing, setEditing] = useState(false);
  const hasRun = useAre((state) => state.entries.length > 0);
  useEffect(() => {
    const read = () => void openLink(window.location.hash);
    read();
    window.addEventListener('hashchange', read);
    return () => window.removeEventListener('hashchange', read);
  }, []);
  const hasCosts = useAre((state) => state.costs.length > 1);
  const hasPlayed = useAre((state) => state.played !== null);
  const lab = useLabActions();
  useEffect(() => {
    const opening = lab.openAsker();
    void opening.then(are.askOf);
    // When the user leaves the view, the form's model is loaded again.
    return () => {
      are.leave();
      void opening.then((asker) => asker.release());
    };
  }, [lab]);

  return (
    <div className="are">
      <Section
        id="agents"
        title="Agents"
        lead="Apps and tools on a simulated clock, events while the agent acts, and a verifier that compares with an oracle."
        more="What the agent wrote is compared with what the oracle did. After ARE and Gaia2 (arXiv 2509.17158, 2602.11964)."
      >
        <ScenarioForm />
        <Problem problem={problem} />
        <LinkOffer />
        <MissingApps />
        <ScenarioFacts />
        {hasScenario ? (
          <details className="fold" open={isEditing} onToggle={(event) => setEditing(event.currentTarget.open)}>
            <summary>Edit the scenario</summary>
            {isEditing ? <EditScenario /> : null}
          </details>
        ) : null}
      </Section>
      <EventGraph />
      <Section
        id="happened"
        title="What happened"
        lead="In simulated time: what the user and the environment did, what the agent was shown, and what it called."
      >
        <Writing />
        {hasRun ? (
          <>
            <Transport />
            <RunBar />
            <Timeline />
            <div className="are-two">
              <EntryList />
              <EntryDetail />
            </div>
          </>
        ) : (
          <Empty title="Nothing has happened yet">
            <p>
              Press Run to generate the form’s scenario and play it, or open a file first. The oracle does what is
              right. Three other agents without a model err in known ways, which the verifier must notice. tiny-agent
              and ReAct use a model.
            </p>
          </Empty>
        )}
      </Section>
      {hasPlayed ? (
        <div className="are-two">
          <VerdictPanel />
          <AppBrowser />
        </div>
      ) : null}
      {hasCosts ? <Budget /> : null}
    </div>
  );
}

/** The hash that was read last, stored so that returning to the view does not read it again. */
let lastRead = '';

async function openLink(hash: string): Promise<void> {
  if (hash === lastRead) return;
  lastRead = hash;
  await are.openLink(hash);
}
