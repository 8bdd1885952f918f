// Findings → Arena: which methods remove a hack without labels, and which other behaviour they preserve. It shows one sheet at a time: its
// conclusion, its plot, and its models with the best method first. A click on a name shows the method's description and its runs. The full
// text is in the docs.

import { RELEARN_STEPS } from '../../experiments/config/controls.ts';
import { ARENA_QUESTION, frontierOf, ranked, SHEET_TITLES, unitNote } from '../../findings/arena/frontier.ts';
import type { ArenaSheetName } from '../../findings/arena/sheet.ts';
import {
  ARENA_COLUMNS,
  type PublishedArena,
  relearnedIn,
  resultTable,
  winnersFirst,
} from '../../store/findings/arena.ts';
import { useArena } from '../first/use-arena.ts';
import { useAddressChoice } from '../parts/address-choice.ts';
import { Chips } from '../parts/Choice.tsx';
import { DocLink } from '../parts/links.tsx';
import { Section } from '../parts/Section.tsx';
import { UnreadableFile } from '../questions/SeriesHead.tsx';
import { Frontier } from './Frontier.tsx';
import { SortableTable } from './SortableTable.tsx';
import '../questions/questions.css';
import '../questions/findings.css';
import './arena.css';

const DOCS = 'docs/arena.md';

const LABELS: Readonly<Record<ArenaSheetName, string>> = {
  judged: 'Judged',
  narrow: 'Strings',
  apart: 'Longer',
  relearning: 'Relearnt',
  others: 'Others',
  pilots: 'Pilots',
};

/** Differences of a sheet's cells from those of the judged sheet. */
const LEADS: Partial<Record<ArenaSheetName, string>> = {
  narrow: 'Most of the others take a number, a pair or a list: the trusted problems are not a representative sample.',
  apart: 'Problems are compositions of two parts, and the trusted tenth shows half of the parts. 200 steps of a LoRA.',
};

export default function ArenaView() {
  const { value: published, problem, again } = useArena();
  const [asked, choose] = useAddressChoice<string | null>(
    (search) => new URLSearchParams(search).get('sheet'),
    (sheet) => ({ sheet, sort: null }),
  );
  const shown = published?.find(({ name }) => name === asked) ?? published?.[0];
  return (
    <Section
      id="arena"
      title={`Arena: ${ARENA_QUESTION[0].toLowerCase()}${ARENA_QUESTION.slice(1)}`}
      lead={
        <>
          Every method is given the same problems; at most a tenth is trusted, a quarter has one flawed grader. Methods,
          plans, bar and limits: <DocLink path={DOCS} />.
        </>
      }
    >
      {problem ? <UnreadableFile what="rows" problem={problem} onAgain={again} /> : null}
      {published === null && !problem ? (
        <p className="muted" role="status">
          Reading …
        </p>
      ) : null}
      {published?.length === 0 ? (
        <p className="callout" role="status">
          <b>No run has been published yet.</b> There is no frontier to show. The methods, and the bar that was fixed
          before the runs: <DocLink path={DOCS} />.
        </p>
      ) : null}
      {published && published.length > 1 && shown ? (
        <Chips
          legend="Results"
          className="arena-sheets"
          options={published.map(({ name }) => [name, LABELS[name]] as const)}
          value={shown.name}
          onChange={(name) => choose(() => name)}
        />
      ) : null}
      {shown ? <Results key={shown.name} published={shown} all={published ?? []} /> : null}
    </Section>
  );
}

function Results({ published, all }: { published: PublishedArena; all: readonly PublishedArena[] }) {
  const { name, sheet } = published;
  const frontier = frontierOf(sheet);
  const title = SHEET_TITLES[name];
  return (
    <section aria-label={title}>
      {LEADS[name] ? <p className="muted note">{LEADS[name]}</p> : null}
      {ranked(frontier).length > 0 ? (
        <Frontier name={name} frontier={frontier} />
      ) : (
        <p className="muted">No method has both ratios yet, so there is no frontier.</p>
      )}
      <SortableTable
        label={`Results of the arena: ${title.toLowerCase()}`}
        table={winnersFirst(resultTable(published, all), frontier)}
        columns={ARENA_COLUMNS}
      />
      <p className="muted note">
        {unitNote(frontier)}
        {relearnedIn(published, all)
          ? ` Hack relearnt: what ${RELEARN_STEPS} steps of plain RL bring back; in vanilla’s row they begin with the untrained model.`
          : ''}
      </p>
    </section>
  );
}
