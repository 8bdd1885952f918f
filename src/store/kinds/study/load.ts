// The study's published results, read from the page's own folder: an index, the sheets that were made from the rows, and per question
// a gzipped file of runs, fetched when it is asked for. Needs no worker, no model and no GPU. Whatever comes in passes the study's
// reader and the record schema of imported runs.

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { readSheet, type SeriesSheet, sheetName } from '../../../experiments/judge/sheet.ts';
import { withCommits } from '../../../experiments/kinds/study/made-by.ts';
import { eachRun, type PublishedRun, type ResultsIndex, readIndex } from '../../../experiments/kinds/study/pack.ts';
import type { RunRecord } from '../../../experiments/records/events.ts';
import { readRun } from '../../../lab/records/schema.ts';
import { sha256 } from '../../../storage/sources.ts';
import { inflate, isNone, isZipped, unpacked } from '../../published-file.ts';

/** Work between two looks at what a hand does. */
const SLICE_MS = 30;

export interface Published {
  index: ResultsIndex;
  /** Made from these rows; null where there are none, or of other rows: then the page computes from the rows. */
  sheet: SeriesSheet | null;
  /** A row file's runs. Throws FormatError for what is damaged, and what fetch throws. */
  rows(name: string): Promise<PublishedRun[]>;
}

type Fetch = (url: string) => Promise<Response>;

/** Null where nothing is published. Throws FormatError for what is damaged, and what fetch throws. */
export async function openPublished(base: string, get: Fetch = (url) => fetch(url)): Promise<Published | null> {
  const folder = new URL('results/', base);
  const [found, made] = await Promise.all(['index.json', SHEET].map((name) => get(new URL(name, folder).href)));
  if (isNone(found)) return null;
  if (!found.ok) throw missing('index.json', found.status);
  const index = readIndex(await found.text());
  const sheet = isNone(made) || !made.ok ? null : ofRows(readSheet(await unpacked(made, SHEET)), index);
  const rows = async (name: string): Promise<PublishedRun[]> => {
    const expected = index.files.find((file) => file.name === name)?.sha256;
    const response = await get(new URL(name, folder).href);
    if (!response.ok) throw missing(name, response.status);
    const bytes = new Uint8Array(await response.arrayBuffer());
    // Where a server has unzipped it on the way, its reader is the check.
    if (isZipped(bytes) && (await sha256(bytes)) !== expected)
      throw new FormatError(`results/${name} does not match the index.`, 'Reload the page.');
    const plain = isZipped(bytes) ? await inflate(bytes, name) : bytes;
    const runs: PublishedRun[] = [];
    let since = performance.now();
    for (const run of eachRun(plain, name)) {
      runs.push(checked(run));
      if (performance.now() - since < SLICE_MS) continue;
      await new Promise((resolve) => setTimeout(resolve));
      since = performance.now();
    }
    return withCommits(runs, index.made);
  };
  return { index, sheet, rows };
}
const SHEET = sheetName('study');

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

function missing(name: string, status: number): FormatError {
  return new FormatError(`results/${name} could not be loaded (${status}).`, 'Reload the page.');
}
