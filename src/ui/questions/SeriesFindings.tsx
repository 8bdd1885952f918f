// A series' questions as its published sheet has them: nothing is computed here, and no rows are fetched.

import { type SeriesId, seriesOf } from '../../findings/series.ts';
import { createSheets, type Sheets } from '../../store/findings/sheets.ts';
import { useFetched } from '../parts/use-loaded.ts';
import { Questions } from './Questions.tsx';
import { SeriesHead } from './SeriesHead.tsx';
import './findings.css';

interface SeriesFindingsProps {
  series: SeriesId;
  /** The question that the address asks for. */
  asked: string | null;
  onAsk: (question: string | null) => void;
}

export default function SeriesFindings({ series: id, asked, onAsk }: SeriesFindingsProps) {
  const series = seriesOf(id);
  const { value: sheet, problem, again } = useSheet(id);
  const questions = sheet?.questions ?? [];
  return (
    <>
      <SeriesHead
        series={series}
        questions={questions}
        first={sheet?.first}
        problem={problem}
        onAgain={again}
        isReading={sheet === null}
      />
      {sheet ? <Questions series={series} questions={questions} asked={asked} onAsk={onAsk} /> : null}
    </>
  );
}

let sheets: Sheets | null = null;

/** Fetched when the series is first shown, kept for as long as the page is open. */
const useSheet = (series: SeriesId) =>
  useFetched(() => {
    sheets ??= createSheets(document.baseURI);
    return sheets.open(series);
  }, series);
