// An environment's finding over many seeds: the sentence that its question judges, the verdict, and the controls beside it. A click on n
// shows the figures and their intervals. A link leads to the question.
import { countText, differenceText, type EnvironmentHeadline, headlineText } from '../../findings/headline.ts';
import { withFindings } from '../../store/findings/link.ts';
import { PageLink } from '../parts/links.tsx';
import { Popover } from '../parts/Popover.tsx';
import { statusWords, toneOf } from '../parts/StatusTag.tsx';
import { openAddress } from '../parts/view.ts';
import { useEnvironmentHeadline } from './use-demo.ts';

export function EnvironmentFinding({ environment }: { environment: string }) {
  const headline = useEnvironmentHeadline(environment);
  // A placeholder keeps the height while the headline loads.
  if (headline === undefined) return <p className="headline">…</p>;
  if (headline === null) return null;
  const { sentence, unit, draws, figures, asked, verdict } = headline;
  const shares = figures.filter(({ name }) => name !== 'difference');
  const measured = [
    ...shares.map((figure) => ({ name: figure.name, text: headlineText(figure) })),
    ...(verdict?.judged ?? []).map((figure) => ({ name: figure.name, text: `${differenceText(figure)} points` })),
  ];
  const lines = measured.map(({ name, text }) => `${name}: ${text}`);
  const count = countText(headline);
  return (
    <div className="finding-headline">
      <p className="headline" title={`${lines.join('\n')}\n95 % intervals, ${count}`}>
        {sentence}
      </p>
      <p className="finding-n">
        {verdict ? (
          <span className={`tag ${toneOf(verdict.standing)}`} title={verdict.word}>
            {statusWords(verdict)}
          </span>
        ) : null}
        <Popover label="The numbers behind it" trigger={<Count of={headline} />} className="btn small quiet num">
          {() => (
            <div className="finding-figures">
              <p>
                Means over {unit}
                {draws ? ' and evaluation draws' : ''}, with 95 % intervals; one by one where they differ too widely.
              </p>
              <ul>
                {measured.map(({ name, text }) => (
                  <li key={name}>
                    <span>{name}</span> <b className="num">{text}</b>
                  </li>
                ))}
              </ul>
            </div>
          )}
        </Popover>
        {asked ? <QuestionLink {...asked} /> : null}
      </p>
    </div>
  );
}

/** The text of countText in parts, because a phone shows only the numbers. */
function Count({ of: { n, unit, draws } }: { of: EnvironmentHeadline }) {
  return (
    <span>
      n = {n} <span className="finding-unit">{unit}</span>
      {draws ? (
        <>
          {' '}
          × {draws} <span className="finding-unit">evaluations</span>
        </>
      ) : null}
    </span>
  );
}

/** The controls and limits of the finding, below its chart and never folded. */
export function FindingBeside({ environment }: { environment: string }) {
  const headline = useEnvironmentHeadline(environment);
  if (!headline || headline.beside.length === 0) return null;
  return (
    <ul className="finding-beside" aria-label="Beside the finding">
      {headline.beside.map((text) => (
        <li key={text}>{text}</li>
      ))}
    </ul>
  );
}

function QuestionLink({ series, question }: Parameters<typeof withFindings>[1] & { question: string }) {
  const href = withFindings(window.location.href, { series, question });

  function open(): void {
    openAddress(href);
    window.scrollTo(0, 0);
  }

  return (
    <PageLink href={href} open={open}>
      How it is judged: {question}
    </PageLink>
  );
}
