// What `npm run check` runs: the tests nearest to a change, within a budget.
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

it('takes the tests that import what has changed, nearest first, and a changed test itself', () => {
  expect(nearestTests(files, ['src/a.ts', 'README.md'])).toEqual(['src/a.test.ts', 'src/b.test.ts', 'src/c.test.ts']);
  expect(nearestTests(files, ['src/other.test.ts'])).toEqual(['src/other.test.ts']);
  expect(nearestTests(files, ['README.md'])).toEqual([]);
});

it('fills the budget with what they took last time, and names the rest', () => {
  const tests = ['src/a.test.ts', 'src/b.test.ts', 'src/c.test.ts'];
  const { chosen, left } = choose(tests, { 'src/a.test.ts': 50, 'src/b.test.ts': 20, 'src/c.test.ts': 9 }, 60);
  expect(chosen.map(({ path }) => path)).toEqual(['src/a.test.ts', 'src/c.test.ts']);
  expect(left).toEqual([{ path: 'src/b.test.ts', seconds: 20 }]);
  // A test that takes longer than the budget is run all the same where it is the nearest.
  expect(choose(['src/a.test.ts'], { 'src/a.test.ts': 500 }, 60).chosen).toHaveLength(1);
});
