// An untrusted Parquet file, read in slices: first the footer, then only the requested columns of the requested rows. A small file may
// claim huge contents, so footer, rows, column chunks and unpacked pages are bounded before memory is allocated.
import { FormatError, LabError } from '@projected-grpo-lab/base/errors.ts';
import {
  type AsyncBuffer,
  type Compressors,
  type FileMetaData,
  parquetMetadataAsync,
  parquetReadObjects,
  snappyUncompress,
} from 'hyparquet';
import { gunzip } from '../../lib/gunzip.ts';
import { bytesText } from '../../lib/numbers.ts';
import { unzstd } from '../../lib/zstd.ts';

export type ParquetRow = Readonly<Record<string, unknown>>;

/** Limits: bytes of a footer; rows of a file; bytes of a column chunk, packed or unpacked. */
const MOST = { footer: 64 * 2 ** 20, rows: 10_000_000, part: 2 ** 30 };

export interface ParquetLabel {
  /** Name of the file in messages. */
  name: string;
  remedy: string;
  /** Most rows, if fewer than the reader's own limit. */
  mostRows?: number;
}

export class ParquetFile {
  readonly columns: readonly string[];
  readonly rows: number;
  /** Number of rows of each row group, in order; a group is the smallest unit that can be unpacked. */
  readonly groups: readonly number[];

  private constructor(
    private readonly file: AsyncBuffer,
    private readonly metadata: FileMetaData,
    private readonly label: ParquetLabel,
  ) {
    this.columns = topColumns(metadata);
    this.groups = metadata.row_groups.map(({ num_rows }) => Number(num_rows));
    this.rows = Number(metadata.num_rows);
  }

  /** Throws FormatError for a file that is not Parquet, or that exceeds a limit. */
  static async open(file: AsyncBuffer, label: ParquetLabel): Promise<ParquetFile> {
    return named(label, async () => {
      const tail = new DataView(await file.slice(Math.max(0, file.byteLength - 8), file.byteLength));
      if (tail.byteLength < 8 || tail.getUint32(0, true) > MOST.footer)
        throw new RangeError(`its footer is none, or has more than ${bytesText(MOST.footer)}`);
      const metadata = await parquetMetadataAsync(file);
      const { mostRows = MOST.rows } = label;
      const rows = metadata.row_groups.map(({ num_rows }) => Number(num_rows));
      const total = rows.reduce((sum, count) => sum + count, 0);
      if (rows.some((count) => !(count >= 0)) || total !== Number(metadata.num_rows))
        throw new RangeError(`it has ${metadata.num_rows} rows, and its groups have ${total}`);
      if (total > mostRows) throw new FormatError(`${label.name}: it has more than ${mostRows} rows.`, label.remedy);
      for (const { meta_data: column } of metadata.row_groups.flatMap(({ columns }) => columns)) {
        const bytes = Math.max(
          Number(column?.total_compressed_size ?? 0),
          Number(column?.total_uncompressed_size ?? 0),
        );
        if (bytes > MOST.part) throw new RangeError(`a part of a column has ${bytesText(bytes)}`);
      }
      return new ParquetFile(file, metadata, label);
    });
  }

  /** Rows [from, to) with these columns. Throws FormatError. */
  read(columns: readonly string[], from: number, to: number): Promise<ParquetRow[]> {
    const { file, metadata } = this;
    const wanted = { columns: [...columns], rowStart: from, rowEnd: to, useOffsetIndex: true };
    return named(this.label, () => parquetReadObjects({ file, metadata, compressors: COMPRESSORS, ...wanted }));
  }
}

/** Names at the top level of the schema; nested fields and list items are below them. */
function topColumns({ schema: [root, ...rest] }: FileMetaData): string[] {
  const names: string[] = [];
  for (let at = 0; at < rest.length && names.length < (root?.num_children ?? 0); ) {
    names.push(rest[at].name);
    // The schema is in depth-first order, so a column ends when all its descendants were passed.
    for (let open = 1; open > 0 && at < rest.length; at++) open += (rest[at]?.num_children ?? 0) - 1;
  }
  return names;
}

async function named<T>({ name, remedy }: ParquetLabel, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (cause) {
    if (cause instanceof LabError) throw cause;
    throw new FormatError(`${name}: it cannot be read as Parquet (${(cause as Error).message}).`, remedy, { cause });
  }
}

/** A page states its unpacked length; nothing is allocated for one above the limit of a part. */
function bounded(unpack: (bytes: Uint8Array, room: Uint8Array) => Uint8Array) {
  return (bytes: Uint8Array, length: number) => {
    if (!(length <= MOST.part)) throw new RangeError(`a page of ${length} bytes`);
    return unpack(bytes, new Uint8Array(length));
  };
}

const COMPRESSORS: Compressors = {
  SNAPPY: bounded((bytes, room) => {
    snappyUncompress(bytes, room);
    return room;
  }),
  // A page may have several members of gzip.
  GZIP: (bytes, length) => gunzip(bytes, Math.min(length, MOST.part)),
  ZSTD: (bytes, length) => unzstd(bytes, Math.min(length, MOST.part)),
};
