// Tests lines that are coloured by a setting: one colour per value, and no two lines look alike.
import { describe, expect, it } from 'vitest';
import type { ComparedGroup } from '../../experiments/analysis/compare-runs.ts';
import { parseExperimentSpec, resolveRuns } from '../../experiments/config/spec.ts';
import { differingSettings, looksBy } from './colour-by.ts';

const group = (id: string, overrides: object): ComparedGroup => {
  const [spec] = resolveRuns(parseExperimentSpec({ preset: 'smoke', arms: ['erase'], overrides }));
  return { id, label: id, model: 'total', seeds: [41], runs: [{ spec }] } as unknown as ComparedGroup;
};

describe('colours by a setting', () => {
  const groups = [group('a', { k: 5 }), group('b', { k: 8 }), group('c', { k: 5, lr: 0.01 })];

  it('offer only settings that differ', () => {
    expect(differingSettings(groups)).toEqual(expect.arrayContaining(['k', 'lr']));
    expect(differingSettings(groups)).toHaveLength(2);
    expect(differingSettings([groups[0]])).toEqual([]);
  });

  it('are equal for equal values, and dash or marker distinguishes those lines', () => {
    const { looks, values } = looksBy(groups, 'k');
    expect(values.map(({ value }) => value)).toEqual(['5', '8']);
    expect(looks.get('a')?.color).toBe(looks.get('c')?.color);
    expect(looks.get('a')).not.toEqual(looks.get('c'));
    expect(looks.get('a')?.color).not.toBe(looks.get('b')?.color);
  });
});
