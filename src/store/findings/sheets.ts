// The published sheets of the environments' questions. Each is fetched and cached when its series is first opened. Needs no worker and no
// rows.

import { withPageNames } from '../../experiments/analysis/page-names.ts';
import { FRONT_PATH, type Front, readFront } from '../../findings/front.ts';
import type { SeriesId } from '../../findings/series.ts';
import { readSheet, type SeriesSheet, sheetName } from '../../findings/sheet.ts';
import { type Fetch, publishedFiles, readExisting } from '../published-file.ts';

export interface Sheets {
  /** Throws FormatError for a damaged or missing sheet, and errors of fetch. After a failure the next call fetches again. */
  open(series: SeriesId): Promise<SeriesSheet>;
}

/** The front page over all series. Throws the same errors as `open`. */
export const openFront = async (base: string, get?: Fetch): Promise<Front> =>
  readFront(await readExisting(FRONT_PATH, publishedFiles(base, get).text));

/** @param base the page's own address, below which the results are published */
export function createSheets(base: string, get?: Fetch): Sheets {
  const files = publishedFiles(base, get);
  const known = new Map<SeriesId, Promise<SeriesSheet>>();
  const read = async (series: SeriesId) =>
    readSheet(withPageNames(await readExisting(`results/${sheetName(series)}`, files.text)));
  return {
    open(series) {
      const coming = known.get(series) ?? read(series);
      known.set(series, coming);
      coming.catch(() => known.delete(series));
      return coming;
    },
  };
}
