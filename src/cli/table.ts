// A table of results as plain text: columns as wide as they need.
import { type Column, tableOf } from '../experiments/judge/table.ts';

/** `isRight`: whether a column is to the right, as figures do; the first names the rows. */
export function renderTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  isRight: (column: number) => boolean = (column) => column > 0,
): string {
  const width = head.map((title, c) => Math.max(title.length, ...rows.map((row) => row[c].length)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, c) => (isRight(c) ? cell.padStart(width[c]) : cell.padEnd(width[c])))
      .join('  ')
      .trimEnd();
  return [line(head), width.map((w) => '─'.repeat(w)).join('  '), ...rows.map(line)].join('\n');
}

/** Of rows, and columns as data. */
export function textTable<Row>(
  rows: Iterable<Row>,
  columns: readonly Column<Row>[],
  show?: (value: number) => string,
  isRight?: (column: number) => boolean,
): string {
  const table = tableOf('', rows, columns, show);
  return renderTable(table.head, table.rows, isRight);
}
