// The end of a fork beside its parent's, counted from the step at which they diverge: a sentence, and a row for each metric.
import { useEffect, useState } from 'react';
import type { BeforeAfter } from '../../experiments/analysis/headline.ts';
import { armLabel } from '../../experiments/analysis/names.ts';
import {
  deployedMetric,
  type SinceFork as Row,
  type SinceForkPart,
  sinceFork,
  sinceForkSentence,
} from '../../experiments/analysis/since-fork.ts';
import type { Fork } from '../../experiments/config/spec.ts';
import { headlinesOf } from '../../experiments/environments/registry.ts';
import type { ExperimentResult, RunRecord } from '../../experiments/records/events.ts';
import { decimal, percent, points } from '../../lib/numbers.ts';
import { forkChangesText, forkText } from '../../store/runs/fork.ts';
import { useLab, useLabActions } from '../lab-context.ts';
import { DataTable } from '../parts/DataTable.tsx';
import { Dumbbells } from './Dumbbells.tsx';

const PARTS: Record<SinceForkPart, (row: Row) => string> = {
  steps: ({ n }) => `mean of ${n} paired steps`,
  final: () => 'final evaluation',
  deployed: () => 'final evaluation, quarantine removed',
};

interface SinceForkProps {
  result: ExperimentResult;
  metrics: readonly BeforeAfter[];
  /** Compares with the untrained model if the parent is not stored. */
  sentence: string;
  evidence: string;
}

export default function SinceFork({ result: { spec, runs, table }, metrics, sentence, evidence }: SinceForkProps) {
  const parent = useParent(spec.fork?.run ?? '');
  if (!spec.fork) return null;
  const headline = parent && sinceForkSentence(parent, runs, headlinesOf(parent.spec.environment));
  return (
    <>
      <p className="headline">{headline ?? sentence}</p>
      <p className="muted note">
        {parent !== null ? '' : 'Its parent is not kept in this browser: beside the untrained model alone. '}
        {evidence} Final evaluation, on problems unseen in training.
      </p>
      {parent ? (
        <Paired fork={spec.fork} changes={forkChangesText(spec, spec.fork.step)} parent={parent} runs={runs} />
      ) : null}
      <Dumbbells
        metrics={metrics}
        table={table}
        runs={runs}
        parent={parent ? (metric) => deployedMetric(parent, metric) : undefined}
      />
    </>
  );
}

interface PairedProps {
  fork: Fork;
  changes: string;
  parent: RunRecord;
  runs: readonly RunRecord[];
}

function Paired({ fork, changes, parent, runs }: PairedProps) {
  const metrics = headlinesOf(parent.spec.environment);
  const infos = new Map(metrics.map((metric) => [metric.id, metric]));
  const isShare = ({ metric }: Row) => infos.get(metric)?.unit === 'share';
  const show = (row: Row, x: number) => (isShare(row) ? percent(x) : decimal(x));
  const rows = runs.flatMap((run) =>
    sinceFork(parent, run, [...infos.keys()]).map((row) => ({ ...row, arm: armLabel(run.spec.arm) })),
  );
  if (rows.length === 0) return null;
  return (
    <section className="since-fork" aria-labelledby="since-fork">
      <h3 id="since-fork">Since step {fork.step}, paired</h3>
      <p className="muted note">
        <b>{changes}</b> Beside its parent, {forkText(fork)}: the same run until there, and the same random numbers
        since. One pair of runs has no spread; fork other seeds’ runs for one.
      </p>
      <DataTable
        label="Since the fork"
        rows={rows}
        columns={[
          { head: 'Fork', cell: (row) => `${row.arm}: ${infos.get(row.metric)?.label}, ${PARTS[row.part](row)}` },
          { head: 'Parent', cell: (row) => show(row, row.parent), narrow: 'parent' },
          { head: 'Fork', cell: (row) => show(row, row.child), narrow: 'fork' },
          {
            head: 'Difference',
            cell: (row) => (isShare(row) ? `${points(row.difference)} points` : decimal(row.difference)),
            narrow: 'difference',
          },
        ]}
      />
    </section>
  );
}

/** The parent's record; undefined while it is being read, null if it is not stored. */
function useParent(runId: string): RunRecord | null | undefined {
  const lab = useLabActions();
  const id = runId.split('/')[0];
  const isKept = useLab(({ kept }) => kept.run.some((summary) => summary.id === id));
  const [parent, setParent] = useState<RunRecord | null>();
  useEffect(() => {
    let current = true;
    setParent(isKept ? undefined : null);
    if (isKept)
      void lab.loadKept(id).then((loaded) => {
        if (current) setParent(loaded?.runs.find((run) => run.id === runId) ?? null);
      });
    return () => {
      current = false;
    };
  }, [lab, id, runId, isKept]);
  return parent;
}
