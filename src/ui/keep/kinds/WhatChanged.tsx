// The settings in which an experiment differs from another one.
import { useState } from 'react';
import type { ExperimentSummary } from '../../../lab/protocol/experiments.ts';
import { moment } from '../../../lib/numbers.ts';
import { runName } from '../../../store/kinds/kinds.ts';
import { changesBetween } from '../../../store/runs/spec-diff.ts';
import { useLab } from '../../lab-context.ts';
import { Choice } from '../../parts/Choice.tsx';
import { DataTable } from '../../parts/DataTable.tsx';

export function WhatChanged({ summary }: { summary: ExperimentSummary }) {
  const kept = useLab((state) => state.kept.run);
  const others = kept.filter(({ id }) => id !== summary.id);
  const before = others.find(({ createdAt }) => createdAt < summary.createdAt) ?? others[0];
  const [chosen, setChosen] = useState(before?.id);
  const other = others.find(({ id }) => id === chosen) ?? before;
  if (!other) return <p className="kept-panel muted">There is no other experiment to compare it with yet.</p>;
  const changes = changesBetween(other, summary);
  return (
    <div className="kept-panel">
      <Choice
        label="Against"
        value={other.id}
        options={others.map((entry) => [entry.id, `${runName(entry)}, ${moment(entry.createdAt)}`] as const)}
        onChange={setChosen}
      />
      {changes.length === 0 ? (
        <p role="status">Nothing: the two have the same settings, device and version.</p>
      ) : (
        <DataTable
          label="Settings that changed"
          className="changes"
          rows={changes}
          columns={[
            { head: 'Setting', cell: ({ label }) => label },
            { head: runName(other), cell: ({ before: from }) => from, className: '' },
            { head: `${runName(summary)} (this one)`, cell: ({ after }) => after, className: '' },
          ]}
        />
      )}
    </div>
  );
}
