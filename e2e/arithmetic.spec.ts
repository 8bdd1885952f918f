// The environment of word problems: it is chosen in the form, and its model comes with it; a run of CaT beside vanilla is stopped, reloaded and
// resumed; its results and rollouts name this environment only, and show how a reference answer was voted.
import { expect, test } from '@playwright/test';
import { HYBRID } from '../src/environments/code/types.ts';
import { parseExperimentSpec } from '../src/experiments/config/spec.ts';
import {
  addressOf,
  downloaded,
  expectNoSidewaysScroll,
  keptRuns,
  openForm,
  ready,
  section,
  toView,
  waitForTable,
} from './lab-page.ts';

test('the word problems: chosen, trained by CaT with a stop and a reload between, and read', async ({ page }) => {
  const fetched: string[] = [];
  page.context().on('response', (response) => fetched.push(new URL(response.url()).pathname));
  const overrides = { environment: 'arithmetic', steps: 4, checkpointEvery: 1 };
  await page.goto(
    await addressOf(parseExperimentSpec({ preset: 'smoke', arms: ['cat', 'none'], overrides, device: 'cpu' })),
  );
  await ready(page);
  // Only the environment's own model is loaded, and only its own arms are offered.
  await expect.poll(() => fetched.some((path) => path.includes('/models/tiny-arithmetic/'))).toBe(true);
  await expect(page.getByRole('checkbox', { name: /^vanilla/ }).first()).toBeChecked();
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await expect(page.getByText(/step [1-4] of 4/).first()).toBeVisible({ timeout: 60_000 });
  await page.getByRole('button', { name: 'Stop' }).click();
  await toView(page, 'kept');
  await expect(keptRuns(page).first()).toContainText('stopped');
  await page.reload();
  await keptRuns(page)
    .first()
    .getByRole('button', { name: /^Resume/ })
    .click();
  await waitForTable(page);

  const table = page.getByRole('region', { name: 'Result table' });
  await expect(table.getByRole('columnheader', { name: /^solve/ })).toBeVisible();
  await expect(table.getByRole('columnheader', { name: /^misconception/ })).toBeVisible();
  await expect(table.getByRole('columnheader', { name: /hack/ })).toHaveCount(0);
  await expect(page.getByRole('list', { name: 'Verdicts' })).toContainText(/solve \d+% against the base’s \d+%/);
  await expect(page.getByRole('figure', { name: 'Solve' }).first()).toBeVisible();
  await expect(page.getByRole('figure', { name: 'Hack', exact: true })).toHaveCount(0);

  const rollouts = section(page, 'Rollouts');
  await rollouts.scrollIntoViewIfNeeded();
  await rollouts.getByLabel('Arm').selectOption('cat');
  const agreement = rollouts.locator('.agreement').first();
  await agreement.locator('summary').click();
  await expect(agreement.getByRole('table', { name: 'Votes' })).toContainText('majority');
  await expect(agreement.getByRole('list', { name: 'Attempts' }).getByRole('listitem')).toHaveCount(4);
  await expect(agreement.locator('figure')).toContainText('\\boxed{');
  await rollouts.getByLabel('Arm').selectOption('none');
  await expect(rollouts.locator('.agreement')).toHaveCount(0);
  await rollouts.getByLabel('Verdict').selectOption('solved');
  const answers = rollouts.locator('.answer');
  await expect(answers.first()).toContainText('solved');
  await expect(answers.first()).toContainText('\\boxed{');
  await expect(answers.first().locator('.answer-facts')).toContainText('expected');
  await rollouts.getByLabel('Template').selectOption('plain');

  // A link opens the same environment elsewhere.
  await page.setViewportSize({ width: 390, height: 844 });
  await expectNoSidewaysScroll(page);
  await page.reload();
  await ready(page);
  await openForm(page);
  await expect(page.getByRole('radio', { name: /learn from its own attempts/ })).toBeChecked();

  // One-line Python has another base, whose layers have a recurrent state: its model is fetched when chosen, and trained along a basis.
  const hybrid = (path: string) => path.includes('/models/tiny-hybrid/');
  expect(fetched.some(hybrid)).toBe(false);
  const other = { environment: HYBRID, steps: 1, evalEvery: 0, evalProblems: 5, finalEvalProblems: 5 };
  await page.goto(
    await addressOf(parseExperimentSpec({ preset: 'smoke', arms: ['erase'], overrides: other, device: 'cpu' })),
  );
  await page.reload();
  await ready(page);
  await expect.poll(() => fetched.some(hybrid)).toBe(true);
  await expect(page.getByText(/Student: tiny-hybrid/)).toBeVisible();
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await waitForTable(page);
  const { runs } = await downloaded(page);
  expect(runs.map(({ spec, status }) => [spec.arm, spec.model, status])).toEqual([['erase', 'tiny-hybrid', 'done']]);
  expect(runs[0].rows[0].cin).toBeGreaterThan(0);
});
