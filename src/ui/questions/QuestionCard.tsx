// One question, of any series: closed, its verdict; open, what was asked and by which rule it was judged, its figures, picture and tables,
// what made them, and its runs, to be opened in the lab.
import type { ReactNode } from 'react';
import type { ShownQuestion } from '../../experiments/judge/sheet.ts';
import type { Chart, Table } from '../../experiments/judge/types.ts';
import { whyOpen } from '../../store/findings/forest.ts';
import { DotFigure } from './DotFigure.tsx';
import { LineFigure } from './LineFigure.tsx';
import { MarkFigures } from './MarkFigure.tsx';
import { Origin } from './Origin.tsx';
import { FigureTable, TextTable } from './Tables.tsx';
import { StatusTag } from './words.tsx';

/** What stands on a closed card already. */
const YOUNGER: Readonly<Record<string, string>> = {
  younger: 'rule younger than rows',
  'partly younger': 'rule younger than some rows',
};

interface QuestionCardProps {
  question: ShownQuestion;
  /** The series' page of the docs. */
  docs: string;
  open: boolean;
  onToggle: (isOpen: boolean) => void;
  /** What a series adds to an open one. */
  more?: ReactNode;
}

export function QuestionCard({ question, docs, open, onToggle, more }: QuestionCardProps) {
  const { id, title, said, progress, age } = question;
  const why = whyOpen(question);
  return (
    <details id={id} className="section question" open={open} onToggle={(event) => onToggle(event.currentTarget.open)}>
      <summary>
        <span className="question-head">
          <span className="question-id">{id.replace('-', ', ')}</span>
          <h2>{title}</h2>
          <StatusTag question={question} />
          {age && age.status in YOUNGER ? (
            <span className={`tag ${age.status === 'younger' ? 'warn' : ''}`} title={age.said}>
              {YOUNGER[age.status]}
            </span>
          ) : null}
          {progress ? <span className="muted num">{progress}</span> : null}
        </span>
        <span className="finding-said">
          {said} {why}
        </span>
      </summary>
      {open ? (
        <section className="question-body" aria-label={id}>
          <Body question={question} docs={docs} />
          {more}
        </section>
      ) : null}
    </details>
  );
}

function Body({ question, docs }: Pick<QuestionCardProps, 'question' | 'docs'>) {
  const { id, hypothesis, falsified, rule, caveat, said, verdict, beside, figures, tables, chart, unit } = question;
  const { reference, remarks = [], limits = [], age } = question;
  const why = whyOpen(question);
  const facts = [
    ['Caveat', caveat],
    ['Hypothesis', hypothesis],
    ['Falsified by', falsified],
    ['Reference', reference ? (reference.result ?? 'Not asked there.') : ''],
    ['Its finding here', (reference?.standing !== 'not run' && reference?.finding) || ''],
    ['Rule', rule],
  ].filter(([, text]) => text !== '');
  return (
    <>
      {chart ? <ChartOf id={id} chart={chart} table={tables[0]} /> : null}
      <dl className="question-facts">
        <div>
          <dt>Verdict</dt>
          <dd data-testid={`verdict-${id}`}>
            {said} <StatusTag question={question} />
            {why ? <span className="finding-line">{why}</span> : null}
            {[verdict, ...limits]
              .filter((sentence) => sentence !== '')
              .map((sentence) => (
                <span key={sentence} className="finding-line">
                  {sentence}
                </span>
              ))}
          </dd>
        </div>
        {facts.map(([name, text]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              {text}
              {name === 'Rule' && age ? <span className="finding-line">{age.said}</span> : null}
            </dd>
          </div>
        ))}
        {beside.length > 0 ? (
          <div>
            <dt>Also measured</dt>
            <dd>
              <ul className="question-sentences">
                {beside.map((sentence, i) => (
                  // The same may be said of several interventions.
                  // biome-ignore lint/suspicious/noArrayIndexKey: the sentences of a verdict keep their order
                  <li key={`${i} ${sentence}`}>{sentence}</li>
                ))}
              </ul>
            </dd>
          </div>
        ) : null}
      </dl>
      {figures.length > 0 ? <FigureTable id={id} figures={figures} unit={unit} /> : null}
      {tables.map((table) => (
        <TextTable key={table.title} id={id} table={table} />
      ))}
      <Remarks remarks={remarks} />
      <Origin question={question} docs={docs} />
    </>
  );
}

/** `table`: the question's first, whose rows a chart's marks may be. */
function ChartOf({ id, chart, table }: { id: string; chart: Chart; table?: Table }) {
  switch (chart.kind) {
    case 'lines':
      return <LineFigure id={id} chart={chart} />;
    case 'dots':
      return <DotFigure id={id} chart={chart} />;
    case 'marks':
      return table ? <MarkFigures id={id} chart={chart} table={table} /> : null;
  }
}

/** Of more the rest is a click away. */
const FEW = 4;

function Remarks({ remarks }: { remarks: readonly string[] }) {
  if (remarks.length === 0) return null;
  const list = (items: readonly string[]) => (
    <ul className="question-notes">
      {items.map((remark) => (
        <li key={remark}>{remark}</li>
      ))}
    </ul>
  );
  return (
    <div>
      {list(remarks.slice(0, FEW))}
      {remarks.length > FEW ? (
        <details className="question-more">
          <summary>{remarks.length - FEW} more remarks</summary>
          {list(remarks.slice(FEW))}
        </details>
      ) : null}
    </div>
  );
}
