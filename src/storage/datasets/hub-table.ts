// A split of a data set on the Hugging Face Hub as a table: its Parquet files or, if it has none, its JSON, in the order of their
// names. A file is opened when its rows are needed, and read in slices.
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import type { DataTable } from '../../lib/data-table.ts';
import type { HubOptions } from '../models/http.ts';
import { type DatasetFile, listDataset, wordsOf } from './hub-files.ts';
import { joinedTables, openTable } from './table.ts';

export interface WantedSplit {
  /** Repository as `OWNER/NAME`. */
  readonly dataset: string;
  /** A branch, a tag or a commit. */
  readonly revision: string;
  readonly split: string;
  /** Name of the set's configuration; null if it has only one. */
  readonly config: string | null;
}

export interface HubTable {
  readonly table: DataTable;
  readonly commit: string;
  readonly paths: readonly string[];
  /** Bytes fetched so far. */
  readonly fetched: { readonly bytes: number };
}

const REMEDY = 'Look at the set’s page, Files and versions; or download a file of it, and name that.';
/** File types by priority: the first that a split has is read. */
const ENDINGS = ['.parquet', '.jsonl', '.jsonl.gz', '.json'];
/** Most paths that a message lists. */
const SHOWN = 8;

/** Throws SpecError, HubError, FormatError. */
export async function openHubTable(wanted: WantedSplit, options: HubOptions): Promise<HubTable> {
  const { dataset, revision } = wanted;
  const { commit, files, fetched } = await listDataset(dataset, revision, options, REMEDY);
  const chosen = chosenFiles(files, wanted);
  const name = (path: string) => `${dataset}/${path}`;
  const [first] = chosen;
  const opened = await openTable(first.open(), name(first.path));
  const others = chosen.slice(1).map((file) => laterTable(file, name(file.path), opened));
  const table = joinedTables([opened, ...others], dataset);
  return { table, commit, paths: chosen.map(({ path }) => path), fetched };
}

/** A shard with the columns of the first one; it is opened when its rows are needed. */
const laterTable = (file: DatasetFile, name: string, { columns }: DataTable): DataTable => ({
  name,
  columns,
  rows: null,
  async *first(most, wanted) {
    yield* (await openTable(file.open(), name)).first(most, wanted);
  },
});

function chosenFiles(files: readonly DatasetFile[], { dataset, split, config }: WantedSplit): DatasetFile[] {
  const data = files.filter(({ path }) => ENDINGS.some((ending) => path.endsWith(ending)));
  const listed = (some: readonly DatasetFile[]) =>
    some
      .slice(0, SHOWN)
      .map(({ path }) => path)
      .join(', ') + (some.length > SHOWN ? `, … (${some.length})` : '');
  const own = data.filter(({ path }) => {
    const words = wordsOf(path);
    return words.includes(split.toLowerCase()) && (config === null || path.split('/').includes(config));
  });
  // If the set has one file, and no split in its name, that file is the split.
  const found = own.length === 0 && data.length === 1 && config === null ? data : own;
  if (found.length === 0)
    throw new SpecError(
      `${dataset} has no file of the split ${JSON.stringify(split.slice(0, 60))}${config === null ? '' : ` in ${JSON.stringify(config.slice(0, 60))}`}${data.length === 0 ? `, and no ${ENDINGS.join(', ')} at all` : `; it has ${listed(data)}`}.`,
      data.length === 0 ? REMEDY : 'Name another split (--split), or its part (--config).',
    );
  const ending = ENDINGS.find((one) => found.some(({ path }) => path.endsWith(one)))!;
  const kind = found.filter(({ path }) => path.endsWith(ending));
  const folders = [...new Set(kind.map(({ path }) => path.split('/').slice(0, -1).join('/')))];
  if (folders.length > 1)
    throw new SpecError(
      `${dataset} has the split ${split} in ${folders.length} parts: ${folders.slice(0, SHOWN).join(', ')}.`,
      'Name one of them with --config.',
    );
  return kind.sort((a, b) => (a.path < b.path ? -1 : 1));
}
