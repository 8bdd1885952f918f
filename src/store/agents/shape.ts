// How a value of an app's state is displayed: many entries of one kind as a table, anything else as a tree.
import { stamp } from '@projected-grpo-lab/are/clock.ts';
import type { Value } from '@projected-grpo-lab/are/value.ts';

type Dict = { readonly [key: string]: Value };

const isDict = (value: Value | undefined): value is Dict =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isLeaf = (value: Value): boolean => typeof value !== 'object' || value === null;

export interface TableShape {
  readonly kind: 'table';
  readonly columns: readonly string[];
  readonly rows: readonly { readonly key: string; readonly value: Dict }[];
}
type Shape = TableShape | { readonly kind: 'tree' | 'leaf' };

/** Further columns are shown in the row's own tree. */
const MOST_COLUMNS = 6;

/** A table if all entries are dicts that have every key of the first; otherwise a tree. */
export function shapeOf(value: Value): Shape {
  if (isLeaf(value)) return { kind: 'leaf' };
  const entries = entriesOf(value);
  const rows = entries.flatMap(([key, item]) => (isDict(item) ? [{ key, value: item }] : []));
  const first = rows[0];
  if (!first || rows.length < entries.length) return { kind: 'tree' };
  const columns = Object.keys(first.value);
  const isOneKind = columns.length > 1 && rows.every((row) => columns.every((name) => Object.hasOwn(row.value, name)));
  // A cell can only display leaf values.
  const shown = columns.filter((name) => isLeaf(first.value[name] ?? null)).slice(0, MOST_COLUMNS);
  return isOneKind && shown.length > 1 ? { kind: 'table', columns: shown, rows } : { kind: 'tree' };
}

export const entriesOf = (value: Value): [string, Value][] =>
  isLeaf(value) ? [] : Object.entries(value as Dict | readonly Value[]);

/** The number of entries, such as `12 entries`. */
export function sizeOf(value: Value): string {
  const count = entriesOf(value).length;
  return count === 1 ? '1 entry' : `${count} entries`;
}

export function clippedJson(value: Value, most: number): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

/** Whether a number is a time in seconds since 1970 (between 1973 and the year 9999) rather than a duration. */
const isMoment = (value: number): boolean => value > 1e8 && value < 253_402_300_800;

/** Displays numbers as dates if their names are those of times. */
export const readableValue = (name: string, value: Value): Value =>
  typeof value === 'number' && isMoment(value) && /time|date|timestamp|_at$/.test(name) ? stamp(value) : value;
