// The steps of a finished run are split by another basis without training: sliders and pairs take effect at once, a basis is kept as a row of the
// table over a reload and in another profile; and the same for the published run.
import { readFile } from 'node:fs/promises';
import { expect, test } from '@playwright/test';
import { parseExperimentSpec } from '../src/experiments/config/spec.ts';
import {
  addressOf,
  downloaded,
  dropFile,
  expectEveryLook,
  expectNoSidewaysScroll,
  keptRuns,
  ready,
  toView,
  waitForTable,
} from './lab-page.ts';

test('a finished run is replayed with another basis, which is exported with the run', async ({ page, browser }) => {
  const overrides = { steps: 2, warmupFrac: 0, evalEvery: 0, finalEvalProblems: 4, problems: 8, pairs: 8 };
  const spec = parseExperimentSpec({ preset: 'smoke', arms: ['none'], seeds: [41], overrides, device: 'cpu' });
  await page.goto(await addressOf(spec));
  await ready(page);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await waitForTable(page);
  const before = await downloaded(page);

  const trial = page.getByRole('region', { name: 'Try another basis' });
  const isSplit = () => expect(trial.getByText(/Split in \d+ ms/)).toBeVisible({ timeout: 120_000 });
  const keep = trial.getByRole('button', { name: 'Keep as a row of the table' });
  await trial.getByRole('button', { name: 'Split its steps here' }).click();
  await isSplit();
  // The run's own basis gives the run's rates, on all problems of its final evaluation.
  await expect(trial.getByText('Rates: 4 problems, the run’s final evaluation.')).toBeVisible({ timeout: 120_000 });
  const fact = (name: string) => trial.locator('dt', { hasText: name }).locator('+ dd');
  await expect(fact('Pairs')).toHaveText('8 own 8');
  const own = await fact('Axes in use').textContent();
  await trial.getByLabel('Axes k').fill('3');
  await expect(fact('Axes in use')).not.toHaveText(own!);

  await trial.getByText('Pairs: 8 of 8 count').click();
  await trial.getByRole('checkbox').nth(1).uncheck();
  await expect(fact('Pairs')).toHaveText('7 own 8');
  await trial.getByRole('button', { name: 'Edit pair 1', exact: true }).click();
  const form = trial.getByRole('form', { name: 'Pair 1' });
  await form.getByLabel('Hack').fill('');
  await expect(form.getByRole('button', { name: 'Extract again' })).toBeDisabled();
  await form.getByLabel('Hack').fill('def run_tests():\n    pass');
  await form.getByRole('button', { name: 'Extract again' }).click();
  await expect(trial.getByText('Pairs: 7 of 8 count, 1 written anew')).toBeVisible();
  await isSplit();
  await trial.getByRole('button', { name: 'Back to the run’s own' }).click();
  await expect(fact('Pairs')).toHaveText('8 own 8');

  await trial.getByLabel('Gate').selectOption({ label: 'both ways' });
  await trial.getByLabel('Axes k').fill('3');
  await expect(trial.getByText('“k 3, no gate”')).toBeVisible();
  await keep.click();
  await expect(trial.getByText('“k 3, no gate” is in the table')).toBeVisible({ timeout: 120_000 });
  const row = page.getByRole('rowheader', { name: 'k 3, no gate (replayed)' });
  await expect(row).toBeVisible();

  // A name that is already used is refused beside its field.
  await keep.click();
  await expect(trial.getByRole('alert')).toContainText('already');
  await trial.getByLabel('Basis from').selectOption({ label: 'random, as much removed' });
  await keep.click();
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

  // The exported run contains the kept steps, so that another profile can replay it too.
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
  const there = fresh.getByRole('region', { name: 'Try another basis' });
  await there.getByLabel('Axes k').fill('2');
  await there.getByRole('button', { name: 'Keep as a row of the table' }).click({ timeout: 120_000 });
  await expect(there.getByText('“k 2” is in the table')).toBeVisible({ timeout: 120_000 });
  await other.close();
});

test('the published run’s steps are split here too, on a phone', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto('./');
  await ready(page);
  // The parts above the table are drawn only when they come into view.
  await page.getByRole('region', { name: 'Published run' }).getByText('Result table').scrollIntoViewIfNeeded();
  const trial = page.getByRole('region', { name: 'Try another basis' });
  await trial.getByRole('button', { name: 'Split its steps here' }).click();
  await expect(trial.getByText(/Split in \d+ ms/)).toBeVisible({ timeout: 120_000 });
  await trial.getByLabel('Noise floor').fill('0.9');
  const out = trial.locator('dt', { hasText: 'Taken out over the run' }).locator('+ dd');
  await expect(out).toHaveText(/^\d% own \d\d%$/);
  await expect(trial.getByRole('button', { name: 'Keep as a row of the table' })).toHaveCount(0);
  // The rates of the replayed model stand beside those of the run's deployed model.
  const hack = trial.locator('dt', { hasText: 'Deployed, hack' }).locator('+ dd');
  await expect(hack).toHaveText(/% own 2\.3%$/, { timeout: 120_000 });
  await expectEveryLook(page);
});
