// A series' questions as its published sheet has them: nothing is computed here, and no rows are fetched.
import { type SeriesId, seriesOf } from '../../experiments/judge/series.ts';
import { Questions } from './Questions.tsx';
import { SeriesHead } from './SeriesHead.tsx';
import { useSheet } from './use-sheet.ts';
import './findings.css';

interface SeriesFindingsProps {
  series: SeriesId;
  /** The question that the address asks for. */
  asked: string | null;
  onAsk: (question: string | null) => void;
}

export default function SeriesFindings({ series: id, asked, onAsk }: SeriesFindingsProps) {
  const series = seriesOf(id);
  const { sheet, problem, again } = useSheet(id);
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
