// Types of table rows from foreign files of any format, as passed from readers to mappings. Lowest layer.

export interface DataRow {
  /** Place for messages, such as `FILE: row 3`. Rows count from 1. */
  readonly where: string;
  readonly value: Readonly<Record<string, unknown>>;
  /** The same value with numbers as their original text, since JSON.parse keeps only about seventeen digits. */
  readonly texts: unknown;
}

export interface DataTable {
  /** Name in messages. */
  readonly name: string;
  /** Column names; for JSON lines, the members of the first rows. */
  readonly columns: readonly string[];
  /** Number of rows; null if it is unknown before reading to the end. */
  readonly rows: number | null;
  /** Up to `most` first rows, in order; a columnar file reads only these columns. Throws FormatError. */
  first(most: number, columns: readonly string[]): AsyncIterable<DataRow>;
}
