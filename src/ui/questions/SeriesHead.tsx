// The head of a series' questions: its subject, the number of questions with each status, and the caveats for all verdicts.
import { plural } from '../../experiments/analysis/words.ts';
import { OPEN_KINDS, openKindOf } from '../../findings/open-kind.ts';
import type { Series } from '../../findings/series.ts';
import type { Origin, ShownQuestion } from '../../findings/sheet.ts';
import { countsOf, SEVERAL, statusCounts, stemsOf } from '../../findings/stems.ts';
import { duration } from '../../lib/numbers.ts';
import { isAnswered } from '../../store/findings/forest.ts';
import type { Problem } from '../../store/lab-state.ts';
import { Button } from '../parts/Button.tsx';
import { DocLink } from '../parts/links.tsx';
import { Section } from '../parts/Section.tsx';
import { GROUPS } from '../parts/StatusTag.tsx';

interface SeriesHeadProps {
  series: Series;
  questions: readonly ShownQuestion[];
  first?: readonly string[];
  /** Origin of the runs; absent unless the sheet states more than the series' page of the docs. */
  origin?: Origin;
  /** Why the results could not be read; `onAgain` tries again. */
  problem: Problem | null;
  onAgain: () => void;
  isReading: boolean;
}

export function SeriesHead({ series, questions, first = [], origin, problem, onAgain, isReading }: SeriesHeadProps) {
  const findings = REFERENCE.flatMap(({ standing, one, several }) => {
    const n = questions.filter(({ reference }) => reference?.result && reference.standing === standing).length;
    return n > 0 ? [`${n} ${n === 1 ? one : several}`] : [];
  });
  return (
    <Section id="questions" title={series.title} lead={series.lead} more={series.more}>
      {problem ? <UnreadableFile what="results" problem={problem} onAgain={onAgain} /> : null}
      {questions.length > 0 ? <StatusBar questions={questions} /> : null}
      {questions.length > 0 ? <p role="status">{countOf(questions)}</p> : null}
      {findings.length > 0 ? (
        <p className="muted">
          Of the reference’s findings {findings.join(', ')}. The verdicts above are on the hypotheses, not on these.
        </p>
      ) : null}
      {isReading && !problem ? (
        <p className="muted" role="status">
          Reading …
        </p>
      ) : null}
      {first.length > 0 ? <CaveatList lines={first} /> : null}
      <p className="question-origin">
        Each verdict is made from the published rows by a fixed rule, and each card says whether that rule is older than
        its rows. All tables, pilots and what failed: <DocLink path={series.docs} />.
      </p>
      {origin ? (
        <p className="question-origin" data-testid="provenance">
          {origin.about.join(' ')} Training took {duration(origin.seconds)}, evaluations at the end not counted.
        </p>
      ) : null}
    </Section>
  );
}

/** A bar, to scale, with the number of questions by status. Open ones are counted by their reason. */
function StatusBar({ questions }: { questions: readonly ShownQuestion[] }) {
  const answered = questions.filter(isAnswered);
  const rest = questions.length - answered.length;
  return (
    <ul className="verdict-counts" aria-label="Verdicts of these questions">
      {statusCounts(answered).flatMap(({ standing, n }) => {
        if (standing === 'open')
          return OPEN_KINDS.flatMap((kind) => {
            const own = answered.filter((question) => openKindOf(question) === kind).length;
            return own > 0 ? [<Count key={kind} n={own} words={kind} tone="" />] : [];
          });
        const tone = GROUPS.find((one) => one.standing === standing)?.tone ?? '';
        return [
          <Count key={standing} n={n} words={n === 1 ? standing : (SEVERAL[standing] ?? standing)} tone={tone} />,
        ];
      })}
      {rest > 0 ? <Count n={rest} words="with n = 0" tone="" /> : null}
    </ul>
  );
}

/** An open question has no colour, because nothing was found. */
const Count = ({ n, words, tone }: { n: number; words: string; tone: string }) => (
  <li className={`verdict-count ${tone}`} style={{ flexGrow: n }}>
    <b className="num">{n}</b> {words}
  </li>
);

const REFERENCE = [
  { standing: 'replicates', one: 'replicates here', several: 'replicate here' },
  { standing: 'does not replicate', one: 'does not', several: 'do not' },
  { standing: 'undecided', one: 'stays open', several: 'stay open' },
] as const;

/** Such as `33 entries on 9 questions: 15 hold, 1 fails, …; 7 more have n = 0.` */
function countOf(questions: readonly ShownQuestion[]): string {
  const stemCount = stemsOf(questions).length;
  const answered = questions.filter(isAnswered);
  const all = stemCount === questions.length ? '' : `${answered.length} entries on `;
  const rest = questions.length - answered.length;
  const more = rest > 0 ? `; ${rest} more ${rest === 1 ? 'has' : 'have'} n = 0` : '';
  return `${all}${plural(stemCount, 'question')}: ${countsOf(answered)}${more}.`;
}

/** Caveats of the series. They are folded to their headings, because figures and charts come first. */
function CaveatList({ lines }: { lines: readonly string[] }) {
  // The heading of a caveat is marked as `**…**`.
  const parsed = lines.map((line) => {
    const [, head, rest] = /^\*\*(.+?)\*\*(.*)$/s.exec(line) ?? [null, '', line];
    return { line, head, rest };
  });
  const heads = parsed.flatMap(({ head }) => (head ? [head.replace(/\.$/, '').toLowerCase()] : []));
  return (
    <details className="question-first" data-testid="first">
      <summary>
        <b>Caveats:</b> {heads.join(', ')}
      </summary>
      <ul>
        {parsed.map(({ line, head, rest }) => (
          <li key={line}>
            {head ? <b>{head}</b> : null}
            {rest}
          </li>
        ))}
      </ul>
    </details>
  );
}

/** States that a published file could not be fetched or is damaged. */
export function UnreadableFile({ what, problem, onAgain }: { what: string; problem: Problem; onAgain: () => void }) {
  return (
    <div className="callout bad" role="alert">
      <p>
        <b>The published {what} could not be read.</b> {problem.message} {problem.remedy}
      </p>
      <Button label="Try again" onClick={onAgain} />
    </div>
  );
}
