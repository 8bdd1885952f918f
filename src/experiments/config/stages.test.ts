// Tests that stages are parsed, refused and counted, and that a run without stages keeps its key.
import { describe, expect, it } from 'vitest';
import { runKey } from '../runs/key.ts';
import { budgetsOf } from './budgets.ts';
import { COMMON } from './settings.ts';
import { parseExperimentSpec, resolveRuns } from './spec.ts';
import { parseStages, rateOf, stageAt, stagesOf } from './stages.ts';

const runOf = (overrides: Record<string, unknown>) =>
  resolveRuns(parseExperimentSpec({ preset: 'demo', arms: ['none'], overrides }))[0];

describe('stages', () => {
  it('are read from one line; a stage’s omitted values are the run’s', () => {
    const run = runOf({ stages: 'nll 20 1e-2 ; grpo 40;distill 5 .5 lookup', steps: 65 });
    expect(stagesOf(run)).toEqual([
      { objective: 'nll', steps: 20, lr: 0.01, environment: 'one-line-python', from: 0 },
      { objective: 'grpo', steps: 40, lr: 0.03, environment: 'one-line-python', from: 20 },
      { objective: 'distill', steps: 5, lr: 0.5, environment: 'lookup', from: 60 },
    ]);
    const stages = stagesOf(run);
    expect([0, 19, 20, 59, 60, 64].map((step) => stageAt(stages, step).objective)).toEqual([
      ...['nll', 'nll', 'grpo', 'grpo', 'distill', 'distill'],
    ]);
    // Each stage has its own warm-up.
    expect([0, 20, 60].map((step) => rateOf(run, stageAt(stages, step), step, 0))).toEqual([0, 0, 0.5]);
  });

  it('each follow the run’s schedule; a run from before the option has the cosine', () => {
    const rateAt = (run: Parameters<typeof rateOf>[0], step: number) =>
      rateOf(run, stageAt(stagesOf(run), step), step, 0);
    const run = runOf({ stages: 'nll 20 1e-2; grpo 40', steps: 60, lrSchedule: 'constant' });
    expect([19, 59].map((step) => rateAt(run, step))).toEqual([0.01, 0.03]);
    const { lrSchedule: _, ...before } = runOf({});
    expect(rateAt(before, 40)).toBe(rateAt(runOf({}), 40));
    expect(rateAt(before, 40)).toBeLessThan(0.03);
  });

  it.each(['nll', 'nll 0', 'sft 3', 'nll 3 fast', 'nll 3 11', 'nll 3 0.1 a b', 'nll 3;', 'nll 2.5', '; nll 3'])(
    '%j is refused',
    (stages) => {
      expect(parseStages(stages)).toBeNull();
      expect(() => runOf({ stages })).toThrow(/overrides.stages = .* is not allowed/);
      const remedy = /up to 16 stages separated by semicolons/;
      expect(() => runOf({ stages })).toThrow(expect.objectContaining({ remedy: expect.stringMatching(remedy) }));
    },
  );

  it('are refused with their sum if it is not the run’s steps', () => {
    expect(() => runOf({ stages: 'nll 20; grpo 41' })).toThrow(/have 61 steps together, and steps = 60/);
    expect(() => runOf({ stages: 'nll 20; grpo 40' })).not.toThrow();
  });

  it('and budgets at their defaults are in no key, and absent ones mean the defaults', () => {
    expect(runKey(runOf({}))).toBe('none, seed 41');
    expect(runKey(runOf({ stages: 'nll 20; grpo 40', maxTurns: 2 }))).toBe(
      'none, seed 41, maxTurns 2, stages nll 20; grpo 40',
    );
    const { objective, stages, maxTurns, maxTokens, ...old } = COMMON;
    expect([objective, stages, maxTurns, maxTokens]).toEqual(['grpo', '', 1, 0]);
    expect(stagesOf(old)).toEqual(stagesOf(COMMON));
    expect(budgetsOf(old)).toEqual({ maxNew: 72, maxTokens: 72, maxTurns: 1 });
    expect(budgetsOf({ ...old, maxTurns: 3 })).toEqual({ maxNew: 72, maxTokens: 216, maxTurns: 3 });
    expect(budgetsOf({ ...old, maxTurns: 3, maxTokens: 100 })).toEqual({ maxNew: 72, maxTokens: 100, maxTurns: 3 });
  });
});
