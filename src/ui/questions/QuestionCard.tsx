// One question: closed, its verdict; open, its hypothesis, table and chart, and, when their rows have come, the curves of its runs, what
// is missing, and the runs themselves.
import { useEffect } from 'react';
import { behind, headline } from '../../experiments/kinds/study/report.ts';
import type { Question, Verdict } from '../../experiments/kinds/study/types.ts';
import type { ShownSheet } from '../../store/kinds/study/state.ts';
import { Curves } from './Curves.tsx';
import { Frontier } from './Frontier.tsx';
import { HackSolves } from './HackSolve.tsx';
import { Missing } from './Missing.tsx';
import { QuestionTable } from './QuestionTable.tsx';
import { Runs } from './Runs.tsx';
import { useQuestions, useQuestionsActions } from './use-questions.ts';
import { OutcomeTag, progressOf, StandingTag } from './words.tsx';

interface QuestionCardProps {
  question: Question;
  open: boolean;
  onToggle: (isOpen: boolean) => void;
  /** The run on show, of this question. */
  runId: string | null;
  onRun: (runId: string | null) => void;
}

export function QuestionCard({ question, open, onToggle, runId, onRun }: QuestionCardProps) {
  const sheet = useQuestions((state) => state.results.get(question.id)) ?? null;
  const verdict = sheet?.verdict ?? null;
  return (
    <details
      id={question.id}
      className="section question"
      open={open}
      onToggle={(event) => onToggle(event.currentTarget.open)}
    >
      <summary>
        <span className="question-head">
          <span className="question-id">{question.id}</span>
          <h2>{question.title}</h2>
          <StandingTag verdict={verdict} />
          <OutcomeTag verdict={verdict} />
          {sheet ? <span className="muted num">{progressOf(sheet)}</span> : null}
        </span>
        {question.reference !== null && verdict && verdict.standing !== 'not run' ? (
          <span className="question-verdict">The reference’s finding: {question.finding}</span>
        ) : null}
        <span className="question-verdict">{verdict ? headline(verdict) : ''}</span>
        {question.addition && sheet?.addition ? (
          <span className="question-verdict">
            Added later: {question.addition.title} {headline(sheet.addition)}
          </span>
        ) : null}
        <TwoThings verdict={verdict} />
      </summary>
      {open ? <Body question={question} sheet={sheet} runId={runId} onRun={onRun} /> : null}
    </details>
  );
}

/** “replicates” beside “falsified” looks like a contradiction, and is none. */
function TwoThings({ verdict }: { verdict: Verdict | null }) {
  const outcome = verdict?.answer?.outcome;
  const isOdd =
    (verdict?.standing === 'replicates' && outcome === 'falsified') ||
    (verdict?.standing === 'does not replicate' && outcome === 'holds');
  if (!isOdd) return null;
  return (
    <span className="question-two">
      “{verdict?.standing}” is said of the reference’s finding, “{outcome}” of the hypothesis that was written down
      here.
    </span>
  );
}

type BodyProps = Pick<QuestionCardProps, 'question' | 'runId' | 'onRun'> & { sheet: ShownSheet | null };

function Body({ question, sheet, runId, onRun }: BodyProps) {
  const { id, hypothesis, falsified, reference, notes } = question;
  const remarks = [...notes, ...(sheet?.notes ?? [])];
  return (
    <section className="question-body" aria-label={id}>
      <dl className="question-facts">
        <div>
          <dt>Hypothesis</dt>
          <dd>{hypothesis}</dd>
        </div>
        <div>
          <dt>Falsified by</dt>
          <dd>{falsified}</dd>
        </div>
        <div>
          <dt>Reference</dt>
          <dd>{inReference(reference)}</dd>
        </div>
        <div>
          <dt>Verdict</dt>
          <dd data-testid={`verdict-${id}`}>
            {sheet ? headline(sheet.verdict) : 'Reading …'} <StandingTag verdict={sheet?.verdict ?? null} />
          </dd>
        </div>
        {sheet && behind(sheet.verdict).length > 0 ? (
          <div>
            <dt>Figures</dt>
            <dd data-testid={`figures-${id}`}>
              <Sentences of={behind(sheet.verdict)} />
            </dd>
          </div>
        ) : null}
      </dl>
      {sheet ? (
        <>
          <QuestionTable sheet={sheet} />
          {sheet.done > 0 ? id === 'Q18' ? <Frontier sheet={sheet} /> : <HackSolves sheet={sheet} /> : null}
          <Remarks remarks={remarks} />
          <Added sheet={sheet} />
          <OfRows sheet={sheet} runId={runId} onRun={onRun} />
        </>
      ) : null}
    </section>
  );
}

