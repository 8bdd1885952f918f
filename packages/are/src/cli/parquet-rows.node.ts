// Rows of a Parquet file on disk. Common readers unpack a whole row group for each row, so reading rows one by one takes quadratic time:
// here a group is unpacked once for all its rows. A small file may declare huge contents: the number of rows and their unpacked size are
// checked before and during reading.
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { bytesText } from '@projected-grpo-lab/base/bytes.ts';
import { FormatError, LabError } from '@projected-grpo-lab/base/errors.ts';
import {
  type AsyncBuffer,
  asyncBufferFromFile,
  type Compressors,
  type FileMetaData,
  parquetMetadataAsync,
  parquetReadObjects,
  snappyUncompress,
} from 'hyparquet';

export type Row = Readonly<Record<string, unknown>>;

/** Most rows of a file, and most bytes of its footer. */
const MOST = { rows: 100_000, footer: 64 * 2 ** 20 };
/** Most unpacked bytes in one pass over a file's rows: a constant plus a multiple of the file's size. Text packs to a tenth or less. */
const UNPACKED = { bytes: 64 * 2 ** 20, ratio: 200 };
/** In bytes. A row group up to this unpacked size is kept for its next row. */
const KEPT = 64 * 2 ** 20;
/** Remedy for a file that is not a set of scenarios. */
export const SET_REMEDY =
  'Name a folder of scenarios, or a file of them: .json, .jsonl or .parquet (rows of scenario_id and data).';
const LESS = 'Write the rows that are wanted into a file of their own, or name another file.';

interface Group {
  /** Row numbers in the file. */
  from: number;
  to: number;
  /** Unpacked size that the file declares. */
  bytes: number;
  /** Metadata of this group alone: a reader would visit all listed groups for each one that it reads. */
  metadata: FileMetaData;
}

export class ParquetRows {
  readonly names: readonly string[];
  private readonly groups: readonly Group[];
  private readonly most: number;
  /** Bytes unpacked in the last pass. */
  unpacked = 0;
  private kept: { group: Group; columns: string; rows: Promise<Row[]> } | null = null;

  private constructor(
    private readonly path: string,
    private readonly file: AsyncBuffer,
    metadata: FileMetaData,
  ) {
    this.names = metadata.schema.slice(1).map(({ name }) => name);
    this.most = UNPACKED.bytes + UNPACKED.ratio * file.byteLength;
    let from = 0;
    this.groups = metadata.row_groups.map((one): Group => {
      const { num_rows, total_byte_size } = one;
      const own = { ...metadata, num_rows, row_groups: [one] };
      const group = { from, to: from + Number(num_rows), bytes: Number(total_byte_size), metadata: own };
      from = group.to;
      return group;
    });
  }

  /** Throws FormatError for a file that is not Parquet, or has too many rows. */
  static async open(path: string): Promise<ParquetRows> {
    return withPath(path, async () => {
      const file = await asyncBufferFromFile(path);
      const tail = new DataView(await file.slice(Math.max(0, file.byteLength - 8), file.byteLength));
      if (tail.byteLength < 8 || tail.getUint32(0, true) > MOST.footer)
        throw new RangeError(`its footer is none, or has more than ${bytesText(MOST.footer)}`);
      const metadata = await parquetMetadataAsync(file);
      const rows = metadata.row_groups.map(({ num_rows }) => Number(num_rows));
      const total = rows.reduce((sum, count) => sum + count, 0);
      if (rows.some((count) => !(count >= 0)) || total !== Number(metadata.num_rows))
        throw new RangeError(`it has ${metadata.num_rows} rows, and its groups have ${total}`);
      if (total > MOST.rows) throw new FormatError(`${path} has ${total} rows; at most ${MOST.rows} are read.`, LESS);
      for (const { columns, num_rows } of metadata.row_groups)
        for (const { meta_data: column } of columns)
          if (column?.path_in_schema.length === 1 && column.num_values !== num_rows)
            throw new RangeError(`a column has ${column.num_values} values for ${num_rows} rows`);
      return new ParquetRows(path, file, metadata);
    });
  }

  /** Yields rows in order. Throws FormatError for a file that cannot be unpacked, or unpacks to too much. */
  async *all(columns: readonly string[]): AsyncGenerator<Row> {
    this.unpacked = 0;
    let cells = 0;
    for (const group of this.groups)
      for (const row of await this.read(group, columns)) {
        // A text shared by many rows is unpacked once, but counted for each of them.
        for (const cell of Object.values(row)) if (typeof cell === 'string') cells += cell.length;
        if (cells > this.most) throw this.large(`The cells of ${this.path} have`);
        yield row;
      }
  }

  /** Reads one row by its number. */
  async at(place: number, columns: readonly string[]): Promise<Row> {
    const group = this.groups.find(({ from, to }) => place >= from && place < to) as Group;
    this.unpacked = 0;
    if (group.bytes > KEPT)
      return (await this.read(group, columns, place - group.from, place - group.from + 1))[0] as Row;
    const key = JSON.stringify(columns);
    if (this.kept?.group !== group || this.kept.columns !== key)
      this.kept = { group, columns: key, rows: this.read(group, columns) };
    return (await this.kept.rows)[place - group.from] as Row;
  }

  /** `rowStart` and `rowEnd` count within the group. */
  private read(
    { from, to, metadata }: Group,
    columns: readonly string[],
    rowStart = 0,
    rowEnd = to - from,
  ): Promise<Row[]> {
    const { file, compressors } = this;
    const wanted = { columns: [...columns], rowStart, rowEnd, useOffsetIndex: true };
    return withPath(this.path, () => parquetReadObjects({ file, metadata, compressors, ...wanted }));
  }

  private large(what: string): FormatError {
    const most = `${bytesText(this.most)} (64 MiB, and ${UNPACKED.ratio} times the file)`;
    return new FormatError(`${what} more than ${most}.`, LESS);
  }

  /** A page declares its length; no more memory is reserved than the limit leaves. */
  private readonly bounded = (unpack: (bytes: Uint8Array, length: number) => Uint8Array) => {
    return (bytes: Uint8Array, length: number) => {
      this.unpacked += length;
      if (!(this.unpacked <= this.most)) throw this.large(`${this.path} unpacks to`);
      return unpack(bytes, length);
    };
  };

  private readonly compressors: Compressors = {
    SNAPPY: this.bounded((bytes, length) => {
      const room = new Uint8Array(length);
      snappyUncompress(bytes, room);
      return room;
    }),
    GZIP: this.bounded((bytes, length) => new Uint8Array(gunzipSync(bytes, { maxOutputLength: length + 1 }))),
    BROTLI: this.bounded(
      (bytes, length) => new Uint8Array(brotliDecompressSync(bytes, { maxOutputLength: length + 1 })),
    ),
  };
}

async function withPath<T>(path: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (cause) {
    if (cause instanceof LabError) throw cause;
    throw new FormatError(`${path} cannot be read as Parquet: ${(cause as Error).message}`, SET_REMEDY, { cause });
  }
}
