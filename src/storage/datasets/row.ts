// One row of a data set on the Hugging Face Hub, found by its `scenario_id`: the files of its split are listed, their footers and short
// columns are read in slices, and of the long column only the part with the row. The Hub stores such sets as Parquet.
import { FormatError, LabError } from '@projected-grpo-lab/base/errors.ts';
import {
  type AsyncBuffer,
  type Compressors,
  parquetMetadataAsync,
  parquetReadObjects,
  snappyUncompress,
} from 'hyparquet';
import * as z from 'zod/mini';
import { gunzip } from '../../lib/gunzip.ts';
import { bytesText } from '../../lib/numbers.ts';
import { HubError } from '../errors.ts';
import { HubClient, type HubOptions } from '../models/http.ts';
import { checkNames, HubEntry, validatedAnswer } from '../models/hub.ts';
import { RangedFile } from '../models/ranged.ts';
import { withinHub } from './redirects.ts';

export interface WantedRow {
  /** Repository as `OWNER/NAME`. */
  readonly dataset: string;
  readonly split: string;
  /** A branch, a tag or a commit; null: main. */
  readonly revision: string | null;
  /** Name of the part of the set that is searched first. */
  readonly config: string | null;
  readonly scenarioId: string;
}

export interface FoundRow {
  /** The column `data`. */
  readonly data: string;
  readonly commit: string;
  /** Path of the file in the repository. */
  readonly path: string;
  /** Bytes fetched to find it. */
  readonly bytes: number;
}

/** Limits: files of a repository; rows of a file; bytes of a footer, of one part of a column, and of all that is fetched. */
const MOST = { files: 10_000, rows: 100_000, footer: 64 * 2 ** 20, part: 2 ** 30, fetched: 2 ** 30 };
const REMEDY = 'Copy the list `apps` of that scenario into the file by hand.';

const Info = z.object({ sha: z.string().check(z.regex(/^[0-9a-f]{40}$/)) });

/** @param onLook called with each file that is searched. Throws HubError, FormatError, SpecError, StoppedError. */
export async function fetchRow(
  wanted: WantedRow,
  options: HubOptions,
  onLook: (path: string) => void = () => {},
): Promise<FoundRow> {
  const { dataset, split, scenarioId } = wanted;
  const plainClient = new HubClient(options);
  const client = new HubClient({ ...options, fetch: withinHub(plainClient.endpoint, options.fetch) });
  try {
    const { commit, files } = await listed(client, wanted);
    const fetched = { bytes: 0 };
    for (const file of files) {
      onLook(file.path);
      const data = await new RowFile(client, dataset, commit, file, fetched).find(scenarioId);
      if (data !== null) return { data, commit, path: file.path, bytes: fetched.bytes };
    }
    const looked = files.length === 1 ? files[0]?.path : `${files.length} files`;
    throw new FormatError(
      `${dataset}, split ${split}, has no scenario ${scenarioId} (${looked} looked through).`,
      REMEDY,
    );
  } catch (error) {
    if (error instanceof HubError) throw new HubError(error.message, remedyOf(error), error.status, { cause: error });
    throw error;
  }
}

function remedyOf({ status, remedy }: HubError): string {
  if (status === 401 || status === 403)
    return 'Check the data set’s name; accept its conditions on its page, and give an access token of that account in HF_TOKEN.';
  return status === null ? `Check the connection, or fetch them later. ${REMEDY}` : remedy;
}

interface ListedFile {
  readonly path: string;
  readonly bytes: number;
}

