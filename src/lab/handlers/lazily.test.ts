import { expect, it } from 'vitest';
import { lazily } from './handlers.ts';

it('loads with the first request, once, and again after a failure', async () => {
  let loads = 0;
  const arriving = new Set<Promise<unknown>>();
  const table = lazily<{ add(n: number): Promise<number>; name(x: null): Promise<string> }>(
    { add: true, name: true },
    arriving,
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
  expect(arriving.size).toBe(0);
  const sums = Promise.all([table.add(2), table.add(3)]);
  expect(arriving.size).toBe(1);
  expect(await sums).toEqual([2, 5]);
  expect(arriving.size).toBe(0);
  expect(await table.name(null)).toBe('sum 5');
  expect(loads).toBe(2);
});
