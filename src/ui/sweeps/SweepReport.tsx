// Results of a sweep: the best configuration with its caveat, the table, and four charts.

import type { SweepPlan } from '../../experiments/sweep/plan.ts';
import type { SweepReport as Report, ReportRow } from '../../experiments/sweep/report.ts';
import { ranked, reportMarkdown, summaryCell } from '../../experiments/sweep/report-text.ts';
import { significant } from '../../lib/numbers.ts';
import { configurationWords } from '../../store/sweeps/words.ts';
import { useSweepActions } from '../lab-context.ts';
import { Button } from '../parts/Button.tsx';
import { DataTable } from '../parts/DataTable.tsx';
import { DownloadButton } from '../parts/DownloadButton.tsx';
import { Section } from '../parts/Section.tsx';
import { HeatMap, Parallel, Scatter } from './figures.tsx';

export function SweepReport({ report, plan }: { report: Report; plan: SweepPlan }) {
  const actions = useSweepActions();
  const { best, metric, done, planned, notes, effects } = report;
  const ids = Object.keys(report.table[0]?.metrics ?? {});
  const again = 'npm run lab -- sweep run best-again.json --out DIR';
  return (
    <Section
      id="sweep-report"
      title="Report"
      lead={`${done} of ${planned} runs. ${metric.id}${metric.model === 'deployed' ? ' of the routed model, quarantine removed' : ''}, final evaluation; ${metric.goal} is better.`}
      more="Mean ± sd over seeds, with the 95 % t interval."
      actions={
        <>
          <DownloadButton label="Markdown" file="report.md" text={() => reportMarkdown(report, [], again)} />
          <DownloadButton label="JSON" file="report.json" text={() => JSON.stringify(report, null, 1)} />
        </>
      }
    >
      {notes.map((note) => (
        <p key={note} className="callout slim">
          {note}
        </p>
      ))}
      {best ? (
        <div className="sweep-best">
          <p>
            <b>{configurationWords(best.row.values)}</b>: {metric.id} {summaryCell(best.row.metrics[metric.id])}, n ={' '}
            {best.row.seeds.length}.
            {best.of === 1
              ? ' Nothing was chosen here: there is one configuration.'
              : ` It is the best of ${best.of}, chosen by the same runs that it is judged by: its figure is too good by construction.`}
            {best.of === 1 || best.byChance === null
              ? ''
              : ` If all configurations were alike, the best would still lie about ${significant(best.byChance)} ${metric.goal === 'higher' ? 'above' : 'below'} their mean.`}
          </p>
          <Button label="The best again on fresh seeds" onClick={() => actions.open(best.again)} />
        </div>
      ) : (
        <p>No configuration has all its runs yet.</p>
      )}
      <DataTable
        label="Configurations"
        rows={ranked(report)}
        columns={[
          { head: 'Configuration', cell: ({ values }) => configurationWords(values) },
          { head: 'Steps', cell: ({ steps }) => steps },
          { head: 'n', cell: ({ seeds }) => seeds.length },
          ...ids.map((id) => ({ head: id, cell: ({ metrics }: ReportRow) => summaryCell(metrics[id]) })),
        ]}
      />
      {effects.some(({ rank }) => rank !== null) ? (
        <p>
          Rank correlation with {metric.id}:{' '}
          {effects
            .filter(({ rank }) => rank !== null)
            .map(({ option, rank }) => `${option} ${significant(rank)}`)
            .join(', ')}
          .
        </p>
      ) : null}
      <div className="sweep-figures">
        <Parallel report={report} plan={plan} />
        <Scatter report={report} />
        <HeatMap report={report} plan={plan} />
      </div>
    </Section>
  );
}
