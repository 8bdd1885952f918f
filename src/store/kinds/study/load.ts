// The study's published results, read from the page's own folder: an index, the sheets that were made from the rows, and per question
// a gzipped file of runs, fetched when it is asked for. Needs no worker, no model and no GPU. Whatever comes in passes the study's
// reader and the record schema of imported runs.

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { withCommits } from '../../../../research/series/study/made-by.ts';
import { type ResultsIndex, readIndex } from '../../../../research/series/study/results-index.ts';
import type { RunRecord } from '../../../experiments/records/events.ts';
import { eachRun, type PublishedRun } from '../../../experiments/runs/pack.ts';
import { readSheet, type SeriesSheet, sheetName } from '../../../findings/sheet.ts';
import { readRun } from '../../../lab/records/schema.ts';
import { isGzip } from '../../../lib/streams.ts';
import { turn } from '../../../lib/turn.ts';
import { sha256 } from '../../../storage/sources.ts';
import { type Fetch, present, publishedFiles, unzipped } from '../../published-file.ts';

/** Work between two looks at what a hand does. */
const SLICE_MS = 30;

export interface Published {
  index: ResultsIndex;
  /** Made from these rows; null where there are none, or of other rows: then the page computes from the rows. */
  sheet: SeriesSheet | null;
  /** A row file's runs. Throws FormatError for what is damaged, and what fetch throws. */
  rows(name: string): Promise<PublishedRun[]>;
}

/** Null where nothing is published. Throws FormatError for what is damaged, and what fetch throws. */
export async function openPublished(base: string, get?: Fetch): Promise<Published | null> {
  const files = publishedFiles(base, get);
  const [found, made] = await Promise.all(
    ['index.json', sheetName('study')].map((name) => files.text(`results/${name}`)),
  );
  if (found === null) return null;
  const index = readIndex(found);
  const sheet = made === null ? null : ofRows(readSheet(made), index);
  const rows = async (name: string): Promise<PublishedRun[]> => {
    const expected = index.files.find((file) => file.name === name)?.sha256;
    const path = `results/${name}`;
    const bytes = await present(path, files.bytes);
    // Where a server has unzipped it on the way, its reader is the check.
    if (isGzip(bytes) && (await sha256(bytes)) !== expected)
      throw new FormatError(`${path} does not match the index.`, 'Reload the page.');
    const plain = await unzipped(bytes, path);
    const runs: PublishedRun[] = [];
    let since = performance.now();
    for (const run of eachRun(plain, name)) {
      runs.push(checked(run));
      if (performance.now() - since < SLICE_MS) continue;
      await turn();
      since = performance.now();
    }
    return withCommits(runs, index.made);
  };
  return { index, sheet, rows };
}

/** Null where it was made from other rows. */
function ofRows(sheet: SeriesSheet, { files }: ResultsIndex): SeriesSheet | null {
  const made = sheet.origin?.rows ?? [];
  return made.length === files.length && files.every(({ sha256: digest }, i) => digest === made[i]) ? sheet : null;
}

/** The rows of quarantines routed afterwards are checked as the run's own evaluations, which they are like. */
function checked(run: PublishedRun): PublishedRun {
  const { record, rerouted: replayed, key } = run;
  const device = record.device;
  const whole: RunRecord = {
    ...record,
    evals: [...record.evals, ...replayed.map(({ row }) => row)],
    rerouted: replayed.map(({ shadow: control }) => ({ shadow: control, removed: 0, ownRemoved: 0, device })),
  };
  readRun(whole, `published run ${key}`);
  return run;
}
