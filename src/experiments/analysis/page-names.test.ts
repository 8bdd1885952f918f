// The page's sheets have one name for a routed model without its quarantine, as charts and tables have.
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { createSheets } from '../../store/findings/sheets.ts';
import { nameOf } from './names.ts';
import { withPageNames } from './page-names.ts';

it('is what charts and tables call it', () => {
  expect(withPageNames('route (update), deployed')).toBe(nameOf('route-update', 'deployed', []));
  expect(withPageNames('route (gradient), deployed')).toBe(nameOf('route', 'deployed', []));
  expect(withPageNames('Route (update), deployed, lowers hack; route (gradient), deployed, lowers it')).toBe(
    'Routed, quarantine removed, lowers hack; routed (gradient), quarantine removed, lowers it',
  );
  expect(withPageNames('route (update) k 5, deployed, hackable only')).toBe(
    'routed k 5, quarantine removed, hackable only',
  );
  expect(withPageNames('route (update), no gate, sentinel, deployed')).toBe(
    'routed, no gate, sentinel, quarantine removed',
  );
  for (const other of [
    'two blocks, in training; two blocks, deployed',
    'route (update) trains as vanilla; random V, deployed',
  ])
    expect(withPageNames(other)).toBe(other);
});

it('is what the page reads in a published sheet', async () => {
  const fetched = async () => new Response(await readFile('public/results/study/sheet.json.gz'));
  const text = JSON.stringify(await createSheets('https://lab.example/', fetched).open('study'));
  expect(text).toContain('routed, quarantine removed');
  expect(text).not.toMatch(/route \((update|gradient)\), deployed/i);
});
