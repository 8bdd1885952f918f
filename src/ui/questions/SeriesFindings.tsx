// The questions of a series as in its published sheet. The page computes nothing and fetches no rows.

import { type SeriesId, seriesOf } from '../../findings/series.ts';
import type { FindingsRef } from '../../store/findings/link.ts';
import { createSheets, type Sheets } from '../../store/findings/sheets.ts';
import { useFetched } from '../parts/use-loaded.ts';
import { Questions } from './Questions.tsx';
import { SeriesHead } from './SeriesHead.tsx';
import './findings.css';

interface SeriesFindingsProps {
  /** The question and run that the address names. */
  place: FindingsRef;
  onAsk: (question: string | null) => void;
}

export default function SeriesFindings({ place, onAsk }: SeriesFindingsProps) {
  const series = seriesOf(place.series);
  const { value: sheet, problem, again } = useSheet(place.series);
  const questions = sheet?.questions ?? [];
  return (
    <>
      <SeriesHead
        series={series}
        questions={questions}
        first={sheet?.first}
        origin={sheet?.origin}
        problem={problem}
        onAgain={again}
        isReading={sheet === null}
      />
      {sheet ? <Questions series={series} questions={questions} place={place} onAsk={onAsk} /> : null}
    </>
  );
}

let sheets: Sheets | null = null;

/** The sheet of the series, fetched when it is first shown and cached while the page is open. */
const useSheet = (series: SeriesId) =>
  useFetched(() => {
    sheets ??= createSheets(document.baseURI);
    return sheets.open(series);
  }, series);