/** What needs the rows, which come when the question is opened. */
function OfRows({ sheet, runId, onRun }: Pick<QuestionCardProps, 'runId' | 'onRun'> & { sheet: ShownSheet }) {
  const { id } = sheet.question;
  const actions = useQuestionsActions();
  const here = useQuestions((state) => state.open.has(id));
  useEffect(() => void actions.open(id), [actions, id]);
  if (!here)
    return (
      <p className="chart-wait" role="status">
        Fetching the rows of its runs …
      </p>
    );
  return (
    <>
      <Curves sheet={sheet} />
      <Missing id={id} />
      <Runs id={id} shown={runId} onRun={onRun} />
    </>
  );
}

/** Its rates are of its last five training steps, never of a final evaluation. */
const inReference = (reference: string | null): string =>
  reference === null ? 'Not asked there.' : `${reference} (Rates of its last 5 training steps.)`;

/** What was asked of the same table later, with a verdict of its own. */
function Added({ sheet: { question, addition: verdict } }: { sheet: ShownSheet }) {
  const { id, addition } = question;
  if (!addition || !verdict) return null;
  const facts: [string, string][] = [
    ['Hypothesis', addition.hypothesis],
    ['Falsified by', addition.falsified],
    ['Reference', inReference(addition.reference)],
  ];
  return (
    <section aria-labelledby={`added-${id}`} data-testid={`added-${id}`}>
      <h3 id={`added-${id}`}>Added later, written down before its runs: {addition.title}</h3>
      <dl className="question-facts">
        {facts.map(([name, text]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{text}</dd>
          </div>
        ))}
        <div>
          <dt>Verdict</dt>
          <dd>
            {headline(verdict)} <StandingTag verdict={verdict} />
          </dd>
        </div>
        {behind(verdict).length > 0 ? (
          <div>
            <dt>Figures</dt>
            <dd>
              <Sentences of={behind(verdict)} />
            </dd>
          </div>
        ) : null}
      </dl>
      <Remarks remarks={addition.notes} />
    </section>
  );
}

const FEW = 4;

/** A verdict of many parts is read line by line. */
function Sentences({ of }: { of: readonly string[] }) {
  if (of.length <= FEW) return <>{of.join(' ')}</>;
  return (
    <ul className="question-sentences">
      {of.map((sentence, i) => (
        // The same may be said of several interventions.
        // biome-ignore lint/suspicious/noArrayIndexKey: the sentences of a verdict keep their order
        <li key={`${i} ${sentence}`}>{sentence}</li>
      ))}
    </ul>
  );
}

function Remarks({ remarks }: { remarks: readonly string[] }) {
  if (remarks.length === 0) return null;
  const list = (items: readonly string[]) => (
    <ul className="question-notes">
      {items.map((note) => (
        <li key={note}>{note}</li>
      ))}
    </ul>
  );
  if (remarks.length <= FEW) return list(remarks);
  return (
    <>
      {list(remarks.slice(0, FEW))}
      <details className="question-more">
        <summary>{remarks.length - FEW} more remarks</summary>
        {list(remarks.slice(FEW))}
      </details>
    </>
  );
}
