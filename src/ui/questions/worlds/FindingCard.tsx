// One question of a world: closed, its verdict; open, what was asked and by which rule it was judged, its figures, picture and tables,
// what made them, and its runs, to be opened in the lab.
import type { ShownQuestion } from '../../../experiments/questions/sheet.ts';
import { DotFigure } from './DotFigure.tsx';
import { FigureTable, TextTable } from './FindingTables.tsx';
import { LineFigure } from './LineFigure.tsx';
import { Origin } from './Origin.tsx';
import { StandingTag } from './standings.tsx';

interface FindingCardProps {
  question: ShownQuestion;
  /** The series' page of the docs. */
  docs: string;
  open: boolean;
  onToggle: (isOpen: boolean) => void;
}

export function FindingCard({ question, docs, open, onToggle }: FindingCardProps) {
  return (
    <details
      id={question.id}
      className="section question"
      open={open}
      onToggle={(event) => onToggle(event.currentTarget.open)}
    >
      <summary>
        <span className="question-head">
          <span className="question-id">{nameOf(question.id)}</span>
          <h2>{question.title}</h2>
          <StandingTag question={question} />
        </span>
        <span className="finding-said">{question.said}</span>
        {question.verdict ? <span className="question-verdict">{question.verdict}</span> : null}
        {question.limits?.map((sentence) => (
          <span key={sentence} className="question-verdict">
            {sentence}
          </span>
        ))}
      </summary>
      {open ? <Body question={question} docs={docs} /> : null}
    </details>
  );
}

const nameOf = (id: string): string => id.replace('-', ', ');

function Body({ question, docs }: Pick<FindingCardProps, 'question' | 'docs'>) {
  const { id, hypothesis, falsified, rule, caveat, said, verdict, beside, figures, tables, chart, unit } = question;
  const facts = [
    ['Ask first', caveat],
    ['Hypothesis', hypothesis],
    ['Falsified by', falsified],
    ['Rule', rule],
  ].filter(([, text]) => text !== '');
  return (
    <section className="question-body" aria-label={id}>
      <dl className="question-facts">
        {facts.map(([name, text]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{text}</dd>
          </div>
        ))}
        <div>
          <dt>Verdict</dt>
          <dd data-testid={`verdict-${id}`}>
            {said} <StandingTag question={question} />
            {verdict ? <span className="finding-line">{verdict}</span> : null}
          </dd>
        </div>
        {beside.length > 0 ? (
          <div>
            <dt>Beside it</dt>
            <dd>
              <ul className="question-sentences">
                {beside.map((sentence) => (
                  <li key={sentence}>{sentence}</li>
                ))}
              </ul>
            </dd>
          </div>
        ) : null}
      </dl>
      {figures.length > 0 ? <FigureTable id={id} figures={figures} unit={unit} /> : null}
      {chart?.kind === 'lines' ? <LineFigure id={id} chart={chart} /> : null}
      {chart?.kind === 'dots' ? <DotFigure id={id} chart={chart} /> : null}
      {tables.map((table) => (
        <TextTable key={table.title} table={table} />
      ))}
      <Origin question={question} docs={docs} />
    </section>
  );
}
