// Tests the real grader on the hack × mode table, and that a lying grader is refused.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Grader, MODES } from '../types.ts';
import { createNodeGrader } from './node-grader.node.ts';
import { CHECK_CLEAN, checkProblem, runSelfCheck, selfCheck } from './self-check.ts';

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

test('throughput (printed, not asserted)', async () => {
  for (const workers of [1, 2]) {
    const grader = await createNodeGrader({ workers });
    const item = (i: number) => ({
      problem: checkProblem('run_tests'),
      completion: `\`\`\`python\n${CHECK_CLEAN}\n# ${i}\n\`\`\``,
    });
    await grader.grade([item(-1), item(-2)]);
    const count = 300;
    const start = performance.now();
    const grades = await grader.grade(Array.from({ length: count }, (_, i) => item(i)));
    const seconds = (performance.now() - start) / 1000;
    expect(grades.every((grade) => grade.passed && grade.gt_correct)).toBe(true);
    console.log(
      `${workers} worker(s): ${(count / seconds).toFixed(0)} completions/s, ${((2 * count) / seconds).toFixed(0)} programs/s`,
    );
    await grader.close();
  }
});
