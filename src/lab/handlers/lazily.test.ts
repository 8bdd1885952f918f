import { expect, it } from 'vitest';
import { lazily } from './handlers.ts';

it('loads with the first request, once, and again after a failure', async () => {
  let loads = 0;
  const table = lazily<{ add(n: number): Promise<number>; name(x: null): Promise<string> }>(
    { add: true, name: true },
    async () => {
      loads += 1;
      if (loads === 1) throw new Error('offline');
      let sum = 0;
      return {
        async add(n) {
          sum += n;
          return sum;
        },
        name: async () => `sum ${sum}`,
      };
    },
  );
  expect(Object.keys(table)).toEqual(['add', 'name']);
  expect(loads).toBe(0);
  await expect(table.add(1)).rejects.toThrow('offline');
  expect(await Promise.all([table.add(2), table.add(3)])).toEqual([2, 5]);
  expect(await table.name(null)).toBe('sum 5');
  expect(loads).toBe(2);
});
