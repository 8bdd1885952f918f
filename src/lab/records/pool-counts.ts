// What a list says of a teacher pool.

import { setOwn } from '@projected-grpo-lab/base/own.ts';
import type { PoolRow } from '../../environments/code/pool.ts';
import { isPaid } from '../../experiments/pools/teacher-rates.ts';
import type { PoolReport } from '../protocol/protocol.ts';

export type PoolCounts = Pick<
  PoolReport,
  'rows' | 'problems' | 'exploited' | 'exploitedAtMost' | 'solved' | 'unjudged' | 'mechanisms' | 'withLogprobs'
>;

export function countPool(rows: readonly PoolRow[]): PoolCounts {
  const mechanisms: Record<string, number> = {};
  for (const { mechanism } of rows) setOwn(mechanisms, mechanism ?? 'none', (mechanisms[mechanism ?? 'none'] ?? 0) + 1);
  const unjudged = rows.filter((row) => row.gt_correct === null).length;
  const exploited = rows.filter((row) => row.exploited).length;
  const paid = rows.filter(isPaid).length;
  return {
    rows: rows.length,
    problems: new Set(rows.map((row) => row.problem_id)).size,
    exploited,
    solved: rows.filter((row) => row.gt_correct).length,
    ...(unjudged > 0 ? { unjudged } : {}),
    ...(paid > 0 ? { exploitedAtMost: exploited + paid } : {}),
    mechanisms,
    withLogprobs: rows.filter((row) => row.logprobs !== undefined).length,
  };
}
