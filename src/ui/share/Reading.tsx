// A link's results in words for readers who do not know the lab: the metrics, which direction is better, and the conclusion.
import { useMemo } from 'react';
import type { MetricInfo } from '../../environments/metric-info.ts';
import type { SharedRun } from '../../share/shared-run.ts';
import { conclusionOf } from '../../store/share/conclusion.ts';
import { Fact } from '../parts/Fact.tsx';

/** The metrics in words. */
export function Explained({ metrics }: { metrics: readonly MetricInfo[] }) {
  return (
    <dl className="shared-words">
      {metrics.map(({ id, label, about, better }) => (
        <Fact key={id} name={label}>
          {about}
          {better === 'neither' || /is better/.test(about)
            ? ''
            : better === 'lower'
              ? ' Lower is better.'
              : ' Higher is better.'}
        </Fact>
      ))}
    </dl>
  );
}

export function Conclusion({ runs, metrics }: { runs: readonly SharedRun[]; metrics: readonly MetricInfo[] }) {
  const sentences = useMemo(() => conclusionOf(runs, metrics), [runs, metrics]);
  if (sentences.length === 0) return null;
  return (
    <div className="shared-conclusion" data-testid="conclusion">
      <h3>What came out</h3>
      <ul>
        {sentences.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </div>
  );
}
