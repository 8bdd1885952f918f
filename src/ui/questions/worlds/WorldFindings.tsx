// An environment's questions by what they ask, or those that stand somewhere, as its published sheet has them: nothing is computed here, and
// no rows are fetched.
import { useEffect, useRef, useState } from 'react';
import { plural } from '../../../experiments/analysis/words.ts';
import { type Series, type SeriesId, seriesOf } from '../../../experiments/questions/series.ts';
import type { ShownQuestion } from '../../../experiments/questions/sheet.ts';
import { countsOf, standingsOf, stemOf, stemsOf } from '../../../experiments/questions/stems.ts';
import type { Status } from '../../../experiments/questions/types.ts';
import { isAsked } from '../../../store/findings/link.ts';
import { DocLink } from '../../parts/DocLink.tsx';
import { Section } from '../../parts/Section.tsx';
import { FindingCard } from './FindingCard.tsx';
import { StemCard } from './StemCard.tsx';
import { GROUPS } from './standings.tsx';
import { useSheet } from './use-sheet.ts';
import './findings.css';

interface WorldFindingsProps {
  series: SeriesId;
  /** The question that the address asks for. */
  asked: string | null;
  onAsk: (question: string | null) => void;
}

export default function WorldFindings({ series: id, asked, onAsk }: WorldFindingsProps) {
  const series = seriesOf(id);
  const { sheet, problem, again } = useSheet(id);
  return (
    <>
      <Section id="questions" title={series.title} lead={series.lead}>
        <p className="question-origin">
          Hypothesis, falsifier and rule were written down before the runs that they judge; each verdict is made from
          the published rows by that rule. All tables, pilots and what failed: <DocLink path={series.docs} />.
        </p>
        {problem ? (
          <div className="callout bad" role="alert">
            <p>
              <b>These findings could not be read.</b> {problem.message} {problem.remedy}
            </p>
            <button type="button" className="btn small" onClick={again}>
              Try again
            </button>
          </div>
        ) : null}
        {sheet ? <p role="status">{countOf(sheet.questions)}</p> : null}
        {!sheet && !problem ? (
          <p className="muted" role="status">
            Reading …
          </p>
        ) : null}
      </Section>
      {sheet ? <Questions series={series} questions={sheet.questions} asked={asked} onAsk={onAsk} /> : null}
    </>
  );
}

/** `40 entries on 9 questions: 15 hold, 1 fails, …` */
function countOf(questions: readonly ShownQuestion[]): string {
  const asked = stemsOf(questions).length;
  const all = asked === questions.length ? '' : `${questions.length} entries on `;
  return `${all}${plural(asked, 'question')}: ${countsOf(questions)}.`;
}

type QuestionsProps = Pick<WorldFindingsProps, 'asked' | 'onAsk'> & {
  series: Series;
  questions: readonly ShownQuestion[];
};

const stemKey = (id: string) => `stem-${id}`;

function Questions({ series, questions, asked, onAsk }: QuestionsProps) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [only, setOnly] = useState<Status | null>(null);
  const list = useRef<HTMLDivElement>(null);
  const toShow = useRef<string | null>(null);
  // A question that the address asks for is opened and brought into view; the reader may close it again.
  useEffect(() => {
    const wanted = questions.find(({ id }) => isAsked(id, asked));
    if (!wanted) return;
    setOnly(null);
    setOpen((before) => new Set([...before, wanted.id, stemKey(stemOf(wanted.id))]));
    toShow.current = wanted.id;
  }, [asked, questions]);
  // Once it is open: what a closed question has inside cannot be scrolled to.
  useEffect(() => {
    const id = toShow.current;
    if (id === null || !open.has(id)) return;
    toShow.current = null;
    const card = list.current?.querySelector<HTMLElement>(`#${id}`);
    card?.querySelector('summary')?.focus({ preventScroll: true });
    requestAnimationFrame(() => card?.scrollIntoView({ block: 'start' }));
  }, [open]);

  function toggle(id: string, isOpen: boolean): void {
    if (open.has(id) === isOpen) return;
    const next = new Set(open);
    if (isOpen) next.add(id);
    else next.delete(id);
    setOpen(next);
    if (!isOpen && isAsked(id, asked)) onAsk(null);
  }

  const shown = only === null ? questions : questions.filter(({ standing }) => standing === only);
  const card = (question: ShownQuestion) => (
    <FindingCard
      key={question.id}
      question={question}
      docs={series.docs}
      open={open.has(question.id)}
      onToggle={(isOpen) => toggle(question.id, isOpen)}
    />
  );
  return (
    <div ref={list}>
      <fieldset className="finding-only">
        <legend className="sr">Which of them</legend>
        {[{ standing: null, n: questions.length }, ...standingsOf(questions)].map(({ standing, n }) => (
          <button
            key={standing}
            type="button"
            className="btn small"
            aria-pressed={only === standing}
            onClick={() => setOnly(standing)}
          >
            {GROUPS.find((group) => group.standing === standing)?.title ?? 'All'} {n}
          </button>
        ))}
      </fieldset>
      <div className="questions">
        {stemsOf(shown).map((stem) =>
          stem.entries.length === 1 ? (
            card(stem.entries[0])
          ) : (
            <StemCard
              key={stem.id}
              stem={stem}
              open={only !== null || open.has(stemKey(stem.id))}
              onToggle={(isOpen) => {
                if (only === null) toggle(stemKey(stem.id), isOpen);
              }}
            >
              {stem.entries.map(card)}
            </StemCard>
          ),
        )}
      </div>
    </div>
  );
}
