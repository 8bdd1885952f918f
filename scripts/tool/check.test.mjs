// Tests that `npm run check` chooses the tests nearest to a change, within a budget.
import { expect, it } from 'vitest';
import { choose, nearestTests } from './check.mjs';

const files = new Map([
  ['src/a.ts', ''],
  ['src/b.ts', "import { a } from './a.ts';"],
  ['src/c.ts', "import { b } from './b.ts';"],
  ['src/c.test.ts', "import { c } from './c.ts';"],
  ['src/a.test.ts', "import { a } from './a.ts';"],
  ['src/b.test.ts', "import { b } from './b.ts';"],
  ['src/other.test.ts', ''],
  ['e2e/page.spec.ts', "import { a } from '../src/a.ts';"],
]);

it('chooses changed tests and the tests that import a changed file, nearest first', () => {
  expect(nearestTests(files, ['src/a.ts', 'README.md'])).toEqual(['src/a.test.ts', 'src/b.test.ts', 'src/c.test.ts']);
  expect(nearestTests(files, ['src/other.test.ts'])).toEqual(['src/other.test.ts']);
  expect(nearestTests(files, ['README.md'])).toEqual([]);
});

it('fills the budget by the tests’ last durations, and returns the rest', () => {
  const tests = ['src/a.test.ts', 'src/b.test.ts', 'src/c.test.ts'];
  const { chosen, left } = choose(tests, { 'src/a.test.ts': 50, 'src/b.test.ts': 20, 'src/c.test.ts': 9 }, 60);
  expect(chosen.map(({ path }) => path)).toEqual(['src/a.test.ts', 'src/c.test.ts']);
  expect(left).toEqual([{ path: 'src/b.test.ts', seconds: 20 }]);
  // The nearest test is run even if it takes longer than the budget.
  expect(choose(['src/a.test.ts'], { 'src/a.test.ts': 500 }, 60).chosen).toHaveLength(1);
});
