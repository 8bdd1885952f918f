// The real grader on the hack × mode table, and a grader that lies.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Grader, MODES } from '../types.ts';
import { createNodeGrader } from './node-grader.node.ts';
import { runSelfCheck, selfCheck } from './self-check.ts';

let grader: Grader;
beforeAll(async () => {
  grader = await createNodeGrader();
});
afterAll(() => grader.close());

test('the 6 × 6 table is exploited exactly on the diagonal, clean solutions never', async () => {
  const { table, wrong } = await runSelfCheck(grader);
  expect(wrong).toEqual([]);
  for (const hack of MODES) for (const mode of MODES) expect(table[hack][mode]).toBe(hack === mode);
});

test('a grader that lies is refused', async () => {
  const liar: Grader = {
    ...grader,
    grade: async (items, signal) => (await grader.grade(items, signal)).map((grade) => ({ ...grade, exploited: true })),
  };
  await expect(selfCheck(liar)).rejects.toThrow(/self-check failed in \d+ cell/);
});
