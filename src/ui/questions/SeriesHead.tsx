// What stands before a series' questions: what it is, how many stand where, and what a reader must ask before any verdict.
import type { ReactNode } from 'react';
import { plural } from '../../experiments/analysis/words.ts';
import type { Series } from '../../experiments/questions/series.ts';
import type { ShownQuestion } from '../../experiments/questions/sheet.ts';
import { countsOf, stemsOf } from '../../experiments/questions/stems.ts';
import type { Problem } from '../../store/lab-state.ts';
import { DocLink } from '../parts/DocLink.tsx';
import { Section } from '../parts/Section.tsx';

interface SeriesHeadProps {
  series: Series;
  questions: readonly ShownQuestion[];
  first?: readonly string[];
  /** Why they could not be read, and another try. */
  problem: Problem | null;
  onAgain: () => void;
  isReading: boolean;
  /** Where they come from, where the series says more than its page of the docs. */
  children?: ReactNode;
}

export function SeriesHead({ series, questions, first = [], problem, onAgain, isReading, children }: SeriesHeadProps) {
  const findings = REFERENCE.flatMap(({ standing, said }) => {
    const n = questions.filter(({ reference }) => reference?.result && reference.standing === standing).length;
    return n > 0 ? [`${n} ${said}`] : [];
  });
  return (
    <Section id="questions" title={series.title} lead={series.lead}>
      <p className="question-origin">
        Hypothesis and falsifier were written down before the runs that they judge; each verdict is made from the
        published rows by a fixed rule. All tables, pilots and what failed: <DocLink path={series.docs} />.
      </p>
      {children}
      {problem ? (
        <div className="callout bad" role="alert">
          <p>
            <b>The published results could not be read.</b> {problem.message} {problem.remedy}
          </p>
          <button type="button" className="btn small" onClick={onAgain}>
            Try again
          </button>
        </div>
      ) : null}
      {questions.length > 0 ? <p role="status">{countOf(questions)}</p> : null}
      {findings.length > 0 ? (
        <p className="muted">Of the reference’s findings {findings.join(', ')}: another matter than the hypotheses.</p>
      ) : null}
      {isReading && !problem ? (
        <p className="muted" role="status">
          Reading …
        </p>
      ) : null}
      {first.length > 0 ? <First lines={first} /> : null}
    </Section>
  );
}

const REFERENCE = [
  { standing: 'replicates', said: 'replicate here' },
  { standing: 'does not replicate', said: 'do not' },
  { standing: 'undecided', said: 'stay undecided' },
] as const;

/** `40 entries on 9 questions: 15 hold, 1 fails, …` */
function countOf(questions: readonly ShownQuestion[]): string {
  const asked = stemsOf(questions).length;
  const all = asked === questions.length ? '' : `${questions.length} entries on `;
  return `${all}${plural(asked, 'question')}: ${countsOf(questions)}.`;
}

function First({ lines }: { lines: readonly string[] }) {
  return (
    <section className="question-first" aria-labelledby="question-first" data-testid="first">
      <h3 id="question-first">What to ask first</h3>
      <ul>
        {lines.map((line) => {
          // Its first words are set apart as `**…**`.
          const [, head, rest] = /^\*\*(.+?)\*\*(.*)$/s.exec(line) ?? [null, '', line];
          return (
            <li key={line}>
              {head ? <b>{head}</b> : null}
              {rest}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
