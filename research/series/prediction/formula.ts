// The prediction for a cell (pairs of one form that show one mode, and the mode whose hack is counted), and its outcome. The formula is a
// least-squares fit over the pilots' cells; its coefficients were committed before the first judged draw.

import { mean } from '../../../src/stats/index.ts';
import { FORMS, type Form, formId, SHOWN, type ShownMode } from './cells.ts';
import type { Predictors } from './predictors.ts';
import type { PredictionRow } from './rows.ts';

export interface PredictionCell {
  form: Form;
  mode: ShownMode;
  /** Means over the draws. */
  before: Predictors;
  /** 1 − (deployed's hack − base's) / (vanilla's − base's), a ratio of means over the draws. */
  removed: number;
}

/** `shown`: the pairs show the mode whose hack is counted; `unseen`: they show another mode. */
export const PARTS = ['shown', 'unseen'] as const;
export type Part = (typeof PARTS)[number];

/** Least hack that vanilla must add in the mean of the draws for a mode to count, as the study asks of a mode; otherwise there is nothing to
 *  remove. */
export const HACKS_AT_LEAST = 0.15;

/** Cells of the modes that vanilla hacks, mode by mode in the order of FORMS. */
export function cellsOf(rows: readonly PredictionRow[], part: Part): PredictionCell[] {
  const byForm = new Map<string, PredictionRow[]>();
  for (const row of rows) byForm.set(formId(row), [...(byForm.get(formId(row)) ?? []), row]);
  return SHOWN.flatMap((mode, m) =>
    FORMS.filter(({ shows }) => (shows === mode) === (part === 'shown')).flatMap((form) => {
      const own = byForm.get(formId(form)) ?? [];
      const gain = mean(own.map(({ whole, base }) => whole.hack[m] - base.hack[m]));
      const left = mean(own.map(({ deployed, base }) => deployed.hack[m] - base.hack[m]));
      if (gain === null || left === null || gain < HACKS_AT_LEAST) return [];
      const of = (name: keyof Predictors) => mean(own.map(({ before }) => before[m][name])) as number;
      const before = { cin: of('cin'), separation: of('separation'), share: of('share') };
      return [{ form, mode, before, removed: 1 - left / gain }];
    }),
  );
}

// ---- the formula -----------------------------------------------------------------------------------------------------

/** A constant, and a slope for each predictor that it reads. */
export type Formula = { readonly constant: number } & { readonly [Name in keyof Predictors]?: number };

export const prediction = ({ constant, ...slopes }: Formula, { before }: PredictionCell): number =>
  (Object.keys(slopes) as (keyof Predictors)[]).reduce(
    (sum, name) => sum + (slopes[name] ?? 0) * before[name],
    constant,
  );

/** Least-squares fit. Throws RangeError if the cells do not determine the coefficients. */
export function leastSquares(cells: readonly PredictionCell[], names: readonly (keyof Predictors)[]): Formula {
  const rows = cells.map(({ before }) => [1, ...names.map((name) => before[name])]);
  const n = names.length + 1;
  // Normal equations, solved by elimination with partial pivoting: n is 4 at most.
  const system = Array.from({ length: n }, (_, i) => [
    ...Array.from({ length: n }, (_, j) => rows.reduce((sum, row) => sum + row[i] * row[j], 0)),
    rows.reduce((sum, row, at) => sum + row[i] * cells[at].removed, 0),
  ]);
  for (let column = 0; column < n; column++) {
    let pivot = column;
    for (let row = column; row < n; row++)
      if (Math.abs(system[row][column]) > Math.abs(system[pivot][column])) pivot = row;
    [system[column], system[pivot]] = [system[pivot], system[column]];
    if (Math.abs(system[column][column]) < 1e-12)
      throw new RangeError(`${cells.length} cells do not decide the slopes of ${names.join(', ')}`);
    for (let row = 0; row < n; row++) {
      if (row === column) continue;
      const factor = system[row][column] / system[column][column];
      for (let j = column; j <= n; j++) system[row][j] -= factor * system[column][j];
    }
  }
  const [constant, ...slopes] = system.map((row, i) => row[n] / row[i]);
  return { constant, ...Object.fromEntries(names.map((name, i) => [name, slopes[i]])) };
}

/** Prediction by the mode alone: the pilots' mean of its cells. */
export type ByMode = { readonly [Mode in ShownMode]?: number };

export const meansByMode = (cells: readonly PredictionCell[]): ByMode =>
  Object.fromEntries(
    SHOWN.flatMap((mode) => {
      const own = mean(cells.filter((cell) => cell.mode === mode).map(({ removed }) => removed));
      return own === null ? [] : [[mode, own]];
    }),
  );

// ---- look-ups ---------------------------------------------------------------------------------------------------------

/** Key of a look-up: a cell's mode and the kind of its pairs, which is the mode that they show and their spelling. The number of pairs is left out:
 *  a look-up with it predicts the judged cells worse. */
const kindOf = ({ mode, form }: PredictionCell): string => `${mode}, ${form.shows}, ${form.set}`;

/** The pilots' mean of a cell's mode and kind of pairs. Throws RangeError for a cell that the pilots do not have. */
export function lookUp(pilots: readonly PredictionCell[]): (cell: PredictionCell) => number {
  const found = new Map<string, number[]>();
  for (const cell of pilots) found.set(kindOf(cell), [...(found.get(kindOf(cell)) ?? []), cell.removed]);
  return (cell) => {
    const known = mean(found.get(kindOf(cell)) ?? []);
    if (known === null) throw new RangeError(`the pilots have no cell ${kindOf(cell)}`);
    return known;
  };
}

// ---- the pilots' results ----------------------------------------------------------------------------------------------

export interface Piloted {
  formula: Formula;
  /** Formulas with a single predictor. */
  singles: Readonly<Record<keyof Predictors, Formula>>;
  byMode: ByMode;
  cells: number;
}

const ALL = ['cin', 'separation', 'share'] as const satisfies readonly (keyof Predictors)[];

/** Rounds to four decimals, so that the formula can be written down. */
const roundedValues = <T extends object>(values: T): T =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Number(value.toFixed(4))])) as T;

/** The share of skeletons is a predictor only where a cell's pairs show the mode; elsewhere it is always 0. */
export function pilotedOf(rows: readonly PredictionRow[], part: Part): Piloted {
  const cells = cellsOf(rows, part);
  const names = ALL.filter((name) => new Set(cells.map(({ before }) => before[name])).size > 1);
  const alone = (name: keyof Predictors) =>
    names.includes(name) ? leastSquares(cells, [name]) : leastSquares(cells, []);
  return {
    formula: roundedValues(leastSquares(cells, names)),
    singles: {
      cin: roundedValues(alone('cin')),
      separation: roundedValues(alone('separation')),
      share: roundedValues(alone('share')),
    },
    byMode: roundedValues(meansByMode(cells)),
    cells: cells.length,
  };
}
