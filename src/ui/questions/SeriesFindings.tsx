// A series' questions as its published sheet has them: nothing is computed here, and no rows are fetched.

import { type SeriesId, seriesOf } from '../../experiments/judge/series.ts';
import { Questions } from './Questions.tsx';
import { SeriesHead } from './SeriesHead.tsx';
import './findings.css';
import { useEffect, useState } from 'react';
import type { SeriesSheet } from '../../experiments/judge/sheet.ts';
import { createSheets, type Sheets } from '../../store/findings/sheets.ts';
import { type Problem, problemOf } from '../../store/lab-state.ts';

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

// A series' sheet as a hook: fetched when the series is first shown, kept for as long as the page is open.

let sheets: Sheets | null = null;

export function useSheet(series: SeriesId): { sheet: SeriesSheet | null; problem: Problem | null; again: () => void } {
  const [sheet, setSheet] = useState<SeriesSheet | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [round, setRound] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a round is another try
  useEffect(() => {
    let current = true;
    sheets ??= createSheets(document.baseURI);
    setProblem(null);
    sheets
      .open(series)
      .then((found) => {
        if (current) setSheet(found);
      })
      .catch((error) => {
        if (current) setProblem(problemOf(error));
      });
    return () => {
      current = false;
    };
  }, [series, round]);
  return { sheet, problem, again: () => setRound((before) => before + 1) };
}
