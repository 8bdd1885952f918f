import { describe, expect, it } from 'vitest';
import { gutterWidth, NAME_HEIGHT, placeNames, shortNames } from './gutter.ts';

const room = { top: 0, bottom: 110 };
const heights = (...ends: (number | null)[]) => placeNames(ends, room).map(({ at }) => at);

describe('names in the gutter', () => {
  it('stand beside their lines if these are far enough apart, without leaders', () => {
    expect(placeNames([20, 80, 50], room)).toEqual([20, 80, 50].map((at) => ({ at, isApart: false })));
  });

  it('never overlap, stay in the chart, and preserve the order of their lines', () => {
    for (const ends of [
      [50, 50, 50],
      [109, 108, 107],
      [0, 2, 1],
      [105, 105, 12],
      [0, 20, 40, 60, 80, 100],
    ]) {
      const found = heights(...ends);
      const sorted = [...found].sort((a, b) => a - b);
      for (let i = 1; i < sorted.length; i++)
        expect(sorted[i] - sorted[i - 1]).toBeGreaterThanOrEqual(NAME_HEIGHT - 1e-9);
      expect(sorted[0]).toBeGreaterThanOrEqual(NAME_HEIGHT / 2);
      expect(sorted.at(-1)).toBeLessThanOrEqual(110 - NAME_HEIGHT / 2);
      for (const [i, a] of ends.entries())
        for (const [j, b] of ends.entries()) if (a < b) expect(found[i]).toBeLessThan(found[j]);
    }
  });

  it('have leaders if they were moved', () => {
    const [first, second] = placeNames([50, 51], room);
    expect(first).toEqual({ at: 50, isApart: false });
    expect(second).toEqual({ at: 50 + NAME_HEIGHT, isApart: true });
  });

  it('of lines without an end stand below the others, without a leader', () => {
    const [none, line, hidden] = placeNames([null, 100, null], room);
    expect(line.at).toBeLessThan(none.at);
    expect(none.at).toBeLessThan(hidden.at);
    expect([none.isApart, hidden.isApart]).toEqual([false, false]);
    expect(line.isApart).toBe(true);
  });

  it('need a chart of sufficient width and height', () => {
    const size = { width: 480, height: 190 };
    expect(gutterWidth(['vanilla', 'quarantine removed'], size)).toBeGreaterThan(100);
    expect(gutterWidth(['x'.repeat(80)], size)).toBeLessThan(size.width / 2);
    expect(gutterWidth(['vanilla'], { ...size, width: 340 })).toBeNull();
    expect(gutterWidth(Array(12).fill('vanilla'), size)).toBeNull();
    expect(gutterWidth([], size)).toBeNull();
  });

  it('are short if only one model is deployed', () => {
    const of = (label: string) => ({ label, isDeployed: label.endsWith('removed') });
    expect(shortNames([of('vanilla'), of('routed, quarantine removed')])).toEqual(['vanilla', 'quarantine removed']);
    const two = ['routed (gradient), quarantine removed', 'routed, quarantine removed'];
    expect(shortNames(two.map(of))).toEqual(two);
    // Beside a fork that has not started, the parent's line is labelled as the parent's.
    expect(shortNames([of('parent: vanilla'), of('parent: routed, quarantine removed')])).toEqual([
      'parent: vanilla',
      'parent: quarantine removed',
    ]);
    expect(shortNames([of('routed, quarantine removed'), of('parent: routed, quarantine removed')])).toEqual([
      'quarantine removed',
      'parent: quarantine removed',
    ]);
  });
});
