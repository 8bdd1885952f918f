// Rows of data as a table of plain text.
import { renderTable } from '@projected-grpo-lab/base/commands/table.ts';
import { type Column, tableOf } from '../experiments/judge/table.ts';

export { renderTable };

/** A table of rows, with columns as data. */
export function textTable<Row>(
  rows: Iterable<Row>,
  columns: readonly Column<Row>[],
  show?: (value: number) => string,
  isRight?: (column: number) => boolean,
): string {
  const table = tableOf('', rows, columns, show);
  return renderTable(table.head, table.rows, isRight);
}
