import { describe, expect, it } from 'vitest';
import { axisAround } from './axis.ts';

describe('axes around values', () => {
  it('have round ends, and include every value', () => {
    for (const values of [[0, 1.53, -0.35], [31, 50], [7], [0, 0], [0, 1e-4], [-3e5, 2e5]]) {
      const { low, high, ticks } = axisAround(values);
      expect(low).toBeLessThanOrEqual(Math.min(...values));
      expect(high).toBeGreaterThanOrEqual(Math.max(...values));
      expect(ticks.length).toBeGreaterThanOrEqual(2);
      expect(ticks.length).toBeLessThanOrEqual(8);
      expect([ticks[0], ticks.at(-1)]).toEqual([low, high]);
    }
    expect(axisAround([-0.35, 1.53]).ticks).toEqual([-0.5, 0, 0.5, 1, 1.5, 2]);
    expect(axisAround([0.031, 0.58], { low: 0 }).ticks).toEqual([0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6]);
    const { low, high } = axisAround([0.3, 0.3], { least: 0.1 });
    expect(high - low).toBeGreaterThanOrEqual(0.1 - 1e-9);
    expect(low).toBeLessThanOrEqual(0.3);
    expect(high).toBeGreaterThan(0.3);
  });
});
