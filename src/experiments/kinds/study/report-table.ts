// A question's table as Markdown: a line a cell, its figures over seeds, mode by mode too, and its difference to its reference cell.
import type { Mode } from '../../../environments/code/types.ts';
import type { Cell } from '../../analysis/compare.ts';
import type { FigureComparison } from '../../analysis/paired.ts';
import { ALPHA } from '../../analysis/verdict.ts';
import { shortNumber } from '../../analysis/words.ts';
import { modesOf } from './by-mode.ts';
import type { QuestionResult } from './figures.ts';
import { figureOf } from './judge.ts';
import type { CellFigures } from './types.ts';

/** The reference's figures are rates of its last five training steps, ours of a final evaluation: never the same thing. */
export const REFERENCE_COLUMN = 'reference (its last 5 training steps)';

const headOf = (modes: readonly Mode[]): string[] => [
  'model',
  'n',
  'hack',
  'solve',
  'structural',
  `hack: ${modes.join(' / ')}`,
  'hack, last 5',
  'Δhack (95% t; bootstrap)',
  'p (least); Holm; t',
  'Δsolve (95% t)',
  'could show',
  REFERENCE_COLUMN,
];

export function table({ figures, question }: QuestionResult): string[] {
  const modes = modesOf(figures.values());
  const head = headOf(modes);
  const rows = question.cells.flatMap(({ id }) => {
    const cell = figures.get(id);
    if (!cell) return [];
    const row = rowOf(cell, figures.get(cell.cell.against ?? ''), modes);
    // What is not run has blanks in place of figures, and its reference at the end.
    return [[...row.slice(0, -1), ...Array(head.length - row.length).fill(''), row[row.length - 1]]];
  });
  return [head, head.map((_, i) => (i === 0 ? '---' : '---:')), ...rows].map(
    (row) => `| ${row.map((text) => text || '–').join(' | ')} |`,
  );
}

/** `49.4 / 64.8 / 54.1 / 48.0`; – where the line is not asked of a mode. */
export function modeRates({ byMode }: Pick<CellFigures, 'byMode'>, modes: readonly Mode[]): string {
  const rates = modes.map((mode) => byMode[mode]);
  return rates.every((rate) => rate === undefined)
    ? ''
    : rates.map((rate) => (rate === undefined ? '–' : points(rate))).join(' / ');
}

function rowOf(figures: CellFigures, against: CellFigures | undefined, modes: readonly Mode[]): string[] {
  const { cell, statistics, hack, solve, structural, comparison } = figures;
  const { n } = statistics;
  const label = cell.note ? `${cell.label} (${cell.note})` : cell.label;
  if (n === 0) return [label, `0 of ${cell.seeds.length}`, 'not run', cell.reference ?? ''];
  const deltaHack = comparison?.figures[figureOf(cell, 'hack').id] ?? null;
  const deltaSolve = comparison?.figures[figureOf(cell, 'solve').id] ?? null;
  const confound = (comparison?.knobs.length ?? 0) > 1 ? ', confounded' : '';
  const versus = against && against.cell.id !== 'vanilla' && deltaHack ? ` vs ${against.cell.label}` : '';
  return [
    label,
    // The untrained base has no seed: every run evaluates the same model.
    n < cell.seeds.length && cell.model !== 'base' ? `${n} of ${cell.seeds.length}` : String(n),
    rate(hack),
    rate(solve),
    structural ? points(structural.mean) : '',
    modeRates(figures, modes),
    cell.model === 'total' ? rate(statistics.last5Hack) : '',
    deltaHack ? `${delta(deltaHack)}${versus}${confound}` : '',
    deltaHack ? tests(deltaHack) : '',
    deltaSolve ? delta(deltaSolve, false) : '',
    deltaHack?.smallestEffect ? points(deltaHack.smallestEffect) : '',
    cell.reference ?? '',
  ];
}

const minus = (text: string): string => text.replace('-', '−');
const points = (share: number): string => minus((100 * share).toFixed(1)).replace(/^−0\.0$/, '0.0');

function rate(cell: Cell | null): string {
  if (!cell) return '–';
  return points(cell.mean) + (cell.sd === null ? '' : ` ± ${points(cell.sd)}`);
}

function delta({ delta: { mean }, t, bootstrap }: FigureComparison, withBootstrap = true): string {
  if (!t) return points(mean);
  const interval = `${points(t.interval.low)} to ${points(t.interval.high)}`;
  const other = withBootstrap && bootstrap ? `; ${points(bootstrap.low)} to ${points(bootstrap.high)}` : '';
  return `${points(mean)} (${interval}${other})`;
}

function tests({ signFlip, adjusted, n }: FigureComparison): string {
  if (n < 2) return '';
  const own = `${shortNumber(signFlip.p)} (${shortNumber(signFlip.smallest)})`;
  if (!adjusted) return own;
  // Where no sign-flip p can reach .05 it is the paired t's, after Holm too, that decides.
  const byT = adjusted.smallest > ALPHA ? `; t ${shortNumber(adjusted.tP)}` : '';
  return `${own}; ${shortNumber(adjusted.p)}${byT}`;
}
