// A finding as bars: for each condition, the measure that its sentence is about.
import type { ReactNode } from 'react';
import { type EnvironmentHeadline, headlineText, type MeanEstimate } from '../../findings/headline.ts';
import { barsOf } from '../../store/findings/bars.ts';
import './found.css';

/** @param children a note on the charts beside it */
export function FindingBars({ headline, children }: { headline: EnvironmentHeadline; children?: ReactNode }) {
  const { n, unit } = headline;
  const bars = barsOf(headline);
  return (
    <figure className="found">
      <figcaption>
        <h3>What was found</h3>
        <p>
          “{bars[0].measure}”; over {n} {unit}: means with 95 % intervals, or each where they differ widely.
        </p>
      </figcaption>
      <div>
        <ul>
          {bars.map((bar) => (
            <li key={bar.condition}>
              <b className="num">{headlineText(bar)}</b> {bar.condition}
              <ShareBar {...bar} />
            </li>
          ))}
        </ul>
        {children ? <p className="muted note">{children}</p> : null}
      </div>
    </figure>
  );
}

const share = (value: number) => `${100 * Math.min(1, Math.max(0, value))}%`;

/** The whole width is 0 to 1. Hidden from screen readers, because the text beside it states the value. */
export function ShareBar({ mean, interval, each = [], color }: MeanEstimate & { color: string }) {
  return (
    <svg width="100%" height="14" aria-hidden="true">
      <rect width={share(mean)} height="14" fill={color} />
      {interval ? <line x1={share(interval.low)} x2={share(interval.high)} y1="7" y2="7" /> : null}
      {each.map((value, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two units may have one value; their order does not change
        <circle key={i} cx={share(value)} cy="7" r="3" />
      ))}
    </svg>
  );
}
