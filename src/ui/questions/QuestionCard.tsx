// One question: closed, its verdict; open, its hypothesis, table, chart, what is missing, and the runs behind it.
import type { QuestionResult } from '../../experiments/kinds/study/figures.ts';
import { behind, headline } from '../../experiments/kinds/study/report.ts';
import type { Question } from '../../experiments/kinds/study/types.ts';
import { Frontier } from './Frontier.tsx';
import { HackSolves } from './HackSolve.tsx';
import { Missing } from './Missing.tsx';
import { QuestionTable } from './QuestionTable.tsx';
import { Runs } from './Runs.tsx';
import { useQuestions } from './use-questions.ts';
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
  const result = useQuestions((state) => state.results.get(question.id)) ?? null;
  const verdict = result?.verdict ?? null;
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
          {result ? <span className="muted num">{progressOf(result)}</span> : null}
        </span>
        <span className="question-verdict">{verdict ? headline(verdict) : ''}</span>
      </summary>
      {open ? <Body question={question} result={result} runId={runId} onRun={onRun} /> : null}
    </details>
  );
}

type BodyProps = Pick<QuestionCardProps, 'question' | 'runId' | 'onRun'> & { result: QuestionResult | null };

function Body({ question, result, runId, onRun }: BodyProps) {
  const { id, hypothesis, falsified, reference, notes } = question;
  const remarks = [...notes, ...(result?.notes ?? [])];
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
            {result ? headline(result.verdict) : 'Reading …'} <StandingTag verdict={result?.verdict ?? null} />
          </dd>
        </div>
        {result && behind(result.verdict).length > 0 ? (
          <div>
            <dt>Figures</dt>
            <dd data-testid={`figures-${id}`}>
              <Sentences of={behind(result.verdict)} />
            </dd>
          </div>
        ) : null}
      </dl>
      {result ? (
        <>
          <QuestionTable result={result} />
          {result.done > 0 ? id === 'Q18' ? <Frontier result={result} /> : <HackSolves result={result} /> : null}
          <Remarks remarks={remarks} />
          <Added result={result} />
          <Missing id={id} />
          <Runs id={id} shown={runId} onRun={onRun} />
        </>
      ) : null}
    </section>
  );
}

/** Its rates are of its last five training steps, never of a final evaluation. */
const inReference = (reference: string | null): string =>
  reference === null ? 'Not asked there.' : `${reference} (Rates of its last 5 training steps.)`;

/** What was asked of the same table later, with a verdict of its own. */
function Added({ result: { question, addition: verdict } }: { result: QuestionResult }) {
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
