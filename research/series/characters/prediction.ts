// S5: does the gradient at the base predict leakage? Within each trained character, over arms and groups: the leakage of one small step
// (first-order.ts) against the leakage at the effect on A, by rank.

import { OTHERS } from '../../../src/environments/characters/task.ts';
import {
  atEffect,
  estimateOver,
  estimateText,
  isAbove,
  type Reading,
} from '../../../src/experiments/characters/judging.ts';
import type { CurveRow, Prediction } from '../../../src/experiments/characters/rows.ts';
import { two } from '../../../src/lib/numbers.ts';
import { mean, pearson, spearman } from '../../../src/stats/index.ts';

/** Fewest arms with which a character counts. */
const ARMS_AT_LEAST = 4;

export interface Cell {
  name: string;
  arm: string;
  group: (typeof OTHERS)[number];
  predicted: number;
  observed: number;
}

export function cellsOf(rows: readonly CurveRow[], which: keyof Prediction): Cell[] {
  const { reached } = atEffect(rows, ({ predicted }) => predicted !== undefined);
  return reached.flatMap(({ row, logit }) =>
    OTHERS.flatMap((group) => {
      const [predicted, observed] = [row.predicted![which][group], logit[group]];
      return predicted === undefined || observed === undefined
        ? []
        : [{ name: row.a.name, arm: row.arm, group, predicted, observed }];
    }),
  );
}

/**
 * Prediction only by arm and group: for each cell the mean leakage there of the other characters. Cells that no other character has are
 * left out.
 */
const byArmAndGroup = (cells: readonly Cell[]): Cell[] =>
  cells.flatMap((cell) => {
    const others = cells.filter(
      ({ name, arm, group }) => name !== cell.name && arm === cell.arm && group === cell.group,
    );
    const predicted = mean(others.map(({ observed }) => observed));
    return predicted === null ? [] : [{ ...cell, predicted }];
  });

/** ρ over each character's cells; characters with too few arms are left out. */
export function byCharacter(cells: readonly Cell[]): { name: string; rho: number }[] {
  return [...new Set(cells.map(({ name }) => name))].flatMap((name) => {
    const own = cells.filter((cell) => cell.name === name);
    if (new Set(own.map(({ arm }) => arm)).size < ARMS_AT_LEAST) return [];
    const rho = spearman(
      own.map(({ predicted }) => predicted),
      own.map(({ observed }) => observed),
    );
    return rho === null ? [] : [{ name, rho }];
  });
}

export function s5(rows: readonly CurveRow[]): Reading<'rho'> {
  const [plain, sign] = (['gradient', 'sign'] as const).map((which) => cellsOf(rows, which));
  const of = (name: string, cells: readonly Cell[]) =>
    estimateOver(
      name,
      byCharacter(cells).map(({ rho }) => rho),
    );
  const main = of('ρ within a character', plain);
  const arms = [...new Set(plain.map(({ arm }) => arm))];
  const all = pearson(
    plain.map(({ predicted }) => predicted),
    plain.map(({ observed }) => observed),
  );
  const error = mean(plain.map(({ predicted, observed }) => Math.abs(predicted - observed)));
  const known = byCharacter(byArmAndGroup(plain));
  const chance = estimateOver(
    'ρ of arm and group alone (the other characters’ mean)',
    known.map(({ rho }) => rho),
  );
  const beyond = estimateOver(
    'ρ, gradient − arm and group alone',
    byCharacter(plain).map(({ name, rho }) => {
      const other = known.find((one) => one.name === name);
      return other && rho - other.rho;
    }),
  );
  const isBeyond = isAbove(beyond);
  return {
    estimates: { rho: { ...main, asked: new Set(plain.map(({ name }) => name)).size } },
    limits: () =>
      chance.mean === null
        ? []
        : [
            `Knowing arm and group alone, the other characters’ mean, gives ρ ${estimateText(chance)}, the gradient ${estimateText(main)}: ${isBeyond ? 'it adds' : 'not told apart'}, ${estimateText(beyond)}.`,
          ],
    figures: [
      main,
      of('ρ within a character, signs of the gradient', sign),
      chance,
      beyond,
      // Added after the verdict: does it predict more than documents against the rest, and near against other?
      of(
        'ρ without documents',
        plain.filter(({ arm }) => arm !== 'sdf'),
      ),
      of(
        'ρ of near alone, over arms',
        plain.filter(({ group }) => group === 'near'),
      ),
      ...arms.flatMap((arm) => {
        const own = plain.filter((cell) => cell.arm === arm);
        return [
          estimateOver(
            `${arm}: predicted`,
            own.map(({ predicted }) => predicted),
          ),
          estimateOver(
            `${arm}: observed`,
            own.map(({ observed }) => observed),
          ),
        ];
      }),
    ],
    notes: all === null || error === null ? [] : [`all ${plain.length} cells: r ${two(all)}, mean error ${two(error)}`],
  };
}
