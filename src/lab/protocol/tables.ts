// Messages between page and worker about somebody's data set: its first rows, the rows as a mapping reads them, and what they become.

/** A page makes these of rows; djinn’s problems are tried in a sandbox first, which the command line does. */
export const TABLE_TARGETS = ['custom', 'instructions', 'pool'] as const;
export type TableTarget = (typeof TABLE_TARGETS)[number];

/** A file of the person's, or a split of a data set on the Hub, of which only the rows and columns that are needed are fetched. */
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
  /** Null where only reading to the end tells. */
  rows: number | null;
  /** The first rows, a cell a column, each a line of text. */
  first: string[][];
  /** Paths that a field can be read from: each column, and its members by dots. */
  paths: string[];
  targets: Record<TableTarget, TargetInfo>;
}

export interface TableMapping {
  target: TableTarget;
  /** Field → column. */
  map: Readonly<Record<string, string>>;
}

export interface TableConversion extends TableMapping {
  /** In problems, how an answer is compared, and a check as JSON that is paid in the place of the true one. */
  check: 'number' | 'equals' | 'contains';
  flawed: string | null;
  /** Whether rows with a needed field that is null are left out, and not refused. */
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
