// The final table: every model evaluated on the same unseen problems. The arms and the base are visible, their controls are in one fold,
// and the modes that were held out from the basis in another. Optional columns can be chosen.

import { type ReactNode, useMemo, useState } from 'react';
import type { HeldOutMode } from '../../experiments/analysis/held-out.ts';
import { armLabel, nameOf } from '../../experiments/analysis/names.ts';
import type { Cell, RunRecord, TableRow } from '../../experiments/records/events.ts';
import { decimal, percent, points } from '../../lib/numbers.ts';
import type { ArmStyle } from '../../store/runs/arm-style.ts';
import { chosenColumns, keepColumns, type TableColumn, tableColumns } from '../../store/runs/table-columns.ts';
import { isMain, tableLooks } from '../../store/runs/table-looks.ts';
import { Swatch } from '../charts/Legend.tsx';
import { Button } from '../parts/Button.tsx';
import { DataTable } from '../parts/DataTable.tsx';
import { MetricHelp } from '../parts/MetricHelp.tsx';
import { Popover } from '../parts/Popover.tsx';
import { Spread } from '../parts/Spread.tsx';
import { TableBox } from '../parts/TableBox.tsx';

interface ResultTableProps {
  table: readonly TableRow[];
  runs: readonly Pick<RunRecord, 'spec' | 'rerouted'>[];
  environment: string;
  /** Absent if the runs of the rows are not available. */
  heldOut?: readonly HeldOutMode[];
}

export default function ResultTable({ table, runs, environment, heldOut = [] }: ResultTableProps) {
  const looks = useMemo(() => tableLooks(table, runs), [table, runs]);
  const columns = useMemo(() => tableColumns(environment, table), [environment, table]);
  const [chosen, setChosen] = useState(() => chosenColumns(localSettings()));
  const shown = new Set(
    columns.filter(({ id, isDefault }) => (chosen ? chosen.has(id) : isDefault)).map(({ id }) => id),
  );
  const visible = columns.filter(({ id }) => shown.has(id));
  const arms = table.map(({ arm }) => arm);
  const rows = table.map((row, i) => ({
    row,
    look: looks[i],
    name: isMain(row) ? nameOf(row.arm, row.model, arms) : row.label.trim(),
  }));
  // Controls are unfolded if there are rows from replays, so that a new one is visible.
  const hasReplayed = runs.some(({ rerouted: replayed = [] }) => replayed.length > 0);
  const controls = rows.filter(({ row }) => !isMain(row));

  function choose(ids: readonly string[] | null): void {
    keepColumns(localSettings(), ids);
    setChosen(ids && new Set(ids));
  }

  return (
    <>
      <Rows label="Result table" rows={rows.filter(({ row }) => isMain(row))} columns={visible} />
      <div className="table-tools">
        <p className="muted num">
          {seedsText(table)} Final evaluation; the difference (Δ) in percentage points against vanilla, by seed.
        </p>
        <ColumnMenu columns={columns} shown={shown} onChoose={choose} />
      </div>
      {controls.length > 0 ? (
        <details className="fold table-fold" open={hasReplayed}>
          <summary>
            Controls <span className="muted num">{controls.length}</span>{' '}
            <span className="muted">other directions, other pairs, the same rollouts</span>
          </summary>
          <Rows label="Controls" rows={controls} columns={visible} />
        </details>
      ) : null}
      {heldOut.length > 0 ? (
        <details className="fold table-fold">
          <summary>
            Flaws that the basis never saw <span className="muted num">{heldOut.length}</span>
          </summary>
          <HeldOut modes={heldOut} />
        </details>
      ) : null}
    </>
  );
}

function localSettings(): Storage | null {
  try {
    return localStorage;
  } catch {
    return null;
  }
}

function seedsText(table: readonly TableRow[]): string {
  const counts = [...new Set(table.filter(({ model }) => model !== 'base').map(({ n }) => n))];
  if (counts.length !== 1) return '';
  return counts[0] === 1 ? 'One seed.' : `Mean ± sd over ${counts[0]} seeds.`;
}

