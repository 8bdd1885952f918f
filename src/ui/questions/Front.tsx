// The front page of Findings: ten sentences with their evidence and their charts, then a row for each question with its bases in columns;
// or else the page about whether a basis of one hack prevents another. All of it comes from one published file, and no sheet or rows are
// loaded.
import { plural } from '../../experiments/analysis/words.ts';
import {
  AGE_WORDS,
  type Elsewhere,
  type EntryVerdict,
  type FrontQuestion,
  type FrontSentence,
  type Front as PublishedFront,
} from '../../findings/front.ts';
import { headlineText } from '../../findings/headline.ts';
import { OPEN_KINDS, OPEN_WORDS } from '../../findings/open-kind.ts';
import { type FindingsPage, seriesOfQuestion, withFindings } from '../../store/findings/link.ts';
import { openFront } from '../../store/findings/sheets.ts';
import { ShareBar } from '../first/FindingBars.tsx';
import { DataTable } from '../parts/DataTable.tsx';
import { DocLink, PageLink } from '../parts/links.tsx';
import { Section } from '../parts/Section.tsx';
import { toneOf } from '../parts/StatusTag.tsx';
import { TableBox } from '../parts/TableBox.tsx';
import { useFetched } from '../parts/use-loaded.ts';
import { UnreadableFile } from './SeriesHead.tsx';
import './findings.css';

const DOCS = 'docs/explanation/findings.md';

export default function Front({ page }: { page: FindingsPage }) {
  const { value: front, problem, again } = useFetched(() => openFront(document.baseURI));
  if (problem) return <UnreadableFile what="findings" problem={problem} onAgain={again} />;
  if (!front)
    return (
      <p className="muted" role="status">
        Reading …
      </p>
    );
  return page === 'ten' ? <Ten front={front} /> : <OtherHack {...front.elsewhere} />;
}

function Ten({ front: { sentences, columns, questions } }: { front: PublishedFront }) {
  return (
    <>
      <Section
        id="ten"
        title="What was found, in ten sentences"
        lead="Small models, planted flaws. Chosen when the rows were known; bold: negative. No interval corrects for the number of questions."
      >
        <ol className="ten">
          {sentences.map((sentence) => (
            <Sentence key={sentence.text} {...sentence} />
          ))}
        </ol>
        <p className="question-origin">
          The same with every entry in a sentence: <DocLink path={DOCS} />.
        </p>
      </Section>
      <Section id="every-question" title={`Every question: ${questions.length}`} lead="A column is the base asked.">
        <Questions columns={columns} questions={questions} />
        <p className="muted note">
          Open is one of four: {OPEN_KINDS.map((kind) => `${kind} (${OPEN_WORDS[kind]})`).join('; ')}. Post hoc: the
          rule is younger than the rows. n counts the question’s unit.
        </p>
      </Section>
    </>
  );
}

function Sentence({ text, isNegative, counted, by, picture }: FrontSentence) {
  return (
    <li>
      <p className="ten-said">{isNegative ? <b className="ten-negative">{text}</b> : text}</p>
      <p className="muted note">
        {counted}. Judged by{' '}
        {by.map((entry, i) => (
          <span key={entry.id}>
            {i > 0 ? ', ' : ''}
            <Judged {...entry} />
          </span>
        ))}
        .
      </p>
      <figure className="found">
        <figcaption>{picture.title}</figcaption>
        <ul>
          {picture.bars.map((bar) => (
            <li key={bar.name}>
              <b className="num">{headlineText(bar)}</b> {bar.name}
              <ShareBar {...bar} color="var(--accent)" />
            </li>
          ))}
        </ul>
      </figure>
    </li>
  );
}

/** An entry as a link, with its verdict and the age of its decision rule. */
function Judged({ id, standing, word, open, age }: EntryVerdict) {
  return (
    <>
      <EntryLink id={id}>{id}</EntryLink>{' '}
      <span className={`tag ${toneOf(standing)}`} title={word}>
        {open ?? word}
      </span>
      {age ? ` ${AGE_WORDS[age]}` : ''}
    </>
  );
}

function EntryLink({ id, children }: { id: string; children: string }) {
  const series = seriesOfQuestion(id) ?? 'study';
  return <PageLink href={withFindings(window.location.href, { series, question: id })}>{children}</PageLink>;
}

function Questions({ columns, questions }: { columns: readonly string[]; questions: readonly FrontQuestion[] }) {
  return (
    <DataTable
      label="Every question, by base"
      className="result finding-table asked-table"
      rows={questions}
      columns={[
        {
          head: 'Question',
          cell: ({ id, title, cells }) => (
            <>
              <EntryLink id={cells.flat()[0]?.id ?? id}>{id}</EntryLink> {title}
            </>
          ),
        },
        ...columns.map((head, i) => ({
          head,
          className: '',
          cell: ({ id, cells }: FrontQuestion) =>
            cells[i].map((entry) => <Asked key={entry.id} entry={entry} of={id} />),
        })),
      ]}
    />
  );
}

/** An entry in a cell. An open one shows its kind. */
function Asked({ entry: { id, standing, open, n, unit, age, word }, of }: { entry: EntryVerdict; of: string }) {
  const variant = id === of ? '' : id.slice(of.length + 1);
  const late = age === 'younger' || age === 'partly younger' ? AGE_WORDS[age] : null;
  return (
    <span className="asked" title={`${id}: ${word}${n > 0 ? `, n = ${n} ${unit}` : ''}`}>
      <span className={`tag ${toneOf(standing)}`}>
        {open ?? standing}
        {n > 0 ? `, n = ${n}` : ''}
      </span>{' '}
      {variant ? <EntryLink id={id}>{variant}</EntryLink> : null} {late ? <span className="muted">{late}</span> : null}
    </span>
  );
}

function OtherHack({ title, said, head, rows, notes, by }: Elsewhere) {
  const [first, ...others] = said;
  return (
    <Section
      id="other-hack"
      title={title}
      lead={`${plural(head.length - 1, 'flaw')} that no pair shows, side by side.`}
    >
      <p>
        <b>{first}</b>
      </p>
      <ul className="question-notes">
        {others.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      <TableBox label="Flaws that no pair shows">
        <table className="result finding-table">
          <thead>
            <tr>
              {head.map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(([name, ...cells]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                {cells.map((cell, i) => (
                  <td key={head[i + 1]} className="num">
                    {cell}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </TableBox>
      {notes.map((note) => (
        <p key={note} className="muted">
          {note}
        </p>
      ))}
      <p>
        Judged by{' '}
        {by.map((entry, i) => (
          <span key={entry.id}>
            {i > 0 ? ', ' : ''}
            <Judged {...entry} />
          </span>
        ))}
        .
      </p>
    </Section>
  );
}
