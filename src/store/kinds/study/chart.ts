// What a question's charts draw: one mark per cell at its mean, its seeds faint around it; and for Q18 the frontier of what each
// intervention keeps and removes. Pure. Marks carry the number of their line in the table: a cue beside colour and shape.
import type { Sheet, SheetLine } from '../../../experiments/kinds/study/sheet.ts';
import type { StudyCell } from '../../../experiments/kinds/study/types.ts';
import { type ArmStyle, modelStyle } from '../../runs/arm-style.ts';

export interface Mark {
  id: string;
  /** Line of the table, from 1. */
  number: number;
  label: string;
  style: ArmStyle;
  n: number;
  /** Shares. */
  x: number;
  y: number;
  seeds: { seed: number; x: number; y: number }[];
}

/** Lines of the table, numbered from 1 as the question lists them. */
export function numbered({ question, lines }: Sheet): { number: number; line: SheetLine }[] {
  return question.cells.flatMap(({ id }, i) => {
    const line = lines.find(({ cell }) => cell.id === id);
    return line ? [{ number: i + 1, line }] : [];
  });
}

/** Which panel of a question of many parts a cell belongs to: its held-out mode, or its draw; null where all are one. */
export function panelOf({ id, mode }: StudyCell): string | null {
  const [, part] = id.split('@');
  return mode ?? (part === undefined ? null : `draw ${part}`);
}

/** Solve along, hack up. Lines without a run, or without one of the two, have no mark. */
export function hackSolveMarks(sheet: Sheet, includes: (cell: StudyCell) => boolean = () => true): Mark[] {
  return numbered(sheet).flatMap(({ number, line: { cell, hack, solve, n, seeds } }) => {
    if (!hack || !solve || !includes(cell)) return [];
    const { id, label } = cell;
    return [{ id, number, label, style: modelStyle(cell), n, x: solve.mean, y: hack.mean, seeds }];
  });
}

/** One panel of the frontier: a share of honest problems. */
export interface Frontier {
  share: number;
  /** Kept along, removed up; null where no honest gain is there to keep, and then the panel is hack against solve. */
  marks: Mark[] | null;
  /** Ids of the marks along k, in its order: the line. */
  line: string[];
}

/** Q18's panels. A cell's share stands behind the @ of its id; `k5` and its like lie on one line. */
export function frontiers(sheet: Sheet): Frontier[] {
  const shares = [...new Set(sheet.question.cells.map(({ id }) => Number(id.split('@')[1])))];
  return shares.map((share) => {
    const own = numbered(sheet).filter(({ line }) => line.cell.id.endsWith(`@${share}`));
    const marks = own.flatMap(({ number, line: { cell, frontier } }) => {
      if (!frontier) return [];
      const { id, label } = cell;
      const { n, kept: x, removed: y } = frontier;
      return [{ id, number, label, style: modelStyle(cell), n, x, y, seeds: [] }];
    });
    const width = (id: string) => Number(/^k(\d+)@/.exec(id)?.[1] ?? Number.NaN);
    const line = marks.map(({ id }) => id).filter((id) => !Number.isNaN(width(id)));
    return { share, marks: marks.length > 0 ? marks : null, line: line.sort((a, b) => width(a) - width(b)) };
  });
}

export interface Axis {
  low: number;
  high: number;
  ticks: number[];
}

/** Round ends and ticks around the values, at least a tenth wide. */
export function axisOf(values: readonly number[], fixed: { low?: number; high?: number } = {}): Axis {
  const least = Math.min(...values, fixed.low ?? Number.POSITIVE_INFINITY);
  const most = Math.max(...values, fixed.high ?? Number.NEGATIVE_INFINITY);
  const span = Math.max(0.1, most - least);
  const step = [0.02, 0.05, 0.1, 0.2, 0.25, 0.5, 1, 2, 5].find((candidate) => span / candidate <= 6) ?? 10;
  const first = Math.floor(least / step + 1e-9);
  const last = Math.max(first + 1, Math.ceil(most / step - 1e-9));
  const ticks = Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toFixed(2)));
  return { low: ticks[0], high: ticks[ticks.length - 1], ticks };
}