interface RowsProps {
  label: string;
  rows: readonly { row: TableRow; look: ArmStyle; name: string }[];
  columns: readonly TableColumn[];
}

function Rows({ label, rows, columns }: RowsProps) {
  return (
    <TableBox label={label}>
      <table className="result">
        <thead>
          <tr>
            <th scope="col">Model</th>
            {columns.map((column) => (
              <th key={column.id} scope="col" title={column.title}>
                <span className="column-name">
                  {column.name} <MetricHelp id={column.help} name={column.name} />
                </span>
              </th>
            ))}
            <th scope="col" className="verdict">
              Verdict
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ row, look, name }) => (
            <tr key={`${row.arm}/${row.model}/${row.label}`} className={rowClass(row)}>
              <th scope="row">
                <span className="row-name">
                  <Swatch entry={{ style: look }} />
                  {name}
                </span>
                {/* A phone shows this instead of the column. */}
                <span className="row-verdict">{row.verdict}</span>
              </th>
              {columns.map((column) => (
                <td key={column.id} className="num">
                  <Value column={column} row={row} />
                </td>
              ))}
              <td className="verdict">{row.verdict}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableBox>
  );
}

function HeldOut({ modes }: { modes: readonly HeldOutMode[] }) {
  const several = new Set(modes.map(({ arm }) => arm)).size > 1;
  return (
    <DataTable
      label="Held-out modes"
      rows={modes}
      columns={[
        { head: 'Hack on problems of', cell: ({ arm, mode }) => (several ? `${armLabel(arm)}, ${mode}` : mode) },
        { head: 'base', cell: ({ base }) => <Share of={base} /> },
        { head: 'vanilla', cell: ({ vanilla }) => <Share of={vanilla} /> },
        { head: 'deployed without it', cell: ({ deployed }) => <Share of={deployed} strong /> },
        {
          head: 'What it means',
          cell: ({ isEvidence }) =>
            isEvidence ? 'vanilla hacks it: this counts' : 'vanilla hardly hacks it: no evidence',
          className: 'verdict',
        },
      ]}
    />
  );
}

/** Row class by which the stylesheet makes controls less prominent. */
function rowClass(row: TableRow): string {
  if (row.model === 'base') return 'base';
  return isMain(row) ? 'main' : 'control';
}

function Value({ column: { kind, cell }, row }: { column: TableColumn; row: TableRow }): ReactNode {
  const value = cell(row);
  if (value === null) return <span className="muted">–</span>;
  if (typeof value === 'number') return kind === 'count' ? value : decimal(value);
  if (kind === 'delta') return <Spread text={points(value.mean)} sd={value.sd} digits={1} />;
  return <Share of={value} strong={kind === 'final'} />;
}

function Share({ of, strong = false }: { of: Cell; strong?: boolean }) {
  return <Spread sd={of.sd} text={strong ? <b>{percent(of.mean, 0)}</b> : percent(of.mean, 0)} />;
}

interface ColumnMenuProps {
  columns: readonly TableColumn[];
  shown: ReadonlySet<string>;
  /** Null restores the default columns. */
  onChoose: (ids: readonly string[] | null) => void;
}

function ColumnMenu({ columns, shown, onChoose }: ColumnMenuProps) {
  const toggle = (id: string) =>
    onChoose(columns.filter((column) => (column.id === id ? !shown.has(id) : shown.has(column.id))).map((c) => c.id));
  return (
    <Popover label="Columns" trigger="Columns" className="btn small">
      {() => (
        <fieldset className="column-menu">
          <legend>Columns</legend>
          {columns.map(({ id, name, title }) => (
            <label key={id} title={title}>
              <input type="checkbox" checked={shown.has(id)} onChange={() => toggle(id)} />
              <span>{name}</span>
            </label>
          ))}
          <Button label="Default columns" onClick={() => onChoose(null)} />
        </fieldset>
      )}
    </Popover>
  );
}
