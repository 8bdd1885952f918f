// Fetches one row of a data set on the Hugging Face Hub by its `scenario_id`. The Hub stores such sets as Parquet: of the split's files,
// the footers and short columns are read in slices, and of the long column only the part that has the row.
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { HubError } from '../errors.ts';
import type { HubOptions } from '../models/http.ts';
import { type DatasetFile, type DatasetFiles, listDataset, wordsOf } from './hub-files.ts';
import { ParquetFile } from './parquet.ts';

export interface WantedRow {
  /** Repository as `OWNER/NAME`. */
  readonly dataset: string;
  readonly split: string;
  /** A branch, a tag or a commit; null: main. */
  readonly revision: string | null;
  /** Name of the set's configuration that is searched first. */
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

const MOST_ROWS = 100_000;
const REMEDY = 'Copy the list `apps` of that scenario into the file by hand.';

/**
 * Finds and fetches the row. Throws HubError, FormatError, SpecError, StoppedError.
 *
 * @param onLook called with the path of each file that is searched
 */
export async function fetchRow(
  wanted: WantedRow,
  options: HubOptions,
  onLook: (path: string) => void = () => {},
): Promise<FoundRow> {
  const { dataset, split, scenarioId } = wanted;
  try {
    const set = await listDataset(dataset, wanted.revision ?? 'main', options, REMEDY);
    const files = filesOf(set, wanted);
    for (const file of files) {
      onLook(file.path);
      const data = await find(file, scenarioId);
      if (data !== null) return { data, commit: set.commit, path: file.path, bytes: set.fetched.bytes };
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

/** The Parquet files of the split, those of the given configuration first. */
function filesOf({ files: all }: DatasetFiles, { dataset, split, config }: WantedRow): DatasetFile[] {
  const own = all.filter(({ path }) => wordsOf(path).includes(split.toLowerCase()));
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
  const isFirst = ({ path }: DatasetFile) => config !== null && wordsOf(path).includes(config.toLowerCase());
  return [...files.filter(isFirst), ...files.filter((file) => !isFirst(file))];
}

/** The row's column `data`; null if the file does not have the row. */
async function find({ path, open }: DatasetFile, scenarioId: string): Promise<string | null> {
  const label = { name: `${path} of the data set`, remedy: REMEDY, mostRows: MOST_ROWS };
  const refused = (what: string) => new FormatError(`${label.name}: ${what}.`, REMEDY);
  const { size, slice } = open();
  const file = await ParquetFile.open(
    { byteLength: size, slice: (start, end = size) => slice(start, end).arrayBuffer() },
    label,
  );
  if (!file.columns.includes('scenario_id') || !file.columns.includes('data'))
    throw refused(`it has the columns ${file.columns.slice(0, 10).join(', ')}, and not scenario_id and data`);
  let from = 0;
  for (const count of file.groups) {
    const ids = await file.read(['scenario_id'], from, from + count);
    const place = ids.findIndex((row) => row.scenario_id === scenarioId);
    if (place >= 0) {
      const [row] = await file.read(['data'], from + place, from + place + 1);
      if (typeof row?.data === 'string') return row.data;
      throw refused(`the scenario ${scenarioId} has no data in it`);
    }
    from += count;
  }
  return null;
}
