import { expect, it } from 'vitest';
import type { ProgressEvent } from '../../lab/protocol/protocol.ts';
import { progressText } from './progress.ts';

const at = (step: number) =>
  ({ runId: 'x/none/1', run: 0, runs: 1, step, steps: 60, phase: 'rollout', paused: false }) as ProgressEvent;

it('reports that a fork repeats its parent until the step at which they diverge', () => {
  expect(progressText(at(0))).toBe('run 1 of 1 · step 0 of 60 · sampling rollouts');
  expect(progressText(at(12))).toBe('run 1 of 1 · step 12 of 60 · sampling rollouts');
  expect(progressText(at(10), 10)).toBe('run 1 of 1 · repeating its parent, step 10 of 10 · sampling rollouts');
  expect(progressText(at(11), 10)).toBe('run 1 of 1 · step 11 of 60 · sampling rollouts');
});
