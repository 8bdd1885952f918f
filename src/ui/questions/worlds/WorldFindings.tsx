// A world's questions by where they stand, as its published sheet has them: nothing is computed here, and no rows are fetched.
import { useEffect, useRef, useState } from 'react';
import { type Series, type SeriesId, seriesOf } from '../../../experiments/findings/series.ts';
import type { ShownQuestion } from '../../../experiments/findings/sheet.ts';
import { plural } from '../../../experiments/reading/words.ts';
import { isAsked } from '../../../store/findings/link.ts';
import { Section } from '../../parts/Section.tsx';
import { FindingCard } from './FindingCard.tsx';
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
          the published rows by that rule. All tables, pilots and what failed: {series.docs}.
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

/** `9 questions: 3 hold, 1 holds in part, …` */
function countOf(questions: readonly ShownQuestion[]): string {
  const parts = GROUPS.flatMap(({ standing, said }) => {
    const n = questions.filter((question) => question.standing === standing).length;
    return n > 0 ? [`${n} ${said}`] : [];
  });
  return `${plural(questions.length, 'question')}: ${parts.join(', ')}.`;
}

type QuestionsProps = Pick<WorldFindingsProps, 'asked' | 'onAsk'> & {
  series: Series;
  questions: readonly ShownQuestion[];
};

function Questions({ series, questions, asked, onAsk }: QuestionsProps) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const list = useRef<HTMLDivElement>(null);
  // A question that the address asks for is opened and brought into view; the reader may close it again.
  useEffect(() => {
    const wanted = questions.find(({ id }) => isAsked(id, asked));
    if (!wanted) return;
    setOpen((before) => new Set(before).add(wanted.id));
    const card = list.current?.querySelector<HTMLElement>(`#${wanted.id}`);
    card?.querySelector('summary')?.focus({ preventScroll: true });
    requestAnimationFrame(() => card?.scrollIntoView({ block: 'start' }));
  }, [asked, questions]);

  function toggle(id: string, isOpen: boolean): void {
    if (open.has(id) === isOpen) return;
    const next = new Set(open);
    if (isOpen) next.add(id);
    else next.delete(id);
    setOpen(next);
    if (!isOpen && isAsked(id, asked)) onAsk(null);
  }

  return (
    <div ref={list}>
      {GROUPS.map(({ standing, title, tone }) => {
        const own = questions.filter((question) => question.standing === standing);
        const heading = `standing-${standing.replace(' ', '-')}`;
        return own.length === 0 ? null : (
          <section key={standing} className="question-standing" aria-labelledby={heading}>
            <h2 id={heading}>
              <span className={`tag ${tone}`}>{own.length}</span> {title}
            </h2>
            <div className="questions">
              {own.map((question) => (
                <FindingCard
                  key={question.id}
                  question={question}
                  docs={series.docs}
                  open={open.has(question.id)}
                  onToggle={(isOpen) => toggle(question.id, isOpen)}
                />
              ))}
            </div>
          </section>
        );
      })}
    </div>
  );
}
