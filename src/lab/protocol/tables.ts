// Messages between page and worker about the user's data set: its first rows, the rows after a mapping, and the converted file.

/** Conversions offered by the page; djinn’s problems must first be run in a sandbox, which the command line does. */
export const TABLE_TARGETS = ['custom', 'instructions', 'pool'] as const;
export type TableTarget = (typeof TABLE_TARGETS)[number];

/** The user's file, or a split of a data set on the Hub, of which only the needed rows and columns are fetched. */
export type TableSource =
  | { file: Blob; name: string }
  | { dataset: string; revision: string; split: string; config: string | null };

export interface TargetInfo {
  what: string;
  fields: { name: string; about: string; isNeeded: boolean }[];
}

export interface TableReport {
  name: string;
  columns: string[];
  /** Null if the number is known only at the end. */
  rows: number | null;
  /** The first rows, with one line of text per cell. */
  first: string[][];
  /** Paths that a field can be read from: each column, and its members with dots. */
  paths: string[];
  targets: Record<TableTarget, TargetInfo>;
}

export interface TableMapping {
  target: TableTarget;
  /** Field → column. */
  map: Readonly<Record<string, string>>;
}

export interface TableConversion extends TableMapping {
  /** For problems: how an answer is compared, and a check as JSON that is rewarded instead of the true one. */
  check: 'number' | 'equals' | 'contains';
  flawed: string | null;
  /** Whether rows with null in a required field are left out instead of refused. */
  dropNull: boolean;
}

export interface ConvertedTable {
  /** JSON lines. */
  file: Blob;
  taken: number;
  dropped: number;
  /** Whether the table has more rows than were read. */
  isCut: boolean;
}
