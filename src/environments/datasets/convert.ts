// Converts a data set's rows to a file of the lab's format, and makes the table of its first rows that is shown beforehand.
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import type { DataTable } from '../../lib/data-table.ts';
import { type ColumnMap, type Mapped, mapperOf, NullFieldError } from './mapping.ts';
import { LeftOutError, type Target, type TargetOptions } from './target.ts';

export interface ConvertOptions extends TargetOptions {
  readonly map: ColumnMap;
  /** Most rows that are taken; null: as many as the target's file may have. */
  readonly first: number | null;
  /** Whether rows with a null in a needed field are left out instead of refused. */
  readonly dropNull: boolean;
}

export interface Converted {
  /** JSON lines. */
  readonly text: string;
  readonly taken: number;
  /** Number of rows left out because a needed field was null. */
  readonly dropped: number;
  /** Reasons why other rows were left out, each with its place. */
  readonly leftOut: readonly string[];
  /** Whether the table has more rows than were read. */
  readonly isCut: boolean;
}

/** Throws FormatError, naming the row; SpecError for a mapping to columns that the table lacks. */
export async function convertTable(table: DataTable, target: Target, options: ConvertOptions): Promise<Converted> {
  const { map, first, dropNull } = options;
  const mapper = mapperOf(target.fields, map, table, target.what);
  const most = Math.min(first ?? target.most, target.most);
  const [lines, leftOut]: [string[], string[]] = [[], []];
  let [number, dropped, isCut] = [0, 0, false];
  for await (const row of table.first(most + 1, mapper.columns)) {
    isCut = number === most;
    if (isCut) break;
    number++;
    try {
      const mapped = mapper.read(row);
      lines.push(`${JSON.stringify(target.line(mapped, { number, where: row.where }, options))}\n`);
    } catch (error) {
      if (error instanceof LeftOutError) leftOut.push(error.message);
      else if (dropNull && error instanceof NullFieldError) dropped++;
      else throw error;
    }
  }
  if (lines.length > 0) return { text: lines.join(''), taken: lines.length, dropped, leftOut, isCut };
  const why = dropped > 0 ? `: in ${dropped} a needed field is null` : leftOut.length > 0 ? `: ${leftOut[0]}` : '';
  throw new FormatError(
    `${table.name} has no row to take, of ${number}${why.replace(/\.$/, '')}.`,
    'Name other columns with --map, or another file.',
  );
}

export interface Preview {
  /** Field ← column, in the order of the fields. */
  readonly head: readonly { readonly field: string; readonly column: string }[];
  /** A cell for each field: its text, or the reason why the row would be refused. */
  readonly rows: readonly (readonly string[])[];
  /** The table's columns that no field uses. */
  readonly unused: readonly string[];
}

/** Returns the fields of the first rows after mapping, one line each. Throws FormatError, SpecError. */
export async function previewOf(
  table: DataTable,
  target: Target,
  { map }: Pick<ConvertOptions, 'map'>,
  rows: number,
): Promise<Preview> {
  const mapper = mapperOf(target.fields, map, table, target.what);
  const fields = Object.keys(mapper.map);
  const cells: string[][] = [];
  for await (const row of table.first(rows, mapper.columns)) {
    let mapped: Mapped;
    try {
      mapped = mapper.read(row);
    } catch (error) {
      if (!(error instanceof NullFieldError)) throw error;
      cells.push(fields.map((_, i) => (i === 0 ? error.message : '')));
      continue;
    }
    cells.push(fields.map((field) => oneLine(mapped[field])));
  }
  return {
    head: fields.map((field) => ({ field, column: mapper.map[field] })),
    rows: cells,
    unused: table.columns.filter((column) => !mapper.columns.includes(column)),
  };
}

/** The first rows without mapping, one cell per column, and the paths that a mapping can name in them. Throws FormatError. */
export async function firstRows(table: DataTable, count: number): Promise<{ first: string[][]; paths: string[] }> {
  const first: string[][] = [];
  const inside = new Map<string, Set<string>>(table.columns.map((column) => [column, new Set()]));
  for await (const { value } of table.first(count, table.columns)) {
    first.push(table.columns.map((column) => oneLine(value[column])));
    for (const [column, paths] of inside) addPaths(paths, column, value[column], 1);
  }
  return { first, paths: [...inside].flatMap(([column, paths]) => [column, ...[...paths].slice(0, MOST_PATHS)]) };
}

/** Most paths into a column that are listed, and their greatest depth. */
const [MOST_PATHS, MOST_DEPTH] = [50, 4];

function addPaths(paths: Set<string>, path: string, value: unknown, depth: number): void {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value) || depth > MOST_DEPTH) return;
  for (const [key, own] of Object.entries(value).slice(0, MOST_PATHS)) {
    paths.add(`${path}.${key}`);
    addPaths(paths, `${path}.${key}`, own, depth + 1);
  }
}

/** Most characters of a cell. */
const CELL = 48;

function oneLine(value: unknown): string {
  const whole = value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
  const line = whole.replace(/\s+/g, ' ').trim();
  return line.length > CELL ? `${line.slice(0, CELL - 1)}…` : line;
}
