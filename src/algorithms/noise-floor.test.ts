import { describe, expect, it } from 'vitest';
import { basisInUse } from './basis.ts';
import { axisFates } from './noise-floor.ts';

const strengths = (...S: number[]) => S.map((s) => ({ s, zero: s === 0 }));

describe('the fate of axes', () => {
  it('is kept, zeroed, below the common floor of all modules, or beyond k', () => {
    // Pooled and sliced to k = 2: 0, 1, 2, 8; by linear interpolation the 0.25 quantile is 0.75.
    const { floor, fates } = axisFates([strengths(8, 1, 0.5), strengths(2, 0)], { k: 2, dropBottomFrac: 0.25 });
    expect(floor).toBe(0.75);
    expect(fates).toEqual([
      ['kept', 'kept', 'beyond'],
      ['kept', 'zeroed'],
    ]);
    const half = axisFates([strengths(8, 1, 0.5), strengths(2, 0)], { k: 2, dropBottomFrac: 0.5 });
    expect(half.floor).toBe(1.5);
    expect(half.fates).toEqual([
      ['kept', 'floor', 'beyond'],
      ['kept', 'zeroed'],
    ]);
    expect(axisFates([], { k: 5, dropBottomFrac: 0.25 })).toEqual({ floor: 0, fates: [] });
    // A row of zeros is dropped, whatever S a file gives it.
    expect(axisFates([[{ s: 3, zero: true }]], { k: 1, dropBottomFrac: 0 }).fates).toEqual([['zeroed']]);
  });

  it('agrees with basisInUse', () => {
    const layout = {
      modules: [
        { name: 'a', offset: 0, r: 2, dOut: 2, dIn: 2 },
        { name: 'b', offset: 2, r: 2, dOut: 2, dIn: 2 },
      ],
      total: 4,
    };
    const raw = new Map([
      ['a', { k: 2, r: 2, V: Float32Array.of(1, 0, 0, 1), S: Float32Array.of(8, 1) }],
      ['b', { k: 2, r: 2, V: Float32Array.of(0, 1, 0, 0), S: Float32Array.of(2, 0) }],
    ]);
    expect(basisInUse(raw, layout, { k: 2, dropBottomFrac: 0.5 }).V).toEqual(Float32Array.of(1, 0, 0, 1));
    expect(basisInUse(raw, layout, { k: 2, dropBottomFrac: 0.25 }).modules.map(({ k }) => k)).toEqual([2, 1]);
  });
});
