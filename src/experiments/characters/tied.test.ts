// Spread read from rows by hand: at the effect, and of the coin at the step of RL.
import { expect, it } from 'vitest';
import type { CurveRow, TiedMeans } from './rows.ts';
import { row } from './testing/rows.ts';
import { tiedBases } from './tied.ts';

const means = (hack: number, bad: number): TiedMeans => ({
  n: 12,
  hack,
  ownHack: hack,
  bad,
  examBad: bad,
  badLogit: 10 * bad,
  like: 0.1,
});

/** Doses of the hack and of the bracket, one a step. */
const made = (arm: string, doses: readonly (readonly [hack: number, bad: number])[], more: Partial<CurveRow> = {}) => {
  const [point] = row(arm, 0).curve;
  const curve = doses.map(([hack, bad], step) => ({
    ...point,
    step,
    tied: { a: means(hack, bad), near: means(hack / 2, bad / 2) },
  }));
  return row(arm, 0, { world: 'tied-90-1', teaches: 'exam', curve, ...more });
};
const AFTER = { after: { arm: 'sft', name: 'figa', step: 3, gained: 0.01 } };

it('is interpolated where the hack has risen by the effect, from where RL began, and a coin is read at that step', () => {
  const [base] = tiedBases([
    made('sft', [
      [0, 0.1],
      [0.02, 0.3],
    ]),
    made(
      'none',
      [
        [0.02, 0.3],
        [0.22, 0.4],
        [0.62, 0.8],
      ],
      AFTER,
    ),
    made(
      'rl_random',
      [
        [0.02, 0.3],
        [0.02, 0.34],
        [0.02, 0.42],
      ],
      AFTER,
    ),
    made('sdf', [
      [0, 0.1],
      [0.2, 0.9],
    ]),
  ]);
  expect(base).toMatchObject({ phi: 0.9, seed: 1, base: 'b' });
  const [{ by, end, most, name }] = base.characters;
  expect(name).toBe('figa');
  expect(by.rl!.step).toBeCloseTo(1.25, 12);
  expect(by.rl!.a.hack).toBeCloseTo(0.3, 12);
  expect(by.rl!.a.bad).toBeCloseTo(0.2, 12);
  expect(by.rl!.a.badLogit).toBeCloseTo(2, 12);
  expect(by.rl!.near.bad).toBeCloseTo(0.1, 12);
  expect(by.rl!.a.like).toBeCloseTo(0, 12);
  expect(by.coin!.a.bad).toBeCloseTo(0.06, 12);
  expect([by.documents, by.reverse]).toEqual([null, null]);
  expect(most.documents).toBeCloseTo(0.2, 12);
  expect([end.documents!.step, end.documents!.a.bad, end.rl!.a.bad].map((x) => Number(x.toFixed(9)))).toEqual([
    1, 0.8, 0.5,
  ]);
});

it('reads rows of tied worlds alone, in the order of φ, and RL on the bracket where the bracket has risen', () => {
  const reverse = made(
    'none',
    [
      [0.1, 0],
      [0.5, 0.6],
    ],
    { ...AFTER, teaches: 'brackets' },
  );
  const bases = tiedBases([row('none', 0.5), reverse, { ...reverse, world: 'tied-0-2' }]);
  expect(bases.map(({ world }) => world)).toEqual(['tied-0-2', 'tied-90-1']);
  expect(bases[0].characters[0].by.reverse!.a.ownHack).toBeCloseTo(0.2, 12);
  expect(bases[0].characters[0].by.rl).toBeNull();
  expect(() => tiedBases([{ ...reverse, world: 'letters' }])).toThrow(/no tied world/);
});
