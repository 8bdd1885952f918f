// A published sheet as the page reads it.
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { createSheets } from './sheets.ts';

it('uses the page’s name for a routed model without its quarantine', async () => {
  const fetched = async () => new Response(await readFile('public/results/study/sheet.json.gz'));
  const text = JSON.stringify(await createSheets('https://lab.example/', fetched).open('study'));
  expect(text).toContain('routed, quarantine removed');
  expect(text).not.toMatch(/route \((update|gradient)\), deployed/i);
});
