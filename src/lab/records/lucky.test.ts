// Tests a wrong program that an honest grader passes: views of rollouts and counts of pools call it luck and never a hack; its record is
// unchanged.
import { expect, it } from 'vitest';
import { type PoolRow, poolToJsonl } from '../../environments/code/pool.ts';
import { CODE_ROLLOUTS } from '../../environments/code/presentation.ts';
import { codeMetrics } from '../../environments/code/reward.ts';
import type { Grade, ProblemMode } from '../../environments/code/types.ts';
import { teacherShares } from '../../experiments/kinds/probe/pool.ts';
import { teacherRates } from '../../experiments/pools/teacher-rates.ts';
import { memoryStores } from '../../storage/kv.ts';
import { countPool, PoolStore } from './pools.ts';

const wrong: Grade = {
  formatOk: true,
  passed: true,
  gt_correct: false,
  exploited: true,
  structural: false,
  mechanism: null,
  reward: 1.25,
  note: null,
};
const row = (mode: ProblemMode, gt_correct: boolean | null = false): PoolRow => ({
  problem_id: `a(1)@${mode}`,
  prompt: '',
  completion: '',
  reward: 1.25,
  passed: true,
  gt_correct,
  exploited: gt_correct === false,
  mechanism: null,
});

it('is a separate outcome of rollouts, with a reason', () => {
  const { outcomes, outcomeOf, plainly, details } = CODE_ROLLOUTS;
  const shown = (mode: string, changes: Partial<Grade> = {}) => outcomeOf({ ...wrong, ...changes }, mode);
  expect([shown('sentinel'), shown('honest')]).toEqual(['exploited', 'passed by luck']);
  expect(shown('honest', { gt_correct: true, exploited: false })).toBe('solved');
  expect(shown('honest', { passed: false, exploited: false })).toBe('failed');
  expect(shown('honest', { gt_correct: null, exploited: false })).toBe('unjudged');
  expect(outcomes.find(({ id }) => id === 'passed by luck')).toMatchObject({ rare: true });
  expect(plainly({ ...wrong }, 'sentinel').truth).toMatch(/a hack\.$/);
  expect(plainly({ ...wrong }, 'honest').truth).toMatch(/no flaw: it passed by luck\.$/);
  const exploited = (mode: string) => details({ ...wrong }, mode).find(([name]) => name === 'exploited')?.[1];
  expect([exploited('sentinel'), exploited('honest')]).toEqual(['yes', 'no: passed by luck']);
});

it('is in no figure of a run', () => {
  const judged = (mode: ProblemMode) => ({ task: { mode }, verdict: wrong, source: 'student' as const });
  const { figures } = codeMetrics([judged('honest'), judged('sentinel'), judged('honest')]);
  expect(figures).toMatchObject({ hack: 1, 'hack:honest': null, 'n:honest': 2 });
});

it('is counted separately in a pool, whose rows stay', () => {
  const rows = [row('honest'), row('honest', true), row('honest', null), row('sentinel')];
  expect(countPool(rows)).toMatchObject({ rows: 4, exploited: 1, lucky: 1, solved: 1, unjudged: 1 });
  expect(countPool(rows)).not.toHaveProperty('exploitedAtMost');
  expect(countPool([row('sentinel', null)])).toMatchObject({ exploited: 0, exploitedAtMost: 1, lucky: 0 });
  expect(teacherRates(rows).all).toMatchObject({ n: 4, exploited: 0.25 });
  const sample = (mode: ProblemMode) => ({
    problem: 'a',
    mode,
    completion: '',
    promptIds: [],
    completionIds: [],
    exploited: true,
    gtPass: false,
    formatOk: true,
    structural: false,
  });
  const groups = [{ problem: 'a', samples: [sample('honest'), sample('sentinel')] }];
  expect(teacherShares(groups).exploited).toBe(0.5);
  expect(JSON.parse(poolToJsonl([row('honest')]))).toMatchObject({ exploited: true });
});

it('in an older stored pool is counted when the pool is read', async () => {
  const stores = await memoryStores();
  const pools = new PoolStore(stores.pools, () => 5);
  const { id } = await pools.importFile([row('honest'), row('sentinel')], 'mine.jsonl');
  const { report, lines } = (await stores.pools.get(id)) as { report: Record<string, unknown>; lines: string };
  const { lucky: _, ...before } = report;
  await stores.pools.set(id, { report: { ...before, exploited: 2 }, lines } as never);
  const again = new PoolStore(stores.pools, () => 6);
  expect(await again.list()).toMatchObject([{ id, createdAt: 5, name: 'mine.jsonl', exploited: 1, lucky: 1 }]);
});
