// A user's data file as a table: Parquet, JSON lines (.gz too) or a JSON list. It is read in slices from disk, the browser or the Hub, so
// that a few rows of a large file need only few bytes; the amount read is bounded.
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { parseJsonNumbersAsTexts, parseJsonText } from '@projected-grpo-lab/base/json.ts';
import type { DataRow, DataTable } from '../../lib/data-table.ts';
import { fileKind, HEAD_BYTES } from '../../lib/file-kind.ts';
import { gunzip } from '../../lib/gunzip.ts';
import { bytesText } from '../../lib/numbers.ts';
import type { ByteSource } from '../safetensors.ts';
import { ParquetFile } from './parquet.ts';

/** Limits in bytes: of a file that is read whole (a JSON list, unpacked gzip), and of one line. PART is the size of a slice. */
const MOST = { whole: 256 * 2 ** 20, line: 16 * 2 ** 20 };
const PART = 2 ** 18;
/** Number of JSON lines from which the columns are taken. */
const ROWS_FOR_COLUMNS = 100;
/** Most unpacked Parquet rows in memory, if row groups are larger. */
const ROWS_AT_ONCE = 1000;

const REMEDY =
  'Name a .parquet, .jsonl, .jsonl.gz or .json file whose rows are objects; `datasets` writes them with to_parquet and to_json.';

type Fields = Readonly<Record<string, unknown>>;

/** `name` stands for the file in messages. Throws FormatError. */
export async function openTable(file: ByteSource, name: string): Promise<DataTable> {
  const head = new Uint8Array(await file.slice(0, Math.min(HEAD_BYTES, file.size)).arrayBuffer());
  const { kind, name: what } = fileKind(head);
  if (kind === 'table') return parquetTable(file, name);
  if (kind === 'gzip') return textTable(unzipped(await whole(file, name), name), name);
  if (kind === 'json' && new TextDecoder().decode(head).trimStart().startsWith('[')) return listTable(file, name);
  if (kind === 'json' || kind === 'jsonl') return textTable(file, name);
  throw new FormatError(`${name} is ${what}, and no table of rows.`, REMEDY);
}

async function parquetTable(file: ByteSource, name: string): Promise<DataTable> {
  const buffer = {
    byteLength: file.size,
    slice: (start: number, end = file.size) => file.slice(start, end).arrayBuffer(),
  };
  const parquet = await ParquetFile.open(buffer, { name, remedy: REMEDY });
  return {
    name,
    columns: parquet.columns,
    rows: parquet.rows,
    async *first(most, columns) {
      const last = Math.min(most, parquet.rows);
      let from = 0;
      for (const group of parquet.groups) {
        const end = Math.min(last, from + group);
        for (let at = from; at < end; at += ROWS_AT_ONCE) {
          const rows = await parquet.read(columns, at, Math.min(end, at + ROWS_AT_ONCE));
          for (const [i, row] of rows.entries()) {
            const value = plain(row) as Fields;
            yield { where: `${name}: row ${at + i + 1}`, value, texts: value };
          }
        }
        from += group;
      }
    },
  };
}

/** Parquet values as JSON: integers beyond 2^53 become their digits, times ISO texts; bytes stay bytes, which cannot be mapped. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
}

async function listTable(file: ByteSource, name: string): Promise<DataTable> {
  const text = textOf(await whole(file, name), name);
  const both = [parseJsonText, parseJsonNumbersAsTexts].map((parse) => {
    try {
      return parse(text);
    } catch (cause) {
      throw new FormatError(`${name} is not JSON (${(cause as Error).message}).`, REMEDY, { cause });
    }
  });
  const [values, texts] = both as [unknown[], unknown[]];
  const rows = values.map((value, i) => rowOf(value, texts[i], `${name}: row ${i + 1}`));
  return {
    name,
    columns: columnsOf(rows),
    rows: rows.length,
    async *first(most) {
      yield* rows.slice(0, most);
    },
  };
}

async function textTable(file: ByteSource, name: string): Promise<DataTable> {
  const seen: DataRow[] = [];
  for await (const row of linesOf(file, name, ROWS_FOR_COLUMNS)) seen.push(row);
  return { name, columns: columnsOf(seen), rows: null, first: (most) => linesOf(file, name, most) };
}

async function* linesOf(file: ByteSource, name: string, most: number): AsyncGenerator<DataRow> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let [rest, row] = ['', 0];
  const decoded = (bytes?: ArrayBuffer) => {
    try {
      return bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode();
    } catch (cause) {
      throw new FormatError(`${name}: after row ${row} it is not UTF-8.`, REMEDY, { cause });
    }
  };
  for (let at = 0; at <= file.size; at += PART) {
    const isLast = at + PART >= file.size;
    rest += decoded(await file.slice(at, Math.min(file.size, at + PART)).arrayBuffer()) + (isLast ? decoded() : '');
    const lines = rest.split('\n');
    rest = isLast ? '' : lines.pop()!;
    if (rest.length > MOST.line)
      throw new FormatError(`${name}: row ${row + 1} has more than ${bytesText(MOST.line)}.`, REMEDY);
    for (const line of lines) {
      if (line.trim() === '') continue;
      if (row === most) return;
      row++;
      const where = `${name}: row ${row}`;
      let value: unknown;
      try {
        value = parseJsonText(line);
      } catch (cause) {
        throw new FormatError(`${where} is not JSON: ${line.slice(0, 60)}`, REMEDY, { cause });
      }
      yield rowOf(value, parseJsonNumbersAsTexts(line), where);
    }
  }
}

function rowOf(value: unknown, texts: unknown, where: string): DataRow {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return { where, value: value as Fields, texts };
  throw new FormatError(`${where} is no object with named columns.`, REMEDY);
}

const columnsOf = (rows: readonly DataRow[]): string[] => [
  ...new Set(rows.slice(0, ROWS_FOR_COLUMNS).flatMap(({ value }) => Object.keys(value))),
];

async function whole(file: ByteSource, name: string): Promise<Uint8Array<ArrayBuffer>> {
  if (file.size > MOST.whole)
    throw new FormatError(
      `${name} has ${bytesText(file.size)}; a JSON list or a gzip file has at most ${bytesText(MOST.whole)}.`,
      'Write it as Parquet or as JSON lines, which are read in parts.',
    );
  return new Uint8Array(await file.slice(0, file.size).arrayBuffer());
}

function unzipped(bytes: Uint8Array, name: string): ByteSource {
  try {
    return new Blob([gunzip(bytes, MOST.whole)]);
  } catch (cause) {
    throw new FormatError(`${name}: ${(cause as Error).message}.`, REMEDY, { cause });
  }
}

function textOf(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new FormatError(`${name} is not UTF-8.`, REMEDY, { cause });
  }
}

/** Joins tables with the same columns, such as the shards of a split. */
export function joinedTables(tables: readonly DataTable[], name: string): DataTable {
  const [first, ...others] = tables;
  if (others.length === 0) return first;
  const rows = tables.map((table) => table.rows);
  return {
    name,
    columns: first.columns,
    rows: rows.includes(null) ? null : rows.reduce<number>((sum, count) => sum + count!, 0),
    async *first(most, columns) {
      let left = most;
      for (const table of tables) {
        if (left === 0) return;
        for await (const row of table.first(left, columns)) {
          yield row;
          left--;
        }
      }
    },
  };
}
