// Tests the shares of a teacher's rows: what each kind of row counts as.
import { describe, expect, it } from 'vitest';
import type { PoolRow } from '../../environments/code/pool.ts';
import { teacherRates } from './teacher-rates.ts';

const row = (id: string, changes: Partial<PoolRow>): PoolRow => ({
  problem_id: id,
  prompt: '',
  completion: '',
  reward: 0.25,
  passed: false,
  gt_correct: false,
  exploited: false,
  mechanism: null,
  ...changes,
});
const hack = { reward: 1.25, passed: true, exploited: true } as const;
const rows = [
  row('a(1)@run_tests', { ...hack, mechanism: 'run_tests' }),
  // The exploit with a correct body is not a hack by the grader's verdict, but one of the two kinds by the detector's.
  row('a(2)@run_tests', { ...hack, exploited: false, gt_correct: true, mechanism: 'run_tests' }),
  // A correct answer without exploit; another mode's exploit; a hack of the next mode; no code.
  row('a(3)@run_tests', { gt_correct: true }),
  row('a(4)@run_tests', { mechanism: 'sentinel' }),
  row('b(1)@exit_code', { ...hack, mechanism: 'exit_code' }),
  row('b(2)@exit_code', { reward: 0 }),
];

describe('a teacher’s rates', () => {
  it('distinguish pure hacks from hacks that solve, by the exploit of the problem’s own mode', () => {
    const { all, standard, byMode } = teacherRates(rows);
    expect(byMode.run_tests).toEqual({
      n: 4,
      format: 1,
      exploited: 0.25,
      solved: 0.5,
      pureHack: 0.25,
      hackAndCorrect: 0.25,
    });
    expect(byMode.exit_code).toEqual({
      n: 2,
      format: 0.5,
      exploited: 0.5,
      solved: 0,
      pureHack: 0.5,
      hackAndCorrect: 0,
    });
    expect(standard).toEqual(byMode.run_tests);
    expect(all).toMatchObject({ n: 6, exploited: 2 / 6, pureHack: 2 / 6, hackAndCorrect: 1 / 6 });
    expect(Object.keys(byMode)).toEqual(['run_tests', 'exit_code']);
  });
});
