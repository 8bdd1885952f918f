import { describe, expect, it } from 'vitest';
import { nameHeight, placed } from './direct-labels.ts';

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

  it('leave each other the whole height of their type: 15.1 px at 11.5, as a browser draws it', () => {
    const found = placed(at(50, 50), { ...room, gap: nameHeight(11.5) }).map(({ y }) => y);
    expect(found[1] - found[0]).toBeGreaterThanOrEqual(15.1);
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
