// A table with a figure in each cell, shaded by its size: layers × kinds of Linear, ratios × steps, or one option × another.
import type { CSSProperties } from 'react';
import { TableBox } from './TableBox.tsx';
import './heat.css';

export interface HeatCell {
  text: string;
  /** Strength of the shade, 0 to 1. */
  shade: number;
  /** Hue: one hue for sizes, or one for each side of a middle value. */
  tone: 'size' | 'above' | 'below';
  title?: string;
}

interface HeatRow {
  label: string;
  /** One cell per column; null if its value is unknown. */
  cells: readonly (HeatCell | null)[];
}

interface HeatTableProps {
  label: string;
  /** Whether the label is also the name of the table itself. */
  isNamed?: boolean;
  /** The name of the rows, in the corner cell. */
  corner: string;
  columns: readonly string[];
  rows: readonly HeatRow[];
  /** An additional last row without shade. */
  foot?: { label: string; cells: readonly string[] };
}

export function HeatTable({ label, isNamed = false, corner, columns, rows, foot }: HeatTableProps) {
  return (
    <TableBox label={label}>
      <table className="heat-table" aria-label={isNamed ? label : undefined}>
        <thead>
          <tr>
            <th scope="col">{corner}</th>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.label}>
              <th scope="row">{row.label}</th>
              {row.cells.map((cell, i) => (
                <Cell key={columns[i]} cell={cell} />
              ))}
            </tr>
          ))}
        </tbody>
        {foot ? (
          <tfoot>
            <tr>
              <th scope="row">{foot.label}</th>
              {foot.cells.map((text, i) => (
                <td key={columns[i]} className="num">
                  {text}
                </td>
              ))}
            </tr>
          </tfoot>
        ) : null}
      </table>
    </TableBox>
  );
}

function Cell({ cell }: { cell: HeatCell | null }) {
  if (!cell) return <td>–</td>;
  const { text, shade, tone, title } = cell;
  return (
    <td className={`num ${tone}`} style={{ '--shade': shade.toFixed(3) } as CSSProperties} title={title}>
      {text}
    </td>
  );
}
