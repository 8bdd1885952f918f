// Two long runs of an embedded model on the CPU are trained in parallel, each in its own worker, to the table; a reload in the middle loses only
// the steps after the last checkpoint.
import { expect, test } from '@playwright/test';
import { parseExperimentSpec } from '../src/experiments/config/spec.ts';
import { addressOf, downloaded, ready, waitForTable } from './lab-page.ts';

const spec = parseExperimentSpec({
  preset: 'smoke',
  arms: ['none', 'erase-update'],
  device: 'cpu',
  overrides: {
    steps: 130,
    promptsPerStep: 1,
    groupSize: 8,
    maxNew: 4,
    problems: 8,
    pairs: 4,
    k: 2,
    evalEvery: 0,
    evalProblems: 2,
    finalEvalProblems: 4,
    checkpointEvery: 10,
  },
});

test('two long runs are trained side by side, and go on after a reload', async ({ page }) => {
  const failures: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') failures.push(message.text());
  });
  page.on('response', (response) => {
    if (response.status() >= 400) failures.push(`${response.status()} ${response.url()}`);
  });
  await page.goto(await addressOf(spec));
  await ready(page);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  const progress = page.locator('#progress');
  await expect(progress.getByText(/2 runs side by side/).first()).toBeVisible({ timeout: 180_000 });
  await expect(progress.getByText(/steps [3-9]\d and \d+ of 130/).first()).toBeVisible({ timeout: 180_000 });
  await page.reload();
  await ready(page);
  await page
    .getByRole('button', { name: /^Resume/ })
    .first()
    .click();
  await waitForTable(page);
  const { runs } = await downloaded(page);
  expect(runs.map(({ spec: { arm }, status, rows }) => [arm, status, rows.length])).toEqual([
    ['none', 'done', 130],
    ['erase-update', 'done', 130],
  ]);
  expect(failures).toEqual([]);
});
