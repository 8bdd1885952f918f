import { describe, expect, it } from 'vitest';
import type { ComparedGroup } from '../../experiments/analysis/compare-runs.ts';
import type { RunRecord } from '../../experiments/records/events.ts';
import { armStyle } from '../runs/arm-style.ts';
import { overlayOfGroups } from './overlay.ts';

const run = (arm: string, hacks: number[]) =>
  ({
    spec: { arm },
    rows: hacks.map((hack, i) => ({ step: i + 1, student: { figures: { hack, solve: 1 - hack } } })),
    evals: [
      { step: 2, kind: 'during', model: 'deployed', all: { figures: { hack: 0.05, solve: 0.5 } } },
      { step: 2, kind: 'final', model: 'deployed', all: { figures: { hack: 0.9, solve: 0.9 } } },
    ],
  }) as unknown as RunRecord;
const group = (id: string, arm: string, model: ComparedGroup['model'], hacks: number[][]): ComparedGroup => ({
  id,
  label: id,
  arm,
  model,
  isVanilla: arm === 'none',
  seeds: hacks.map((_, i) => i),
  runs: hacks.map((values) => run(arm, values)),
});

describe('overlaid lines', () => {
  it('are means of smoothed values over the seeds', () => {
    const { points, lines, latest } = overlayOfGroups(
      [
        group('a', 'none', 'total', [
          [0, 1],
          [1, 1],
        ]),
      ],
      'hack',
    );
    // Debiased, with β = 0.6, the second values are (0.6·0.4·x₁ + 0.4·x₂) / (1 − 0.36) = 0.625 and 1.
    expect(points.map((point) => point.a)).toEqual([0.5, expect.closeTo(0.8125, 12)]);
    expect(lines[0]).toMatchObject({ n: 2, sparse: false });
    expect(latest.a).toBeCloseTo(0.8125, 12);
  });

  it('draw a deployed model from its evaluations during training, unsmoothed', () => {
    const { points, lines } = overlayOfGroups([group('d', 'route-update', 'deployed', [[0, 1]])], 'hack');
    expect(points).toEqual([{ x: 2, d: 0.05 }]);
    expect(lines[0].sparse).toBe(true);
  });

  it('distinguish the same arm of several experiments by dash and marker, not by colour', () => {
    const groups = ['a', 'b', 'c'].map((id) => group(id, 'erase', 'total', [[0.5]]));
    const { lines } = overlayOfGroups(groups, 'hack');
    expect(new Set(lines.map(({ style }) => style.color)).size).toBe(1);
    expect(new Set(lines.map(({ style }) => `${style.dash}/${style.marker}`)).size).toBe(3);
  });

  it('look as in their own experiment, and arms that train like vanilla have its colour', () => {
    const style = (isVanilla: boolean) =>
      overlayOfGroups([{ ...group('a', 'route-update', 'total', [[0.5]]), isVanilla }], 'hack').lines[0].style;
    expect(style(true)).toEqual(armStyle('none'));
    expect(style(false).color).toBe(armStyle('route-update').color);
  });
});
