// A series' sheet as a hook: fetched when the series is first shown, kept for as long as the page is open.
import { useEffect, useState } from 'react';
import type { SeriesId } from '../../experiments/judge/series.ts';
import type { SeriesSheet } from '../../experiments/judge/sheet.ts';
import { createSheets, type Sheets } from '../../store/findings/sheets.ts';
import { type Problem, problemOf } from '../../store/lab-state.ts';

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
