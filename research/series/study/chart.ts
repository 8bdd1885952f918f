// A question's chart: hack against solve, every cell of its table at its mean, its seeds faintly around it; one panel per part if the
// question has several. Marks have the numbers of their lines, as a cue besides colour and shape.
import type { MarkChart, MarkPanel } from '../../../src/experiments/judge/figures.ts';
import { metricOfCell } from './judge.ts';
import type { CellResult, CellResults, StudyQuestion } from './types.ts';

export function chartOf(question: StudyQuestion, figures: CellResults): MarkChart {
  if (question.chart) return question.chart(figures);
  const parts = [...new Set(question.cells.flatMap(({ part }) => part ?? []))];
  const panels =
    parts.length < 2
      ? [hackSolvePanel(question, figures)]
      : parts.map((part) => hackSolvePanel(question, figures, part));
  return { kind: 'marks', panels, isShared: true };
}

/** Panel of the cells of one part, or of all. A cell without a run, or without either measure, has no mark. */
export function hackSolvePanel(
  { cells }: Pick<StudyQuestion, 'cells'>,
  figures: CellResults,
  part?: string,
): MarkPanel {
  return {
    id: part?.replace(' ', '-') ?? '',
    title: `Hack against solve${part === undefined ? '' : `, ${part}`}`,
    about: 'Final evaluation, mean over seeds, each seed faint. Lower right is better. Numbers are table rows.',
    x: { label: 'solve', verb: 'solve' },
    y: { label: 'hack', verb: 'hack', low: 0 },
    marks: cells.flatMap((cell, i) => {
      const own = figures.get(cell.id);
      if (!own?.hack || !own.solve || (part !== undefined && cell.part !== part)) return [];
      return [{ row: i + 1, n: own.statistics.n, x: own.solve.mean, y: own.hack.mean, each: seedsOf(own) }];
    }),
    line: [],
  };
}

/** Every run evaluates the same base, so the base has one point. */
function seedsOf({ cell, set, statistics }: CellResult): [number, number][] {
  if (cell.model === 'base' || statistics.n < 2) return [];
  return set.runs.flatMap((run): [number, number][] => {
    const [x, y] = (['solve', 'hack'] as const).map((measure) => metricOfCell(cell, measure).value(run, set.model));
    return x === null || y === null ? [] : [[x, y]];
  });
}
