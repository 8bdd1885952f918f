// The card of a question of any series. When closed it shows the verdict. When open it shows the finding, its chart, and why the question
// is undecided. Folded below are the hypothesis, decision rule, figures, tables, their sources, and the runs that can be opened in the lab.
import { plural } from '../../experiments/analysis/words.ts';
import type { Chart, Table } from '../../experiments/judge/figures.ts';
import { AGE_WORDS } from '../../findings/front.ts';
import type { ShownQuestion } from '../../findings/sheet.ts';
import { whyOpen } from '../../store/findings/forest.ts';
import { Fact } from '../parts/Fact.tsx';
import { StatusTag } from '../parts/StatusTag.tsx';
import { DotFigure } from './DotFigure.tsx';
import { LineFigure } from './LineFigure.tsx';
import { LinkedRun } from './LinkedRun.tsx';
import { MarkFigures } from './MarkFigure.tsx';
import { Origin } from './Origin.tsx';
import { FigureTable, TextTable } from './Tables.tsx';

/** Ages of a decision rule for which a closed card has a tag. */
const LATE: readonly string[] = ['younger', 'partly younger'];

interface QuestionCardProps {
  question: ShownQuestion;
  /** Path of the series' page in the docs. */
  docs: string;
  open: boolean;
  onToggle: (isOpen: boolean) => void;
  /** The run of the question that the address names. */
  run: string | null;
}

export function QuestionCard({ question, docs, open, onToggle, run }: QuestionCardProps) {
  const { id, title, said, progress, age } = question;
  const why = whyOpen(question);
  return (
    <details id={id} className="section question" open={open} onToggle={(event) => onToggle(event.currentTarget.open)}>
      <summary>
        <span className="question-head">
          <span className="question-id">{id.replace('-', ', ')}</span>
          <h2>{title}</h2>
          <StatusTag question={question} />
          {age && LATE.includes(age.status) ? (
            <span className={`tag ${age.status === 'younger' ? 'warn' : ''}`} title={age.said}>
              {AGE_WORDS[age.status]}
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
          {run === null ? null : <LinkedRun run={run} files={question.files} />}
          <Body question={question} docs={docs} />
        </section>
      ) : null}
    </details>
  );
}

/** The finding and its chart. The evidence is folded but rendered, so that it can be searched and printed. */
function Body({ question, docs }: Pick<QuestionCardProps, 'question' | 'docs'>) {
  const { id, caveat, said, verdict, tables, chart, limits = [] } = question;
  const why = whyOpen(question);
  const lines = [verdict, ...limits].filter((sentence) => sentence !== '');
  return (
    <>
      <p className="question-said" data-testid={`verdict-${id}`}>
        {said} <StatusTag question={question} />
        {why ? <span className="finding-line">{why}</span> : null}
      </p>
      {chart ? <ChartOf id={id} chart={chart} table={tables[0]} /> : null}
      <dl className="question-facts">
        {lines.length > 0 ? (
          <div>
            <dt>In numbers</dt>
            <dd data-testid={`numbers-${id}`}>
              {lines.map((sentence) => (
                <span key={sentence} className="finding-line">
                  {sentence}
                </span>
              ))}
            </dd>
          </div>
        ) : null}
        {caveat ? <Fact name="Caveat">{caveat}</Fact> : null}
      </dl>
      <details className="question-more" data-testid={`statistics-${id}`}>
        <summary>Statistics: {statisticsOf(question)}</summary>
        <Statistics question={question} />
      </details>
      <details className="question-more" data-testid={`source-${id}`}>
        <summary>Source: rows, commands{question.runs.length > 0 ? ', runs to open in the lab' : ''}</summary>
        <div className="question-folded">
          <Origin question={question} docs={docs} />
        </div>
      </details>
    </>
  );
}

/** Lists the folded contents in the title of the fold: `hypothesis, rule, 2 comparisons, 1 table`. */
function statisticsOf({ figures, tables }: ShownQuestion): string {
  const parts = [
    figures.length > 0 ? plural(figures.length, 'comparison') : '',
    tables.length > 0 ? plural(tables.length, 'table') : '',
  ];
  return ['hypothesis', 'rule', ...parts.filter((part) => part !== '')].join(', ');
}

/** The hypothesis, the decision rule and when it was registered, then all numbers, including controls. */
function Statistics({ question }: Pick<QuestionCardProps, 'question'>) {
  const { id, hypothesis, falsified, rule, beside, figures, tables, unit, reference, remarks = [], age } = question;
  const facts = [
    ['Hypothesis', hypothesis],
    ['Falsified by', falsified],
    ['Reference', reference ? (reference.result ?? 'Not asked there.') : ''],
    ['Its finding here', (reference?.standing !== 'not run' && reference?.finding) || ''],
    ['Rule', rule],
  ].filter(([, text]) => text !== '');
  return (
    <div className="question-folded">
      <dl className="question-facts">
        {facts.map(([name, text]) => (
          <Fact key={name} name={name}>
            {text}
            {name === 'Rule' && age ? <span className="finding-line">{age.said}</span> : null}
          </Fact>
        ))}
        {beside.length > 0 ? (
          <Fact name="Also measured">
            <ul className="question-sentences">
              {beside.map((sentence, i) => (
                // Several interventions may have the same sentence.
                // biome-ignore lint/suspicious/noArrayIndexKey: the sentences of a verdict keep their order
                <li key={`${i} ${sentence}`}>{sentence}</li>
              ))}
            </ul>
          </Fact>
        ) : null}
      </dl>
      {figures.length > 0 ? <FigureTable id={id} figures={figures} unit={unit} /> : null}
      {tables.map((table) => (
        <TextTable key={table.title} id={id} table={table} />
      ))}
      <Remarks remarks={remarks} />
    </div>
  );
}

/** `table` is the question's first table, whose rows the marks of a `marks` chart are. */
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

/** The visible remarks; further ones are folded. */
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
