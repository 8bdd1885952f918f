// The published sheets of the environments' questions, each fetched when its series is first opened, and kept. Needs no worker and no rows.

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { type SeriesId, seriesOf } from '../../experiments/judge/series.ts';
import { readSheet, type SeriesSheet, sheetName } from '../../experiments/judge/sheet.ts';
import { isNone, unpacked } from '../published-file.ts';

type Fetch = (url: string) => Promise<Response>;

export interface Sheets {
  /** Throws FormatError for what is damaged or did not come, and what fetch throws; what failed is fetched anew. */
  open(series: SeriesId): Promise<SeriesSheet>;
}

/** @param base the page's own address: the results are below it */
export function createSheets(base: string, get: Fetch = (url) => fetch(url)): Sheets {
  const known = new Map<SeriesId, Promise<SeriesSheet>>();
  async function read(series: SeriesId): Promise<SeriesSheet> {
    const name = sheetName(series);
    const response = await get(new URL(`results/${name}`, base).href);
    if (isNone(response) || !response.ok) {
      const { label } = seriesOf(series);
      throw new FormatError(`The findings of “${label}” could not be loaded (${response.status}).`, 'Reload the page.');
    }
    return readSheet(await unpacked(response, name));
  }
  return {
    open(series) {
      const coming = known.get(series) ?? read(series);
      known.set(series, coming);
      coming.catch(() => known.delete(series));
      return coming;
    },
  };
}
