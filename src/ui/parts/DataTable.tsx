// A table in a scrolling box, declared column by column. The first column names the rows, and the others contain figures by default.
import type { ReactNode } from 'react';
import { TableBox } from './TableBox.tsx';

interface Column<T> {
  head: string;
  cell: (row: T) => ReactNode;
  title?: string;
  /** Class of the column's head and cells (of the first column: of its head). By default cells are figures, `num`; '' is plain text. */
  className?: string;
  /** Label before the column's cells on a phone. */
  narrow?: string;
}

interface DataTableProps<T> {
  label: string;
  /** Whether the label is also the name of the table itself. */
  isNamed?: boolean;
  /** Classes of the table and of its box. */
  className?: string;
  boxClassName?: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  testId?: (row: T) => string;
  /** Content below the table, in its box. */
  children?: ReactNode;
}

export function DataTable<T>(props: DataTableProps<T>) {
  const { label, isNamed = false, className = 'result', boxClassName, columns, rows, testId, children } = props;
  const [first, ...others] = columns;
  return (
    <TableBox label={label} className={boxClassName}>
      <table className={className} aria-label={isNamed ? label : undefined}>
        <thead>
          <tr>
            {columns.map((column, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: heads may be names that a person gave, and may repeat
              <th key={i} scope="col" title={column.title} className={column.className || undefined}>
                {column.head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no state, and are drawn anew as a whole
            <tr key={i} data-testid={testId?.(row)}>
              <th scope="row">{first.cell(row)}</th>
              {others.map(({ cell, className: own = 'num', narrow }, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: heads may repeat
                <td key={column} className={own || undefined} data-label={narrow}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {children}
    </TableBox>
  );
}
