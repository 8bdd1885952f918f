// A question's table: one line per cell with its figures over seeds, also by mode, and its difference from its reference cell.
import { MODES, type Mode } from '../../../src/environments/code/types.ts';
import type { Cell } from '../../../src/experiments/analysis/compare.ts';
import { shortNumber } from '../../../src/experiments/analysis/words.ts';
import { ARMS } from '../../../src/experiments/config/arms.ts';
import type { Table } from '../../../src/experiments/judge/figures.ts';
import { percent } from '../../../src/lib/numbers.ts';
import { metricOfCell } from './judge.ts';
import type { MetricComparison } from './paired.ts';
import type { QuestionResult } from './results.ts';
import type { CellResult, StudyCell } from './types.ts';
import { ALPHA } from './verdict.ts';

/** The reference's figures are rates of its last five training steps, ours of a final evaluation, so they are not comparable. */
const REFERENCE_COLUMN = 'reference (its last 5 training steps)';

/** Each column's name and description. */
const columns = (modes: readonly Mode[]): readonly (readonly [name: string, about: string])[] => [
  ['model', ''],
  ['n', 'Seeds in the mean, of those planned'],
  ['hack', 'Final evaluation, percent of hackable problems, mean ± sd over seeds'],
  ['solve', 'Final evaluation, percent of all problems, mean ± sd over seeds'],
  [
    'structural',
    'Final evaluation, percent of hackable problems whose answer holds the exploit’s code, whether it passed or not',
  ],
  [`hack: ${modes.join(' / ')}`, 'Final evaluation, percent of each loophole mode’s problems, means over seeds'],
  ['hack, last 5', 'Live rollouts of the last five steps of training'],
  ['Δhack (95% t; bootstrap)', 'Points against the reference cell, paired by seed'],
  [
    'p (least); Holm; t',
    'Exact sign-flip p, the least that n could give, and p after Holm in this question; where no sign-flip p can reach .05, the paired t’s after Holm, which then decides',
  ],
  ['Δsolve (95% t)', 'Points against the reference cell, paired by seed'],
  ['could show', 'The smallest Δhack that these seeds would have shown four times in five'],
  [
    REFERENCE_COLUMN,
    'The reference implementation’s figure for the same thing: a rate of its last five training steps, no final evaluation',
  ],
];

/** A table's modes in the substrate's order; each is a column. */
function modesOf(cells: Iterable<Pick<CellResult, 'byMode'>>): Mode[] {
  const own = [...cells];
  return MODES.filter((mode) => own.some(({ byMode }) => byMode[mode] !== undefined));
}

type Tabled = Pick<QuestionResult, 'figures' | 'question'>;

/** `includes` selects cells. */
export function table({ figures, question }: Tabled, includes: (cell: StudyCell) => boolean = () => true): Table {
  const modes = modesOf(figures.values());
  const head = columns(modes);
  const cells = question.cells.flatMap(({ id }) => figures.get(id) ?? []).filter(({ cell }) => includes(cell));
  return {
    title: `Lines of ${question.id}`,
    head: head.map(([name]) => name),
    about: head.map(([, about]) => about),
    rows: cells.map((cell) => {
      const row = rowOf(cell, figures.get(cell.cell.against ?? ''), modes);
      // A cell without runs has blanks for figures, and its reference at the end.
      const whole = [...row.slice(0, -1), ...Array(head.length - row.length).fill(''), row[row.length - 1]];
      return whole.map((text) => text || '–');
    }),
    marks: cells.map(({ cell, comparison }) => {
      const { arm, model, shadow: control, overrides } = cell;
      return {
        look: { arm, model, ...(control && { shadow: control }), overrides },
        part: partOf(cell),
        tags: (comparison?.differences.length ?? 0) > 1 ? ['confounded'] : [],
      };
    }),
  };
}

/** The cell's held-out mode, share or draw if it has one, else its treatment. */
function partOf({ part, arm, shadow: control }: StudyCell): string {
  if (part !== undefined) return part;
  if (arm !== 'route-update') return ARMS[arm].label;
  return control ? 'quarantines of the vanilla runs' : 'vanilla, base, and what stands beside them';
}

/** `49.4 / 64.8 / 54.1 / 48.0`; – for a mode on which the cell is not evaluated. */
function modeRates({ byMode }: Pick<CellResult, 'byMode'>, modes: readonly Mode[]): string {
  const rates = modes.map((mode) => byMode[mode]);
  return rates.every((rate) => rate === undefined)
    ? ''
    : rates.map((rate) => (rate === undefined ? '–' : points(rate))).join(' / ');
}

function rowOf(figures: CellResult, against: CellResult | undefined, modes: readonly Mode[]): string[] {
  const { cell, statistics, hack, solve, structural, comparison } = figures;
  const { n } = statistics;
  const label = cell.note ? `${cell.label} (${cell.note})` : cell.label;
  if (n === 0) return [label, `0 of ${cell.seeds.length}`, 'not run', cell.reference ?? ''];
  const deltaHack = comparison?.figures[metricOfCell(cell, 'hack').id] ?? null;
  const deltaSolve = comparison?.figures[metricOfCell(cell, 'solve').id] ?? null;
  const confound = (comparison?.differences.length ?? 0) > 1 ? ', confounded' : '';
  const versus = against && against.cell.id !== 'vanilla' && deltaHack ? `\nvs ${against.cell.label}` : '';
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

const points = (share: number): string => percent(share, 1, '');

function rate(cell: Cell | null): string {
  if (!cell) return '–';
  return points(cell.mean) + (cell.sd === null ? '' : ` ± ${points(cell.sd)}`);
}

function delta({ delta: { mean }, t, bootstrap }: MetricComparison, withBootstrap = true): string {
  if (!t) return points(mean);
  const interval = `${points(t.interval.low)} to ${points(t.interval.high)}`;
  const other = withBootstrap && bootstrap ? `; ${points(bootstrap.low)} to ${points(bootstrap.high)}` : '';
  return `${points(mean)}\n(${interval}${other})`;
}

function tests({ signFlip, adjusted, n }: MetricComparison): string {
  if (n < 2) return '';
  const own = `${shortNumber(signFlip.p)} (${shortNumber(signFlip.smallest)})`;
  if (!adjusted) return own;
  // If n is too small for a sign-flip p ≤ .05, the paired t's p decides, also after Holm.
  const byT = adjusted.smallest > ALPHA ? `; t ${shortNumber(adjusted.tP)}` : '';
  return `${own};\n${shortNumber(adjusted.p)}${byT}`;
}
