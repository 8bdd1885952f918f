// A table of results as data: rows, and a column for each property of a row. A cell's type determines its format, so that questions, the command
// line and the docs print a value in the same way.
import { NONE, three } from '../../lib/numbers.ts';
import type { Estimate } from './estimate.ts';
import { intervalText, spreadOf } from './estimate.ts';
import type { Table } from './figures.ts';

type Figure = number | null | undefined;
type Show = (value: number) => string;

/** Text; a number; a number for each unit (printed as mean ± sd of those present); or a mean with its interval. */
export type Cell = string | Figure | readonly Figure[] | Pick<Estimate, 'mean' | 'interval'>;

export type Column<Row> = readonly [head: string, of: (row: Row) => Cell, show?: Show];

function cellText(cell: Cell, show: Show): string {
  if (typeof cell === 'string') return cell;
  if (typeof cell === 'number') return show(cell);
  if (cell === null || cell === undefined) return NONE;
  return 'mean' in cell ? intervalText(cell, show) : spreadOf(cell, show);
}

/** `show`: formatter for columns without their own. */
export function tableOf<Row>(
  title: string,
  rows: Iterable<Row>,
  columns: readonly Column<Row>[],
  show: Show = three,
): Table {
  return {
    title,
    head: columns.map(([head]) => head),
    rows: [...rows].map((row) => columns.map(([, of, own = show]) => cellText(of(row), own))),
  };
}

/** Markdown, for tables whose cells have one line. */
export function markdownTable({ head, rows }: Pick<Table, 'head' | 'rows'>, isRight = false): string[] {
  const rule = head.map((_, i) => (isRight && i > 0 ? '---:' : '---'));
  const inLine = (text: string) => text.replaceAll('\n', ' ').replaceAll('|', '\\|');
  return [head, rule, ...rows].map((cells) => `| ${cells.map(inLine).join(' | ')} |`);
}
