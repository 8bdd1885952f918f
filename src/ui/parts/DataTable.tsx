// A table in its box, said column by column: the first has the rows' names, the others figures unless they say what else they are.
import type { ReactNode } from 'react';
import { TableBox } from './TableBox.tsx';

interface Column<T> {
  head: string;
  cell: (row: T) => ReactNode;
  title?: string;
  /** Of its head and its cells (of the first column: its head). Absent: cells are figures, `num`; empty: plain text. */
  className?: string;
  /** What stands before its cells on a phone. */
  narrow?: string;
}

interface DataTableProps<T> {
  label: string;
  /** Whether the table itself has that name, too. */
  isNamed?: boolean;
  /** Of the table, and of its box. */
  className?: string;
  boxClassName?: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  testId?: (row: T) => string;
  /** Below the table, in its box. */
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
              // biome-ignore lint/suspicious/noArrayIndexKey: a head may be a name that a person gave, and be there twice
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
                // biome-ignore lint/suspicious/noArrayIndexKey: as the heads
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
