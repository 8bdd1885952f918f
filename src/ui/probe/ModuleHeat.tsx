// Mean cosine of every module, layers by kinds of Linear: where in the model the basis sees the samples. The number is in
// the cell; hue tells its sign, shade its size.
import { type CSSProperties, useState } from 'react';
import type { SampleRow } from '../../experiments/kinds/probe/types.ts';
import { decimal } from '../../lib/numbers.ts';
import { type Bucket, moduleMap, modulesCsv } from '../../store/kinds/probe/chart.ts';
import { DownloadButton } from '../parts/DownloadButton.tsx';
import { TableBox } from '../parts/TableBox.tsx';

const CHOICES: readonly [Bucket | 'all', string][] = [
  ['all', 'all samples'],
  ['pure', 'hacks with a wrong body'],
  ['solves', 'hacks that also solve'],
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
            <label className="choice">
              <span>Mean cosine of</span>
              <select value={bucket} onChange={(event) => setBucket(event.target.value as Bucket | 'all')}>
                {CHOICES.map(([id, label]) => (
                  <option key={id} value={id}>
                    {label}
                  </option>
                ))}
              </select>
            </label>
            <DownloadButton label="CSV" file="probe-modules.csv" type="text/csv" text={() => modulesCsv(map)} />
          </div>
          <TableBox label="Mean cosine by layer and module">
            <table className="probe-heat" data-testid="probe-heat">
              <thead>
                <tr>
                  <th scope="col">layer</th>
                  {map.columns.map((column) => (
                    <th key={column} scope="col">
                      {column.replace(/_proj$/, '')}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {map.rows.map(({ label, cells }) => (
                  <tr key={label}>
                    <th scope="row">{label}</th>
                    {cells.map((cell, i) =>
                      cell?.mean == null ? (
                        <td key={map.columns[i]}>–</td>
                      ) : (
                        <td
                          key={cell.name}
                          title={`${cell.name}: ${decimal(cell.mean, 3)}, ${cell.n} samples`}
                          className={`num ${cell.mean < 0 ? 'below' : 'above'}`}
                          style={{ '--shade': (Math.abs(cell.mean) / (map.most || 1)).toFixed(3) } as CSSProperties}
                        >
                          {cell.mean > 0 ? '+' : ''}
                          {decimal(cell.mean, 2)}
                        </td>
                      ),
                    )}
                  </tr>
                ))}
              </tbody>
            </table>
          </TableBox>
        </>
      )}
    </div>
  );
}
