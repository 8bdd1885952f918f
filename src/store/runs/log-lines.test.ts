// Tests the text log: one line per step and evaluation, and the end of the run, limited in length, with the newest line last.
import { expect, it } from 'vitest';
import { evaluationMade, runMade } from '../../experiments/testing/statistics-runs.ts';
import { logLines } from './log-lines.ts';

it('reports a run step by step, its final evaluations and its end', () => {
  const made = runMade({ arm: 'none', seed: 41 });
  const run = { ...made, evals: [...made.evals, evaluationMade('deployed', 0.1, 0.4)] };
  const lines = logLines([run]);
  expect(lines[0]).toMatch(/^vanilla, seed 41, step 1 of \d+: reward [\d.–-]+, hack \S+, solve \S+$/);
  expect(lines.filter((line) => /, step \d+ of /.test(line))).toHaveLength(run.rows.length);
  expect(lines).toContain('vanilla, seed 41, final evaluation of deployed: hack 10%, solve 40%');
  expect(lines.at(-1)).toBe(`vanilla, seed 41: done after ${run.rows.length} steps`);
  expect(logLines([run, run], 3)).toEqual(lines.slice(-3));
  expect(logLines([{ ...run, status: 'running', evals: [], rows: [] }])).toEqual([]);
});
