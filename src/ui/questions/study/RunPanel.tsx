// One run of the study: what it was made with, the final evaluation of each of its models, its charts, and its link, which shows
// it in the lab and runs it again.
import { useEffect, useMemo, useRef } from 'react';
import { shortCommit } from '../../../../research/series/study/report.ts';
import { nameOf } from '../../../experiments/analysis/names.ts';
import { ARMS, experimentOf } from '../../../experiments/config/spec.ts';
import { metricValue } from '../../../experiments/records/metrics.ts';
import type { FinishedRun } from '../../../experiments/runs/finished.ts';
import { moment, percent } from '../../../lib/numbers.ts';
import { encodeRuns } from '../../../share/url.ts';
import { type ExperimentView, newView } from '../../../store/experiment-view.ts';
import { Button } from '../../parts/Button.tsx';
import { DataTable } from '../../parts/DataTable.tsx';
import { Icon } from '../../parts/Icon.tsx';
import { late } from '../../parts/late.tsx';
import { useLatest } from '../../parts/use-loaded.ts';
import { LabLink } from '../LabLink.tsx';

const ChartGrid = late(
  () => import('../../watch/ChartGrid.tsx'),
  <div className="chart-wait">Loading the charts …</div>,
);

export function RunPanel({ run, onClose }: { run: FinishedRun; onClose: () => void }) {
  const { record } = run;
  const { spec, device, appVersion, modelSha256, createdAt } = record;
  const heading = useRef<HTMLHeadingElement>(null);
  const view = useMemo(() => viewOf(run), [run]);
  const title = `${ARMS[spec.arm].label}, seed ${spec.seed}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another run is another panel
  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
    // Its charts come below: with its head at the top they come into view.
    heading.current?.scrollIntoView({ block: 'start' });
  }, [record.id]);
  return (
    <section className="run-panel" aria-labelledby="run-panel-title" data-testid="run-panel">
      <header className="section-head">
        <div>
          <h3 id="run-panel-title" tabIndex={-1} ref={heading}>
            {title}
          </h3>
          <p className="section-lead">
            {run.key}. Made with lab {appVersion}, model {modelSha256.slice(0, 8)}, on {device}, {moment(createdAt)}
            {run.commit ? `, by commit ${shortCommit(run.commit)}` : ''}.
          </p>
        </div>
        <div className="section-actions">
          <OpenLink run={run} />
          <Button icon="close" label="Close" onClick={onClose} />
        </div>
      </header>
      <Finals run={run} />
      <ChartGrid view={view} reading />
    </section>
  );
}

/** Drawn as a finished experiment of this one run. */
function viewOf({ record }: FinishedRun): ExperimentView {
  const view = newView(record.id, experimentOf(record.spec), record.createdAt);
  return { ...view, planned: [record.spec], status: 'done', runs: [record] };
}

function OpenLink({ run }: { run: FinishedRun }) {
  const link = useLatest(() => encodeRuns(experimentOf(run.record.spec), [run.record]), run);
  if (!link) return null;
  return (
    <LabLink
      className="btn small primary"
      hash={link.hash}
      title="Shows this run in the lab, from where it can be run again and compared"
    >
      <Icon name="share" size={14} />
      Open in the lab
    </LabLink>
  );
}

function Finals({ run: { record, rerouted: replayed } }: { run: FinishedRun }) {
  const { arm } = record.spec;
  const rows = [
    ...record.evals.filter(({ kind }) => kind === 'final').map((row) => ({ row, again: false })),
    ...replayed.map(({ row }) => ({ row, again: true })),
  ];
  return (
    <DataTable
      label="Final evaluation of this run"
      boxClassName="run-finals"
      rows={rows}
      columns={[
        {
          head: 'Final evaluation',
          cell: ({ row, again }) => (
            <>
              {nameOf(arm, row.model, [arm])}
              {again ? <span className="muted"> (replayed from its steps)</span> : null}
            </>
          ),
        },
        { head: 'problems', cell: ({ row }) => row.all.n },
        { head: 'hack', cell: ({ row }) => percent(metricValue(row.all, 'hack')) },
        { head: 'solve', cell: ({ row }) => percent(metricValue(row.all, 'solve')) },
      ]}
    />
  );
}
