import { describe, expect, it } from 'vitest';
import { decadeTicks, shortCount, shortTime, stepTicks, ticksTo, timeTicks } from './axis.ts';

describe('ticks', () => {
  it('are few, round, and cover the data', () => {
    expect(ticksTo(0.37, 4)).toEqual([0, 0.1, 0.2, 0.3, 0.4]);
    expect(ticksTo(0.3, 4)).toEqual([0, 0.1, 0.2, 0.3]);
    expect(ticksTo(47, 4)).toEqual([0, 20, 40, 60]);
    expect(ticksTo(0, 4)).toEqual([0, 1]);
    for (const top of [1e-5, 0.0123, 0.99, 1, 7, 123, 98_765]) {
      const ticks = ticksTo(top, 5);
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(top * 0.999999);
      expect(ticks.length).toBeLessThanOrEqual(6);
    }
  });

  it('of steps are whole numbers', () => {
    expect(stepTicks(2)).toEqual([0, 1, 2]);
    expect(stepTicks(60)).toEqual([0, 10, 20, 30, 40, 50, 60]);
  });

  it('of a logarithmic axis are powers of ten around the data', () => {
    expect(decadeTicks(0.02, 3)).toEqual([0.01, 0.1, 1, 10]);
    expect(decadeTicks(2, 3)).toEqual([1, 10]);
    expect(decadeTicks(1, 1)).toEqual([1, 10]);
    const wide = decadeTicks(1e-12, 5);
    expect(wide.length).toBeLessThanOrEqual(7);
    expect(wide.at(-1)).toBeGreaterThanOrEqual(5);
  });

  it('of time are round in the displayed unit', () => {
    expect(timeTicks(600)).toEqual([0, 120, 240, 360, 480, 600]);
    expect(shortTime(120, 600)).toBe('2 min');
    expect(shortTime(45, 60)).toBe('45 s');
    expect(shortTime(5400, 20_000)).toBe('1.5 h');
  });

  it('of counts are written in short form', () => {
    expect([950, 1200, 3_400_000].map(shortCount)).toEqual(['950', '1.2k', '3.4M']);
  });
});
