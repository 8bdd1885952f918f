import { describe, expect, it } from 'vitest';
import { layRows } from '../../algorithms/basis.ts';
import type { AdapterLayout } from '../../engine/types.ts';
import { trainingKey } from '../analysis/vanilla.ts';
import { trainsUnprojected, VANILLA_ARMS } from '../config/arms.ts';
import type { ControlSpec } from '../config/controls.ts';
import { parseExperimentSpec, resolveRun } from '../config/spec.ts';
import { firstAxisOverlap } from './bases.ts';
import { checkControls, recipeOf, refreshIsDue } from './recipe.ts';

const run = (overrides: Parameters<typeof parseExperimentSpec>[0] & object = {}) => {
  const spec = parseExperimentSpec({ preset: 'smoke', overrides });
  return resolveRun(spec, 'route-update', 41);
};
const control = (extra: Partial<ControlSpec> = {}): ControlSpec => ({
  id: 's',
  kind: 'real',
  gate: 'one_sided',
  k: 3,
  mode: null,
  ...extra,
});

describe('the settings of a basis', () => {
  it('are the run’s, overridden by a control’s', () => {
    const spec = run({ tauAxis: 0.1, refreshEvery: 4 });
    expect(recipeOf(spec, null)).toMatchObject({ k: 5, tauAxis: 0.1, refreshEvery: 4, from: 'pairs', control: 'none' });
    const own = control({ settings: { tauAxis: 0.2, pairSet: 'placebo', refreshEvery: 0 } });
    expect(recipeOf(spec, own)).toMatchObject({ k: 3, tauAxis: 0.2, pairSet: 'placebo', refreshEvery: 0, seed: 41 });
    expect(recipeOf(spec, control({ kind: 'flipped' }))).toMatchObject({ control: 'flipped', refreshEvery: 4 });
    const left = control({ kind: 'leave_out', mode: 'sentinel' });
    expect(recipeOf(spec, left)).toMatchObject({ leaveOut: 'sentinel', control: 'none' });
    expect(recipeOf(spec, control({ mode: 'sentinel' })).leaveOut).toBeNull();
  });

  it('uses an imported basis for the run and its controls, except for controls that need pairs', () => {
    const spec = run({ basisSource: 'file', basisFile: 'x' });
    const from = (extra: Partial<ControlSpec>) => recipeOf(spec, control(extra)).from;
    expect(recipeOf(spec, null).from).toBe('file');
    for (const kind of ['real', 'random', 'flipped'] as const) expect(from({ kind })).toBe('file');
    expect(from({ kind: 'permuted' })).toBe('pairs');
    expect(from({ kind: 'leave_out', mode: 'sentinel' })).toBe('pairs');
    expect(from({ settings: { pairSet: 'nonhack' } })).toBe('pairs');
    expect(from({ settings: { overshoot: 2 } })).toBe('file');
    expect(() => checkControls(spec, [control({ settings: { refreshEvery: 0 } })])).not.toThrow();
  });

  it('refuses contradictory controls', () => {
    const spec = run({ pairs: 8 });
    const refused = (extra: Partial<ControlSpec>) => () => checkControls(spec, [control(extra)]);
    expect(refused({ k: 9 })).toThrow(/k = 9 axes from 8 pairs/);
    expect(refused({ k: 9, settings: { basisKind: 'mean_diff' } })).not.toThrow();
    expect(refused({ settings: { nHeldout: 7 } })).toThrow(/leaves 1/);
    expect(refused({ settings: { solveOrth: 9 } })).toThrow(/solveOrth = 9/);
    expect(refused({ kind: 'leave_out' })).toThrow(/leaves out no mode/);
    expect(() => checkControls(spec, [control(), control()])).toThrow(/two of this name/);
    expect(() => checkControls(spec, spec.shadows)).not.toThrow();
  });

  it('is re-extracted every N steps, and not before the first', () => {
    expect([0, 1, 2, 3, 4].map((step) => refreshIsDue(2, step))).toEqual([false, false, true, false, true]);
    expect([0, 1, 2].some((step) => refreshIsDue(0, step))).toBe(false);
  });
});

describe('overlap of two bases', () => {
  const layout: AdapterLayout = {
    total: 6,
    modules: ['a', 'b', 'c'].map((name, i) => ({ name, offset: 2 * i, r: 2, dOut: 2, dIn: 2 })),
  };
  const e = (x: number, y: number) => Float32Array.of(x, y);
  it('is |⟨first, first⟩|, over the modules with rows in both', () => {
    const before = layRows(layout, [[e(1, 0), e(0, 1)], [e(1, 0)], []]);
    const after = layRows(layout, [[e(-0.6, 0.8)], [e(0, 1), e(1, 0)], [e(1, 0)]]);
    expect(firstAxisOverlap(before, after)).toBeCloseTo((0.6 + 0) / 2, 6);
    expect(firstAxisOverlap(before, before)).toBe(1);
    expect(firstAxisOverlap(before, layRows(layout, [[], [], [e(1, 0)]]))).toBeNull();
  });
});

describe('vanilla’s arms', () => {
  it('train as vanilla does, with the experiment’s own training settings', () => {
    const spec = parseExperimentSpec({ preset: 'smoke', arms: [...VANILLA_ARMS, 'random_V_matched'] });
    const key = trainingKey(resolveRun(spec, 'random_V_matched', 41));
    for (const arm of VANILLA_ARMS) {
      const resolved = resolveRun(spec, arm, 41);
      expect(trainsUnprojected(resolved)).toBe(true);
      expect(trainingKey(resolved)).toBe(key);
    }
  });
});
