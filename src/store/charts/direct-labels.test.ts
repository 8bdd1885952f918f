import { describe, expect, it } from 'vitest';
import { placed } from './direct-labels.ts';

const at = (...ys: number[]) => ys.map((y, i) => ({ id: String(i), y }));
const room = { gap: 12, top: 10, bottom: 100 };

describe('names beside lines', () => {
  it('stand at their lines where these are apart', () => {
    expect(placed(at(20, 60, 40), room)).toEqual([
      { id: '0', y: 20 },
      { id: '2', y: 40 },
      { id: '1', y: 60 },
    ]);
  });

  it('never lie on one another, and stay in the chart', () => {
    for (const ys of [
      [50, 50, 50],
      [99, 98, 97],
      [0, 2, 1],
      [95, 95, 12],
    ]) {
      const found = placed(at(...ys), room).map(({ y }) => y);
      for (let i = 1; i < found.length; i++) expect(found[i] - found[i - 1]).toBeGreaterThanOrEqual(12);
      expect(Math.min(...found)).toBeGreaterThanOrEqual(10);
      expect(Math.max(...found)).toBeLessThanOrEqual(100);
    }
  });
});
