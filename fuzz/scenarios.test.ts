// Damaged or hostile scenario files give a named error or a run that ends. For ten thousand of them:
// npm run fuzz -- --reader scenario --n 10000
import { expect, it } from 'vitest';
import { judgeSeed, READERS } from './corpus.ts';

const COUNT = 300;

it(`${COUNT} changed scenario files give a named error or a run`, async () => {
  const reader = READERS.find(({ name }) => name === 'scenario');
  const kinds = { result: 0, refused: 0, fault: 0 };
  for (let seed = 1000; seed < 1000 + COUNT; seed++) {
    const { kind, why } = await judgeSeed(reader!, seed);
    kinds[kind]++;
    expect(kind === 'fault' ? `seed ${seed}: ${why}` : null).toBeNull();
  }
  // Some of the files must be refused and some accepted, or the test would show nothing.
  expect(Math.min(kinds.result, kinds.refused)).toBeGreaterThan(COUNT / 10);
});