/** The Parquet files of the split, those of the wanted part first. */
async function listed(client: HubClient, { dataset, split, revision, config }: WantedRow) {
  checkNames(dataset, revision ?? 'main');
  const { datasetInfo, listFiles } = await import('@huggingface/hub');
  const { fetch, endpoint: hubUrl, accessToken } = client;
  const common = { fetch, hubUrl, accessToken };
  const { sha: commit } = await validatedAnswer(client, 'its metadata', Info, () =>
    datasetInfo({ ...common, name: dataset, revision: revision ?? 'main', additionalFields: ['sha'] }),
  );
  const entries = await validatedAnswer(client, 'its list of files', z.array(HubEntry), async () => {
    const all: unknown[] = [];
    const repo = { type: 'dataset', name: dataset } as const;
    for await (const entry of listFiles({ ...common, repo, revision: commit, recursive: true })) {
      all.push(entry);
      if (all.length > MOST.files) throw new FormatError(`${dataset} has more than ${MOST.files} files.`, REMEDY);
    }
    return all;
  });
  const words = (path: string) => path.toLowerCase().split(/[^a-z0-9]+/);
  const all = entries
    .filter(({ type }) => type === 'file')
    .map(({ path, size, lfs }) => ({ path, bytes: lfs?.size ?? size }));
  const own = all.filter(({ path }) => words(path).includes(split.toLowerCase()));
  const files = own.filter(({ path }) => path.endsWith('.parquet'));
  if (files.length === 0) {
    const others =
      own.length > 0
        ? `, but ${own
            .slice(0, 3)
            .map(({ path }) => path)
            .join(', ')}`
        : '';
    throw new FormatError(
      `${dataset} has no Parquet file of the split ${JSON.stringify(split.slice(0, 60))}${others}.`,
      REMEDY,
    );
  }
  const isFirst = ({ path }: ListedFile) => config !== null && words(path).includes(config.toLowerCase());
  return { commit, files: [...files.filter(isFirst), ...files.filter((file) => !isFirst(file))] };
}

/** A Parquet file on the Hub. */
class RowFile {
  private readonly file: AsyncBuffer;

  constructor(
    client: HubClient,
    dataset: string,
    commit: string,
    private readonly listed: ListedFile,
    fetched: { bytes: number },
  ) {
    const path = listed.path.split('/').map(encodeURIComponent).join('/');
    const ranged = new RangedFile(client, `${client.endpoint}/datasets/${dataset}/resolve/${commit}/${path}`, listed);
    this.file = {
      byteLength: listed.bytes,
      slice: async (start, end = listed.bytes) => {
        fetched.bytes += Math.max(0, end - start);
        if (!(start >= 0 && end <= listed.bytes)) throw this.refused('it names bytes that are outside of it');
        if (fetched.bytes > MOST.fetched)
          throw this.refused(`finding the scenario took more than ${bytesText(MOST.fetched)}`);
        return ranged.slice(start, end).arrayBuffer();
      },
    };
  }

  /** The row's column `data`; null if the file does not have the row. */
  async find(scenarioId: string): Promise<string | null> {
    try {
      return await this.found(scenarioId);
    } catch (error) {
      if (error instanceof LabError) throw error;
      throw this.refused(`it cannot be read as Parquet (${(error as Error).message})`, error);
    }
  }

  private async found(scenarioId: string): Promise<string | null> {
    const { file } = this;
    const tail = new DataView(await file.slice(Math.max(0, file.byteLength - 8), file.byteLength));
    if (tail.byteLength < 8 || tail.getUint32(0, true) > MOST.footer)
      throw this.refused(`its footer is none, or has more than ${bytesText(MOST.footer)}`);
    const metadata = await parquetMetadataAsync(file);
    const names = metadata.schema.slice(1).map(({ name }) => name);
    if (!names.includes('scenario_id') || !names.includes('data'))
      throw this.refused(`it has the columns ${names.slice(0, 10).join(', ')}, and not scenario_id and data`);
    if (Number(metadata.num_rows) > MOST.rows) throw this.refused(`it has more than ${MOST.rows} rows`);
    for (const { meta_data: column } of metadata.row_groups.flatMap(({ columns }) => columns)) {
      const bytes = Number(column?.total_compressed_size ?? 0);
      if (bytes > MOST.part) throw this.refused(`a part of a column has ${bytesText(bytes)}`);
    }
    const read = { file, metadata, compressors: COMPRESSORS };
    for (let from = 0, group = 0; group < metadata.row_groups.length; group++) {
      const to = from + Number(metadata.row_groups[group]?.num_rows);
      const ids = await parquetReadObjects({ ...read, columns: ['scenario_id'], rowStart: from, rowEnd: to });
      const place = ids.findIndex((row) => row.scenario_id === scenarioId);
      if (place >= 0) {
        const at = { rowStart: from + place, rowEnd: from + place + 1 };
        const [row] = await parquetReadObjects({ ...read, columns: ['data'], ...at, useOffsetIndex: true });
        if (typeof row?.data === 'string') return row.data;
        throw this.refused(`the scenario ${scenarioId} has no data in it`);
      }
      from = to;
    }
    return null;
  }

  private refused(what: string, cause?: unknown): FormatError {
    return new FormatError(`${this.listed.path} of the data set: ${what}.`, REMEDY, { cause });
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
};
