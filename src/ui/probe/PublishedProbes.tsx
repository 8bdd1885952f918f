// Published results of the probe on the embedded model: each check over the seeds, and the command that reproduces the figures.

import { useEffect } from 'react';
import type { ProbeSeries } from '../../experiments/kinds/probe/series.ts';
import { seriesOrigin, seriesRows } from '../../experiments/kinds/probe/series-words.ts';
import { useProbe, useProbeActions } from '../lab-context.ts';
import { DataTable } from '../parts/DataTable.tsx';
import { Problem } from '../parts/Problem.tsx';
import { Section } from '../parts/Section.tsx';

export function PublishedProbes() {
  const probe = useProbeActions();
  const published = useProbe((state) => state.published);
  const problem = useProbe((state) => state.publishedProblem);
  useEffect(() => {
    void probe.readPublished(document.baseURI);
  }, [probe]);
  if (!problem && (published?.length ?? 0) === 0) return null;
  return (
    <Section
      id="probe-published"
      title="Published probes"
      lead="Measured on the embedded model. A figure is the mean ± sd over the seeds where they differ."
      more="“holds 2, fails 1” counts verdicts."
    >
      <Problem problem={problem} />
      <div className="probe-published">
        {(published ?? []).map((series) => (
          <Series key={series.command} series={series} />
        ))}
      </div>
    </Section>
  );
}

function Series({ series }: { series: ProbeSeries }) {
  const rows = seriesRows(series);
  const hasLora = rows.some(({ lora }) => lora !== null);
  return (
    <details>
      <summary>
        <b>{series.source}</b> <span className="muted">{seriesOrigin(series)}</span>
        <code>{series.command}</code>
      </summary>
      <DataTable
        label={`Checks of ${series.source}`}
        className="result probe-verdicts"
        rows={rows}
        columns={[
          {
            head: 'Check',
            cell: ({ id, title }) => (
              <>
                {id} <span className="probe-what">{title}</span>
              </>
            ),
          },
          { head: 'SVD adapter', cell: ({ svd }) => svd, narrow: 'SVD adapter' },
          ...(hasLora ? [LORA] : []),
        ]}
      />
    </details>
  );
}

const LORA = {
  head: 'LoRA',
  cell: ({ lora }: { lora: string | null }) => lora || 'one verdict on both',
  narrow: 'LoRA',
};
