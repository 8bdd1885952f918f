// A finished run routed again: another basis chosen under the table, a row more in it, kept over a reload, no step trained.
import { readFile } from 'node:fs/promises';
import { expect, test } from '@playwright/test';
import { parseExperimentSpec } from '../src/experiments/config/spec.ts';
import {
  addressOf,
  downloaded,
  dropFile,
  expectNoSidewaysScroll,
  keptRuns,
  ready,
  section,
  toView,
  waitForTable,
} from './lab-page.ts';

test('another quarantine for a finished run, which leaves with it', async ({ page, browser }) => {
  const overrides = { steps: 2, warmupFrac: 0, evalEvery: 0, finalEvalProblems: 4, problems: 8, pairs: 8 };
  const spec = parseExperimentSpec({ preset: 'smoke', arms: ['none'], seeds: [41], overrides, device: 'cpu' });
  await page.goto(await addressOf(spec));
  await ready(page);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await waitForTable(page);
  const before = await downloaded(page);

  const result = section(page, 'Result');
  await result.getByText('Replay the quarantine with another basis').click();
  await result.getByLabel('Gate').selectOption({ label: 'both ways' });
  await result.getByLabel('Axes k').fill('3');
  await expect(result.getByText('“k 3, no gate”')).toBeVisible();
  await result.getByRole('button', { name: 'Replay with this basis' }).click();
  await expect(result.getByText('“k 3, no gate” is in the table')).toBeVisible({ timeout: 120_000 });
  const row = page.getByRole('rowheader', { name: 'k 3, no gate (replayed)' });
  await expect(row).toBeVisible();

  // The same name a second time is refused, in place.
  await result.getByRole('button', { name: 'Replay with this basis' }).click();
  await expect(result.getByRole('alert')).toContainText('already');
  await result.getByLabel('Basis from').selectOption({ label: 'random, as much removed' });
  await result.getByRole('button', { name: 'Replay with this basis' }).click();
  await expect(page.getByText(/random matched.*: k = \d+: removes/)).toBeVisible({ timeout: 120_000 });

  const after = await downloaded(page);
  expect(after.runs[0].rows).toEqual(before.runs[0].rows);
  expect(after.runs[0].rerouted?.map(({ shadow: control }) => control.id)).toEqual([
    'k 3, no gate',
    'random matched, no gate',
  ]);
  await page.setViewportSize({ width: 390, height: 844 });
  await expectNoSidewaysScroll(page);

  await page.reload();
  await ready(page);
  await toView(page, 'kept');
  await keptRuns(page).first().getByRole('button', { name: /^Open/ }).click();
  await expect(row).toBeVisible();

  // The kept steps are in the exported run: in another profile it is the same run, and is routed again there.
  await toView(page, 'kept');
  const arriving = page.waitForEvent('download');
  await keptRuns(page)
    .first()
    .getByRole('button', { name: /^Export/ })
    .click();
  const zip = await readFile(await (await arriving).path());
  const other = await browser.newContext();
  const fresh = await other.newPage();
  await fresh.goto('./');
  await ready(fresh);
  await toView(fresh, 'kept');
  await dropFile(fresh, 'run.zip', zip);
  await keptRuns(fresh).first().getByRole('button', { name: /^Open/ }).click();
  await expect(fresh.getByRole('rowheader', { name: 'k 3, no gate (replayed)' })).toBeVisible();
  expect(await downloaded(fresh)).toEqual({ ...after, createdAt: expect.any(Number) });
  const there = section(fresh, 'Result');
  await there.getByText('Replay the quarantine with another basis').click();
  await there.getByLabel('Axes k').fill('2');
  await there.getByRole('button', { name: 'Replay with this basis' }).click();
  await expect(there.getByText('“k 2” is in the table')).toBeVisible({ timeout: 120_000 });
  await other.close();
});
