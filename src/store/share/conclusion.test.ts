// Tests the conclusion of a shared page, which is drawn from the figures of its link: against vanilla, paired by seed, with n, and with
// controls separate.
import { describe, expect, it } from 'vitest';
import { COMMON } from '../../experiments/config/settings.ts';
import { headlinesOf } from '../../experiments/environments/registry.ts';
import type { SharedRun } from '../../share/shared-run.ts';
import { conclusionOf, linesOf } from './conclusion.ts';

const METRICS = headlinesOf(COMMON.environment);
const evaluated = (model: string, hack: number | null, solve: number) =>
  ({ step: 4, kind: 'final', model, n: 64, figures: { hack, solve } }) as SharedRun['evals'][number];
const run = (arm: SharedRun['arm'], seed: number, evals: SharedRun['evals']): SharedRun => ({
  arm,
  seed,
  digest: 'A',
  steps: [],
  series: {},
  evals,
});
const route = (seed: number, hack: number) =>
  run('route-update', seed, [
    evaluated('base', 0, 0.4),
    evaluated('total', hack, 0.42),
    evaluated('deployed', 0.02, 0.5),
    evaluated('random_V', 0.49, 0.41),
  ]);

describe('the conclusion of a shared experiment', () => {
  it('compares with what the same run trains, if that is vanilla', () => {
    expect(conclusionOf([route(41, 0.51)], METRICS)).toEqual([
      'routed, quarantine removed, against vanilla: hack 2% against 51% (−49.0 points), solve 50% against 42% (+8.0 points); n = 1.',
      'One seed: suggestive, not a result.',
    ]);
  });

  it('is paired by seed, and uses vanilla’s own arm if there is one', () => {
    const runs = [
      run('none', 41, [evaluated('total', 0.6, 0.3)]),
      run('none', 42, [evaluated('total', 0.4, 0.3)]),
      run('erase', 41, [evaluated('total', 0.5, 0.3)]),
    ];
    expect(conclusionOf(runs, METRICS)).toEqual([
      'erase, against vanilla: hack 50% against 60% (−10.0 points), solve 30% against 30% (0.0 points); n = 1.',
      'Means over seeds; nothing was tested for this sentence.',
    ]);
  });

  it('states nothing without vanilla, or about a figure that is missing for a seed', () => {
    expect(conclusionOf([run('erase', 41, [evaluated('total', 0.5, 0.3)])], METRICS)).toEqual([]);
    const bare = run('none', 41, [evaluated('total', null, 0.3)]);
    expect(conclusionOf([bare, run('erase', 41, [evaluated('total', 0.5, 0.3)])], METRICS)[0]).not.toContain('hack');
  });

  it('lists controls separately from deployed models', () => {
    const lines = linesOf([route(41, 0.5), route(42, 0.6)]);
    expect(lines.map(({ label, isControl, evals }) => [label, isControl, evals.size])).toEqual([
      ['base (untrained)', true, 2],
      ['vanilla', false, 2],
      ['routed, quarantine removed', false, 2],
      ['routed, quarantine removed, random V', true, 2],
    ]);
  });
});
