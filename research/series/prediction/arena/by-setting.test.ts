// Tests the rows of an option's values: each is compared with the same vanilla and repaired graders, whatever share
// is trusted.
import { expect, it } from 'vitest';
import type { RunRecord } from '../../../../src/experiments/records/events.ts';
import { arenaRunMade } from '../../../../src/experiments/testing/arena-runs.ts';
import { judgedRowsBy } from './by-setting.ts';

const SEEDS = [1, 2, 3];

const runs = (): RunRecord[] =>
  SEEDS.flatMap((seed) => [
    arenaRunMade('none', seed, { total: [0.52, 0.55], 'alpha_0.5': [0.2, 0.5] }),
    arenaRunMade('repaired', seed, { total: [0.02, 0.6] }),
    arenaRunMade('tdga', seed, { total: [0.02, 0.45] }, { lr: 0.03 }),
    arenaRunMade('tdga', seed, { total: [0.27, 0.5] }, { lr: 0.06 }),
    arenaRunMade('trusted-only', seed, { total: [0.02, 0.56] }, { lr: 0.03, trustedShare: 0.2 }),
  ]);

it('has a row for every value, against the same vanilla and repaired graders', () => {
  const rows = judgedRowsBy(runs(), ['lr', 'trustedShare']);
  expect(rows.map(({ arm, settings, n }) => [arm, settings, n])).toEqual([
    ['tdga', 'lr 0.03, trustedShare 0.1', 3],
    ['tdga', 'lr 0.06, trustedShare 0.1', 3],
    ['trusted-only', 'lr 0.03, trustedShare 0.2', 3],
  ]);
  for (const [i, [kept, removed]] of [
    [0.25, 1],
    [0.5, 0.5],
    [0.8, 1],
  ].entries()) {
    expect(rows[i].kept.honest.ratio).toBeCloseTo(kept);
    expect(rows[i].removed.ratio).toBeCloseTo(removed);
  }
});

it('uses one of two references with equal results, and refuses two that differ', () => {
  const [vanilla] = runs();
  const again = { ...vanilla, spec: { ...vanilla.spec, trustedArguments: ['string' as const] } };
  expect(judgedRowsBy([...runs(), again], ['lr'])).toEqual(judgedRowsBy(runs(), ['lr']));
  const other = arenaRunMade('none', 1, { total: [0.4, 0.5] }, { lr: 0.015 });
  expect(() => judgedRowsBy([...runs(), other], ['lr'])).toThrow(/arm none was run twice .*seed 1/);
});
