// The table of early warnings, on invented runs, and the line printed when nothing can be compared.
import { expect, it } from 'vitest';
import type { RunRecord } from '../../src/experiments/records/events.ts';
import { runMade } from '../../src/experiments/testing/statistics-runs.ts';
import { earlyWarning } from '../series/prediction/early-warning.ts';
import { renderWarning } from './arena.ts';

function run(arm: 'none' | 'repaired', seed: number, kept: number): RunRecord {
  const hack = Array.from({ length: 30 }, (_, i) => (arm === 'none' && i >= 19 ? 0.5 : 0));
  const made = runMade({ arm, seed, hack, overrides: { mix: 0 } });
  const rows = made.rows.map((row) => ({
    ...row,
    reward: 0.5,
    entropy: 1,
    completionMeanLength: 40,
    kl: null,
    ...(row.step % 5 === 0 ? { directionsKept: kept } : {}),
  }));
  return { ...made, rows };
}

it('has a line for each signal, the verdict and its rule', () => {
  const clean = [0.9, 0.91, 0.92, 0.93].map((kept, seed) => run('repaired', seed, kept));
  const text = renderWarning(earlyWarning([...clean, run('none', 11, 0.5), run('none', 12, 0.6)]));
  expect(text).toMatch(/update directions kept +low +1\.00 \[1\.00, 1\.00\] +15\.0 \[15\.0, 15\.0\] +2 of 2/);
  expect(text).toMatch(/entropy .*0\.50 .*0\.0 .*0 of 2/);
  expect(text).not.toContain('KL to the base');
  expect(text).toContain('open: 2 of 2 runs that hack; 15 are wanted');
  expect(text).toContain('Open where there are fewer than 15 runs that hack.');
});

it('names what it needs if nothing can be compared', () => {
  expect(renderWarning(earlyWarning([run('none', 11, 0.5)]))).toMatch(/^No comparison: .*3 runs/);
});
