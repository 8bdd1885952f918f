// Judges every series from its published rows: the sheets that `judge` prints, `publish` writes and `verify` compares.
import { SERIES_IDS, type SeriesId } from '../../src/findings/series.ts';
import type { SeriesSheet } from '../../src/findings/sheet.ts';
import { publishedRedrawn } from '../draws/published.ts';
import { ENVIRONMENT_QUESTIONS } from '../series/questions.ts';
import { reportOf } from '../series/study/publish.ts';
import { headlineRows, judgedOf, publishedRows, sheetOf } from './publish.ts';

/** Yields sheets in the order of the series. @param series ids to judge; null for all */
export async function* judgedSheets(
  root: string,
  series: readonly SeriesId[] | null = null,
): AsyncGenerator<{ id: SeriesId; sheet: SeriesSheet }> {
  const rows = headlineRows(root, publishedRows(root));
  const redrawn = publishedRedrawn(root, rows);
  for (const id of SERIES_IDS) {
    if (series && !series.includes(id)) continue;
    if (id === 'study') yield { id, sheet: (await reportOf(root)).sheet };
    else {
      const questions = ENVIRONMENT_QUESTIONS[id];
      yield { id, sheet: await sheetOf(questions, judgedOf(questions, rows), rows, redrawn) };
    }
  }
}
