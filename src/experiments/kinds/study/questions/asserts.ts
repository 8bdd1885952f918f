// “Write the asserts”: what a quarantine along the missing-tests pairs does is no knowledge of the hack (Q12, Q14).
import { percent } from '../../../analysis/words.ts';
import { change, isMost, lowers } from '../judge.ts';
import type { CellFigures } from '../types.ts';

/** How much of an effect “write the asserts” explains; nothing of an effect that is not there. */
export function byTests(tests: CellFigures | undefined, route: CellFigures | undefined, of: string): string | null {
  const [own, effect] = [change(tests, 'hack'), change(route, 'hack')];
  if (own === null || effect === null || lowers(route, 'hack') !== true) return null;
  const most = isMost(tests, route);
  const what =
    most === true
      ? '“write the asserts” explains most of it'
      : most === false
        ? '“write the asserts” explains less than half of it'
        : 'whether “write the asserts” explains half of it is open';
  return `${of} pairs that differ in run_tests alone do ${percent(own / effect)}: ${what}.`;
}
