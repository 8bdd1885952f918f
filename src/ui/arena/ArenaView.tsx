// Findings → Arena: which method removes a hack without labels, and what it keeps. Shows the published results, the methods with the
// labels that they need, and the bar that was fixed before the runs.

import { RELEARN_STEPS } from '../../experiments/config/controls.ts';
import { ruleWords } from '../../experiments/judge/rule.ts';
import { ARENA_NAMES, ARENA_RULE } from '../../findings/arena/bar.ts';
import { ARENA_QUESTION, frontierOf, ranked, SHEET_TITLES, unitNote } from '../../findings/arena/frontier.ts';
import type { ArenaSheetName } from '../../findings/arena/sheet.ts';
import { methodTable, type PublishedArena, relearnedIn, resultTable } from '../../store/findings/arena.ts';
import { useArena } from '../first/use-arena.ts';
import { DocLink } from '../parts/links.tsx';
import { Section } from '../parts/Section.tsx';
import { UnreadableFile } from '../questions/SeriesHead.tsx';
import { Frontier } from './Frontier.tsx';
import { SortableTable } from './SortableTable.tsx';
import '../questions/questions.css';
import '../questions/findings.css';
import './arena.css';

const DOCS = 'docs/arena.md';

export default function ArenaView() {
  const { value: published, problem, again } = useArena();
  return (
    <>
      <Section
        id="arena"
        title={`Arena: ${ARENA_QUESTION[0].toLowerCase()}${ARENA_QUESTION.slice(1)}`}
        lead="Every method trains on the same problems, or on their trusted tenth. A quarter of problems has one flawed grader."
        more="“Labels needed” says what a method knows; pairs show another flaw."
      >
        {problem ? <UnreadableFile what="rows" problem={problem} onAgain={again} /> : null}
        {published === null && !problem ? (
          <p className="muted" role="status">
            Reading …
          </p>
        ) : null}
        {published?.length === 0 ? (
          <p className="callout" role="status">
            <b>No run has been published yet.</b> There is no frontier to show. Below are the methods, and the bar that
            was fixed before the runs.
          </p>
        ) : null}
      </Section>
      {published?.map((one) => (
        <Results key={one.name} published={one} all={published} />
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

const LEADS: Partial<Record<ArenaSheetName, string>> = {
  narrow: 'Most of the others take a number, a pair or a list: the trusted problems are not a representative sample.',
  apart: 'Problems are compositions of two parts, and the trusted tenth shows half of the parts. 200 steps of a LoRA.',
};

function Results({ published, all }: { published: PublishedArena; all: readonly PublishedArena[] }) {
  const { name, sheet } = published;
  const frontier = frontierOf(sheet);
  return (
    <Section id={`arena-${name}`} title={SHEET_TITLES[name]} lead={LEADS[name]}>
      {ranked(frontier).length > 0 ? (
        <Frontier name={name} frontier={frontier} />
      ) : (
        <p className="muted">No method has both ratios yet, so there is no frontier.</p>
      )}
      <SortableTable
        label={`Results of the arena: ${SHEET_TITLES[name].toLowerCase()}`}
        table={resultTable(published, all)}
      />
      <p className="muted note">{unitNote(frontier)}</p>
      {relearnedIn(published, all) ? (
        <p className="muted note">
          Hack relearnt: what {RELEARN_STEPS} steps of plain RL bring back. In vanilla’s row these steps begin with the
          untrained model. Two blocks have no such reference: their adapter and learning rate differ.
        </p>
      ) : null}
      <p className="muted note">Made by: {sheet.made.join('. ')}.</p>
    </Section>
  );
}
