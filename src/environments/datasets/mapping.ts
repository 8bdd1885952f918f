// Maps columns of a user's table to fields of the lab's rows. A field takes the column that the user names, or the one with its own name;
// dots lead into nested columns (`reward_model.ground_truth`, `messages.0.content`). Nothing is guessed, and no null in a needed field is silent.
import { FormatError, SpecError } from '@projected-grpo-lab/base/errors.ts';
import { nearest } from '@projected-grpo-lab/base/nearest.ts';
import { ownOf } from '@projected-grpo-lab/base/own.ts';
import type { DataRow, DataTable } from '../../lib/data-table.ts';

/** `text`: a text, or a number as its digits. `value`: any JSON. */
export interface TargetField {
  readonly form: 'text' | 'value';
  readonly about: string;
  /** Whether a row without it is refused. */
  readonly needed?: boolean;
}
export type TargetFields = Readonly<Record<string, TargetField>>;
/** Field → column. */
export type ColumnMap = Readonly<Record<string, string>>;
export type Mapped = Readonly<Record<string, unknown>>;

/** Thrown if a needed field is null, so that the row may be left out. */
export class NullFieldError extends FormatError {}

export interface Mapper {
  /** The columns that are read, by field, in the order of the fields. */
  readonly map: ColumnMap;
  /** The table's own columns that are needed. */
  readonly columns: readonly string[];
  /** Throws FormatError, NullFieldError. */
  read(row: DataRow): Mapped;
}

const listed = (names: readonly string[]): string =>
  names.length > 30 ? `${names.slice(0, 30).join(', ')}, … (${names.length})` : names.join(', ') || 'none';

/** @param what name of the rows in messages: `problems with checks`. Throws SpecError. */
export function mapperOf(
  fields: TargetFields,
  given: ColumnMap,
  { name, columns }: Pick<DataTable, 'name' | 'columns'>,
  what: string,
): Mapper {
  for (const field of Object.keys(given))
    if (!Object.hasOwn(fields, field)) {
      const guess = nearest(field, Object.keys(fields));
      throw new SpecError(
        `--map ${field}=…: ${what} have no field of that name${guess ? `; did you mean ${guess}?` : '.'}`,
        `They have ${Object.entries(fields)
          .map(([known, { about }]) => `${known} (${about})`)
          .join(', ')}.`,
      );
    }
  const map = new Map<string, string>();
  for (const [field, { needed }] of Object.entries(fields)) {
    const path = ownOf(given, field) ?? (columns.includes(field) ? field : null);
    if (path !== null && columnOf(path, columns) === null)
      throw new SpecError(
        `--map ${field}=${path}: ${name} has no column ${JSON.stringify(path.split('.')[0])}.`,
        `It has ${listed(columns)}.`,
      );
    if (path === null && needed)
      throw new SpecError(
        `${what} need a ${field}, and ${name} has no column of that name.`,
        `Name it with --map ${field}=COLUMN; the columns are ${listed(columns)}.`,
      );
    if (path !== null) map.set(field, path);
  }
  const read = (row: DataRow): Mapped => {
    const mapped: [string, unknown][] = [];
    for (const [field, path] of map) {
      const { form, needed } = fields[field];
      const place = `${row.where}: ${field}${path === field ? '' : ` (column ${path})`}`;
      const value = at(form === 'text' ? row.texts : row.value, path, columns);
      if (value === undefined || value === null) {
        if (needed) throw new NullFieldError(`${place} is ${value === null ? 'null' : 'missing'}.`, NULL_REMEDY);
        continue;
      }
      const found = form === 'text' ? textIn(value, at(row.value, path, columns), place, path) : jsonIn(value, place);
      mapped.push([field, found]);
    }
    return Object.fromEntries(mapped);
  };
  return {
    map: Object.fromEntries(map),
    columns: [...new Set([...map.values()].map((path) => columnOf(path, columns)!))],
    read,
  };
}

const NULL_REMEDY = 'Name another column with --map, or leave such rows out (--drop-null says how many).';

/** The column in which a path begins: the whole path if it is a column's name. */
const columnOf = (path: string, columns: readonly string[]): string | null =>
  [path, path.split('.')[0]].find((name) => columns.includes(name)) ?? null;

function at(row: unknown, path: string, columns: readonly string[]): unknown {
  let value = row;
  for (const part of columns.includes(path) ? [path] : path.split('.')) {
    if (value === null || value === undefined) return value;
    value = typeof value === 'object' && Object.hasOwn(value, part) ? (value as Mapped)[part] : undefined;
  }
  return value;
}

/** In `text`, numbers are their texts. */
function textIn(text: unknown, value: unknown, place: string, path: string): string {
  if (typeof text === 'string') return text;
  if (typeof text === 'number') return String(text);
  const is = kindOf(value);
  const inside =
    typeof value === 'object' && value !== null && !ArrayBuffer.isView(value) ? Object.keys(value).slice(0, 10) : [];
  throw new FormatError(
    `${place} is ${is}, where a text is wanted.`,
    inside.length > 0
      ? `Name what is in it by a dot, as ${path}.${inside[0]}; it has ${inside.join(', ')}.`
      : 'Name another column with --map.',
  );
}

function jsonIn(value: unknown, place: string): unknown {
  if (!ArrayBuffer.isView(value)) return value;
  throw new FormatError(`${place} is bytes.`, 'Name another column with --map.');
}

const kindOf = (value: unknown): string => {
  if (ArrayBuffer.isView(value)) return 'bytes';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
};
