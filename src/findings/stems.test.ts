// Tests that repeated questions are grouped with the first, and that each is counted once.
import { describe, expect, it } from 'vitest';
import type { Status } from '../experiments/judge/estimate.ts';
import type { ShownQuestion } from './sheet.ts';
import { countsOf, statusCounts, stemsOf } from './stems.ts';

describe('stems', () => {
  const entry = (id: string, standing: Status) => ({ id, standing }) as ShownQuestion;
  const all = [
    entry('S1', 'open'),
    entry('S1-again', 'holds'),
    entry('C8a', 'holds'),
    entry('C8b', 'fails'),
    entry('S1-seed2-on-again', 'holds'),
  ];

  it('group a repeated question with the first, in the sheet’s order, and lose none', () => {
    const stems = stemsOf(all);
    expect(stems.map(({ id }) => id)).toEqual(['S1', 'C8a', 'C8b']);
    expect(stems[0].entries.map(({ id }) => id)).toEqual(['S1', 'S1-again', 'S1-seed2-on-again']);
    expect(stems.flatMap(({ entries }) => entries)).toHaveLength(all.length);
  });

  it('are counted by standing, with each entry once', () => {
    expect(statusCounts(all)).toEqual([
      { standing: 'holds', n: 3 },
      { standing: 'fails', n: 1 },
      { standing: 'open', n: 1 },
    ]);
    expect(countsOf(all)).toBe('3 hold, 1 fails, 1 open');
  });
});
