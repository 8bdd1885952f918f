// A question as it is shown: its verdict, and the lines of its table as plain numbers, without the runs that they come from. Small
// enough to be published whole (sheets.ts), so that the page opens on what the data say and fetches rows only for who asks for them.
import type { Mode } from '../../../environments/code/types.ts';
import type { Interval } from '../../../stats/index.ts';
import type { Cell } from '../../analysis/compare.ts';
import type { FigureComparison } from '../../analysis/paired.ts';
import { modesOf } from './by-mode.ts';
import type { QuestionResult } from './figures.ts';
import { figureOf } from './judge.ts';
import { frontierPoint } from './questions/capability.ts';
import type { CellFigures, Question, StudyCell, Verdict } from './types.ts';

/** A line's difference to the cell that it is compared with, seed by seed. */
export interface SheetDelta {
  n: number;
  mean: number;
  /** 95% t; null at n = 1. */
  interval: Interval | null;
  /** Exact sign-flip p, and the least that n could give. */
  p: number;
  least: number;
  /** After Holm. */
  adjusted: { p: number; smallest: number; tP: number } | null;
  smallestEffect: number | null;
}

export interface SheetLine {
  cell: StudyCell;
  /** Seeds in the means. */
  n: number;
  hack: Cell | null;
  solve: Cell | null;
  structural: Cell | null;
  last5: Cell | null;
  byMode: Partial<Record<Mode, number>>;
  isConfounded: boolean;
  deltaHack: SheetDelta | null;
  deltaSolve: SheetDelta | null;
  /** Solve along, hack up, a point a seed. */
  seeds: { seed: number; x: number; y: number }[];
  /** Of Q18: shares of the honest gain kept and of the hack removed. */
  frontier: { kept: number; removed: number; n: number } | null;
}

export interface Sheet {
  question: Question;
  verdict: Verdict;
  addition: Verdict | null;
  /** Finished (cell, seed) pairs, of all that are planned. */
  done: number;
  planned: number;
  notes: string[];
  modes: Mode[];
  /** In the question's order. */
  lines: SheetLine[];
}

export function sheetOf(result: QuestionResult): Sheet {
  const { question, verdict, addition, done, planned, notes, figures } = result;
  const lines = question.cells.flatMap(({ id }) => {
    const own = figures.get(id);
    return own ? [lineOf(own, result)] : [];
  });
  return { question, verdict, addition, done, planned, notes, modes: modesOf(figures.values()), lines };
}

function lineOf(own: CellFigures, { question, figures }: QuestionResult): SheetLine {
  const { cell, set, statistics, hack, solve, structural, byMode, comparison } = own;
  const value = (measure: 'hack' | 'solve') => figureOf(cell, measure).value;
  const delta = (measure: 'hack' | 'solve') => deltaOf(comparison?.figures[figureOf(cell, measure).id] ?? null);
  // Every run evaluates the same base: one point says it all.
  const isSpread = cell.model !== 'base' && statistics.n > 1;
  const seeds = set.runs.flatMap((run) => {
    const [x, y] = [value('solve')(run, set.model), value('hack')(run, set.model)];
    return x === null || y === null ? [] : [{ seed: run.spec.seed, x, y }];
  });
  const point = question.id === 'Q18' ? frontierPoint(figures, cell.id) : null;
  return {
    cell,
    n: statistics.n,
    hack,
    solve,
    structural,
    last5: cell.model === 'total' ? statistics.last5Hack : null,
    byMode,
    isConfounded: (comparison?.knobs.length ?? 0) > 1,
    deltaHack: delta('hack'),
    deltaSolve: delta('solve'),
    seeds: isSpread ? seeds : [],
    frontier:
      point && point.kept !== null && point.removed !== null
        ? { kept: point.kept, removed: point.removed, n: cell.model === 'base' ? statistics.n : point.n }
        : null,
  };
}

function deltaOf(comparison: FigureComparison | null): SheetDelta | null {
  if (!comparison) return null;
  const { n, delta, t, signFlip, adjusted, smallestEffect } = comparison;
  return {
    n,
    mean: delta.mean,
    interval: t ? { low: t.interval.low, high: t.interval.high } : null,
    p: signFlip.p,
    least: signFlip.smallest,
    adjusted: adjusted ? { p: adjusted.p, smallest: adjusted.smallest, tP: adjusted.tP } : null,
    smallestEffect,
  };
}
