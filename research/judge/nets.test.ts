// Tests that published runs keep their keys, and that the sheets' links to runs open.
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { readSheet } from '../../src/findings/sheet.ts';
import { keysNet, linksNet } from './nets.ts';
import { publishedSheet } from './publish.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

it('every published run still has the key that it was published under', () => {
  const { asked, differing } = keysNet(ROOT);
  expect(differing).toEqual([]);
  expect(asked).toBeGreaterThanOrEqual(1853);
});

it('every link of the sheets opens a run', async () => {
  const { asked, differing } = await linksNet([readSheet(await publishedSheet(ROOT, 'prediction'))]);
  expect(differing).toEqual([]);
  expect(asked).toBeGreaterThan(0);
});
