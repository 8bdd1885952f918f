// An environment's finding over many seeds, in one sentence with n. A click on n shows the figures and their intervals; a link leads to
// the question that judges the same rows.
import { headlineText } from '../../findings/headline.ts';
import { withFindings } from '../../store/findings/link.ts';
import { PageLink } from '../parts/links.tsx';
import { Popover } from '../parts/Popover.tsx';
import { openAddress } from '../parts/view.ts';
import { useEnvironmentHeadline } from './use-demo.ts';

export function EnvironmentFinding({ environment }: { environment: string }) {
  const headline = useEnvironmentHeadline(environment);
  // A placeholder keeps the height while the headline loads.
  if (headline === undefined) return <p className="headline">…</p>;
  if (headline === null) return null;
  const { sentence, n, unit, figures, asked } = headline;
  const lines = figures.map((figure) => `${figure.name}: ${headlineText(figure)}`);
  const count = `n = ${n} ${unit}`;
  return (
    <div className="finding-headline">
      <p className="headline" title={`${lines.join('\n')}\n95 % intervals, ${count}`}>
        {sentence}
      </p>
      <p className="finding-n">
        <Popover label="The numbers behind it" trigger={count} className="btn small quiet num">
          {() => (
            <div className="finding-figures">
              <p>Means over {unit}, with 95 % intervals.</p>
              <ul>
                {figures.map((figure) => (
                  <li key={figure.name}>
                    <span>{figure.name}</span> <b className="num">{headlineText(figure)}</b>
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
