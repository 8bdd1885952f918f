// Mean cosine of every module, as layers by kinds of Linear: where in the model the basis responds to the samples. The number is in the
// cell, the hue shows its sign, and the shade its size.
import { useState } from 'react';
import type { SampleRow } from '../../experiments/kinds/probe/types.ts';
import { decimal } from '../../lib/numbers.ts';
import { type Bucket, moduleMap, modulesCsv } from '../../store/kinds/probe/chart.ts';
import { Choice } from '../parts/Choice.tsx';
import { DownloadButton } from '../parts/DownloadButton.tsx';
import { HeatTable } from '../parts/HeatTable.tsx';

const CHOICES: readonly [Bucket | 'all', string][] = [
  ['all', 'all samples'],
  ['pure', 'non-solving hacks'],
  ['solves', 'solving hacks'],
];

export function ModuleHeat({ rows }: { rows: readonly SampleRow[] }) {
  const [bucket, setBucket] = useState<Bucket | 'all'>('all');
  const map = moduleMap(rows, bucket);
  return (
    <div className="probe-modules">
      <h3>Module by module</h3>
      {map === null ? (
        <p className="muted">
          The rows do not tell their modules. On the command line, <code>--per-module</code> writes them.
        </p>
      ) : (
        <>
          <div className="filters">
            <Choice label="Mean cosine of" value={bucket} options={CHOICES} onChange={setBucket} />
            <DownloadButton label="CSV" file="probe-modules.csv" text={() => modulesCsv(map)} />
          </div>
          <HeatTable
            label="Mean cosine by layer and module"
            corner="layer"
            columns={map.columns.map((column) => column.replace(/_proj$/, ''))}
            rows={map.rows.map(({ label, cells }) => ({
              label,
              cells: cells.map((cell) =>
                cell?.mean == null
                  ? null
                  : {
                      text: `${cell.mean > 0 ? '+' : ''}${decimal(cell.mean, 2)}`,
                      shade: Math.abs(cell.mean) / (map.most || 1),
                      tone: cell.mean < 0 ? 'below' : 'above',
                      title: `${cell.name}: ${decimal(cell.mean, 3)}, ${cell.n} samples`,
                    },
              ),
            }))}
          />
        </>
      )}
    </div>
  );
}
