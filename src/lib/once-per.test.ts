import { expect, it } from 'vitest';
import { oncePer } from './once-per.ts';

it('computes a value once per object, also if it is undefined, and again for an equal object', () => {
  let made = 0;
  const of = oncePer(({ n }: { n: number }): number | undefined => {
    made++;
    return n > 0 ? n : undefined;
  });
  const [one, none] = [{ n: 1 }, { n: 0 }];
  expect([of(one), of(one), of(none), of(none), made]).toEqual([1, 1, undefined, undefined, 2]);
  expect([of({ n: 1 }), made]).toEqual([1, 3]);
});
