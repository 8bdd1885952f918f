// Rows of a table that somebody else wrote, whatever file they came from: what a reader gives and a mapping takes. Lowest layer; types alone.

export interface DataRow {
  /** Place that messages name: `FILE: row 3`. Rows count from 1. */
  readonly where: string;
  readonly value: Readonly<Record<string, unknown>>;
  /** The same with numbers as they are written: JSON.parse keeps seventeen digits of them. */
  readonly texts: unknown;
}

export interface DataTable {
  /** Name in messages. */
  readonly name: string;
  /** Columns, or (of JSON lines) the members of the first rows. */
  readonly columns: readonly string[];
  /** Null where only reading to the end tells. */
  readonly rows: number | null;
  /** The first rows in order, `most` at most, with these columns alone where the file has them apart. Throws FormatError. */
  first(most: number, columns: readonly string[]): AsyncIterable<DataRow>;
}
