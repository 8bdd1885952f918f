// Gain of gradient overlap over spelling for a hack that the pairs do not show (P2): the share of squared error that its formula saves
// compared with a look-up table of the pilots' cells. A table by spelling is the simple alternative, so it is the relevant comparison.
import { mean, pairedT } from '../../src/stats/index.ts';
import { cellsOf, type PredictionCell, prediction } from '../series/prediction/formula.ts';
import { PILOTED } from '../series/prediction/piloted.ts';
import type { PredictionRow } from '../series/prediction/rows.ts';
import type { Sources } from './sources.ts';

export const PREDICTED = 'prediction/judged.jsonl.gz';
const PILOTS = 'prediction/pilots.jsonl.gz';

/**
 * The table's key: the measured hack, the one shown by the pairs, and their spelling. It has the smallest error of the tables by spelling.
 */
const keyOf = ({ mode, form }: PredictionCell): string => [mode, form.shows, form.set].join(' ');

/** Share of the table's squared error that the formula saves, over some draws. */
function savedOf(rows: readonly PredictionRow[], pilots: readonly PredictionCell[]): number {
  const known = new Map<string, number[]>();
  for (const cell of pilots) known.set(keyOf(cell), [...(known.get(keyOf(cell)) ?? []), cell.removed]);
  const cells = cellsOf(rows, 'unseen');
  const squares = (of: (cell: PredictionCell) => number) =>
    cells.reduce((sum, cell) => sum + (cell.removed - of(cell)) ** 2, 0);
  const { formula } = PILOTED.unseen;
  return 1 - squares((cell) => prediction(formula, cell)) / squares((cell) => mean(known.get(keyOf(cell)) ?? []) ?? 0);
}

/** Mean and interval of a statistic over draws, by the jackknife, as P2's own estimates. Throws RangeError for fewer than two draws. */
export function overPredictedDraws(rows: readonly PredictionRow[], of: (rows: readonly PredictionRow[]) => number) {
  const draws = [...new Set(rows.map(({ dataSeed }) => dataSeed))].sort((a, b) => a - b);
  const all = of(rows);
  const values = draws.map((draw) => {
    const without = of(rows.filter(({ dataSeed }) => dataSeed !== draw));
    return draws.length * all - (draws.length - 1) * without;
  });
  const t = pairedT(values);
  if (!t) throw new RangeError(`${PREDICTED}: ${draws.length} draws give no interval`);
  return { draws: draws.length, mean: t.mean, interval: t.interval };
}

export function savedOverLookUp(sources: Sources) {
  const pilots = cellsOf(sources.lines<PredictionRow>(PILOTS), 'unseen');
  return overPredictedDraws(sources.lines<PredictionRow>(PREDICTED), (rows) => savedOf(rows, pilots));
}
