// Findings → Arena: which method removes a hack that nobody labelled, and what it keeps. The published rows where there are any; the
// methods with what they need, and the bar that was fixed before.
import { useEffect, useState } from 'react';
import { ARENA_NAMES, ARENA_RULE } from '../../experiments/arena/bar.ts';
import { ruleWords } from '../../experiments/judge/rule.ts';
import { frontierOf, methodTable, openArena, type PublishedArena, resultTable } from '../../store/findings/arena.ts';
import { type Problem, problemOf } from '../../store/lab-state.ts';
import { DocLink } from '../parts/links.tsx';
import { Section } from '../parts/Section.tsx';
import { MarkFigures } from '../questions/MarkFigure.tsx';
import { Unread } from '../questions/SeriesHead.tsx';
import '../questions/questions.css';
import '../questions/findings.css';
import './arena.css';
import { SortableTable } from './SortableTable.tsx';

const DOCS = 'docs/arena.md';
const TITLES = { judged: 'Judged runs', pilots: 'Pilots' } as const;

export default function ArenaView() {
  const { published, problem, again } = useArena();
  return (
    <>
      <Section
        id="arena"
        title="Arena: which method removes a hack that nobody labelled?"
        lead="Every method trains on the same problems, a quarter of them with one flawed grader. Nothing that a method is given shows that flaw."
      >
        {problem ? <Unread what="rows" problem={problem} onAgain={again} /> : null}
        {published === null && !problem ? (
          <p className="muted" role="status">
            Reading …
          </p>
        ) : null}
        {published && !published.some(({ name }) => name === 'judged') ? (
          <p className="callout" role="status">
            <b>No judged run has been published yet.</b>{' '}
            {published.length === 0
              ? 'There is no frontier to show. Below are the methods, and the bar that was fixed before the runs.'
              : 'Below are pilots: they choose settings and judge nothing.'}
          </p>
        ) : null}
      </Section>
      {published?.map((one) => (
        <Results key={one.name} published={one} />
      ))}
      <Section
        id="arena-methods"
        title="Methods"
        lead="Cost counts prompts and passes of a step; vanilla’s is 1. No time is measured."
      >
        <SortableTable label="Methods of the arena" table={METHODS} />
      </Section>
      <Section id="arena-bar" title="The bar, fixed before the runs">
        <p>{ruleWords(ARENA_RULE, { names: ARENA_NAMES, unit: 'cell' })}</p>
        <p className="muted">
          At most a tenth of the problems is trusted. A cell is a training seed, a data seed and one flawed grader.
          Setting, plans, power, and what is not implemented: <DocLink path={DOCS} />.
        </p>
      </Section>
    </>
  );
}

const METHODS = methodTable();

function Results({ published: { name, sheet } }: { published: PublishedArena }) {
  const { panel, table } = frontierOf(name, sheet);
  return (
    <Section id={`arena-${name}`} title={TITLES[name]} lead={`Made by: ${sheet.made.join('. ')}.`}>
      {panel.marks.length > 0 ? (
        <MarkFigures id="arena" chart={{ kind: 'marks', panels: [panel], isShared: false }} table={table} />
      ) : (
        <p className="muted">No model has both ratios yet, so there is no frontier.</p>
      )}
      <SortableTable label={`Results of the arena: ${TITLES[name].toLowerCase()}`} table={resultTable(sheet)} />
    </Section>
  );
}

let coming: Promise<PublishedArena[]> | null = null;

/** Read once for as long as the page is open; what failed is read anew. */
function useArena(): { published: PublishedArena[] | null; problem: Problem | null; again: () => void } {
  const [published, setPublished] = useState<PublishedArena[] | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [round, setRound] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a round is another try
  useEffect(() => {
    let current = true;
    setProblem(null);
    coming ??= openArena(document.baseURI);
    coming
      .then((found) => {
        if (current) setPublished(found);
      })
      .catch((error) => {
        coming = null;
        if (current) setProblem(problemOf(error));
      });
    return () => {
      current = false;
    };
  }, [round]);
  return { published, problem, again: () => setRound((before) => before + 1) };
}
