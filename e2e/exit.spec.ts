// ExIt in the page: a run on chain puzzles is stopped, resumed after a reload, and trained to its curve over revisions; its buffer is opened, and
// the run is shared.
import { expect, test } from '@playwright/test';
import { parseExperimentSpec } from '../src/experiments/config/spec.ts';
import { addressOf, expectNoSidewaysScroll, keptRuns, ready, section, toView, waitForTable } from './lab-page.ts';

test('ExIt: stopped, reloaded, resumed, to its curve; a node of the buffer; a link', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const overrides = { environment: 'chain', steps: 6, checkpointEvery: 1, evalEvery: 3, problems: 24 };
  await page.goto(await addressOf(parseExperimentSpec({ preset: 'smoke', overrides, device: 'cpu' })));
  await ready(page);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await expect(page.getByText(/step [2-5] of 6/).first()).toBeVisible({ timeout: 60_000 });
  await page.getByRole('button', { name: 'Stop' }).click();
  await expect(page.getByText('Stopped.').first()).toBeVisible();
  await page.reload();
  await ready(page);
  await toView(page, 'kept');
  await keptRuns(page)
    .first()
    .getByRole('button', { name: /^Resume/ })
    .click();
  await waitForTable(page);

  const curve = page.getByTestId('profile-q');
  await expect(curve.locator('[data-line]')).toHaveCount(2);
  await expect(curve.getByRole('list')).toContainText('ExIt');
  await expect(curve.getByRole('img', { name: /At 16: base \(untrained\) \d+%, ExIt \d+%\.$/ })).toBeVisible();

  await page.locator('summary').filter({ hasText: 'Buffer' }).click();
  const buffer = page.getByTestId('buffer');
  await expect(buffer).toContainText(/After step 6: \d+ answers? of \d+ tasks?/);
  await expect(
    buffer.getByRole('img', { name: /^Where training began\. First \(steps 1 to 1\): base tasks 100%/ }),
  ).toBeVisible();
  await expect(buffer.getByRole('img', { name: /^What revisions did\..*solved \d+%, better \d+%/ })).toBeVisible();
  const node = buffer.getByRole('list', { name: 'Tasks in the buffer' }).locator('details').first();
  await node.locator('summary').click();
  await expect(node.locator('ol li').first()).toContainText(/\d+ quality \d\.\d+/);

  // The playground revises an answer by hand with the trained model.
  await toView(page, 'playground');
  const iterate = section(page, 'Iterate');
  await iterate.getByLabel('Puzzle').fill('< ?> = ?+ - ?<');
  await iterate.getByLabel('Model').selectOption({ index: 1 });
  await iterate.getByRole('button', { name: 'Answer' }).click();
  const rows = page.getByTestId('iterate-steps').locator('tbody tr');
  await expect(rows).toHaveCount(1);
  await expect(rows.first()).toContainText('SOLVE < ? = ? - ?');
  if (await iterate.getByRole('button', { name: 'Next step' }).isEnabled()) {
    await iterate.getByRole('button', { name: 'Next step' }).click();
    await expect(rows.nth(1)).toContainText('IMPROVE');
  }
  await iterate.getByLabel('Puzzle').fill('< <');
  await iterate.getByRole('button', { name: 'Answer' }).click();
  await expect(iterate.getByRole('alert')).toContainText('A puzzle has 6 relations, not 2.');
  await toView(page, 'lab');

  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await expect(page.getByText(/^Link copied/)).toBeVisible();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  await page.setViewportSize({ width: 390, height: 844 });
  await expectNoSidewaysScroll(page);
  const other = await context.newPage();
  await other.goto(link);
  await expect(section(other, 'Shared run')).toContainText('Relations that first answers satisfy');
});
