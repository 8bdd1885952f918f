// A finding's own picture: a bar a condition, of the measure that its sentence is about.
import type { ReactNode } from 'react';
import {
  conditionsOf,
  type EnvironmentHeadline,
  headlineText,
} from '../../experiments/questions/headlines/headline.ts';
import './found.css';

/** @param children what is said of other pictures beside it */
export function FindingBars({ headline, children }: { headline: EnvironmentHeadline; children?: ReactNode }) {
  const { n, unit } = headline;
  const bars = conditionsOf(headline).map((figure) => {
    const [condition, measure] = figure.name.split(': ');
    return { ...figure, condition, measure };
  });
  const [{ measure }] = bars;
  return (
    <figure className="found">
      <figcaption>
        <h3>What was found</h3>
        <p>
          “{measure}”; means over {n} {unit}, 95 % intervals.
        </p>
      </figcaption>
      <div>
        <ul>
          {bars
            .filter((bar) => bar.measure === measure)
            .map((bar) => (
              <li key={bar.condition}>
                <b className="num">{headlineText(bar)}</b> {bar.condition}
                <Bar {...bar} />
              </li>
            ))}
        </ul>
        {children ? <p className="muted note">{children}</p> : null}
      </div>
    </figure>
  );
}

/** From 0 to 1 along the whole width; its words say the same. */
function Bar({ mean, interval }: Parameters<typeof headlineText>[0]) {
  const percent = (share: number) => `${100 * Math.min(1, Math.max(0, share))}%`;
  return (
    <svg width="100%" height="14" aria-hidden="true">
      <rect className="found-bar" width={percent(mean)} height="14" />
      {interval ? <line x1={percent(interval.low)} x2={percent(interval.high)} y1="7" y2="7" /> : null}
    </svg>
  );
}
