// ExIt in the page: a run on chain puzzles to its curve over revisions, stopped on the way and resumed after a reload; its buffer opened;
// shared.
import { expect, test } from '@playwright/test';
import { parseExperimentSpec } from '../src/experiments/spec/spec.ts';
import { addressOf, expectNoSidewaysScroll, keptRuns, ready, section, toView, waitForTable } from './lab-page.ts';

test('ExIt: stopped, reloaded, resumed, to its curve; a node of the buffer; a link', async ({
  page,
  context,
}, info) => {
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
  await expect(curve.locator('path.recharts-line-curve')).toHaveCount(2);
  await expect(curve.getByRole('list')).toContainText('ExIt');
  await expect(curve.locator('desc')).toHaveText(/At 16: base \(untrained\) \d+%, ExIt \d+%\.$/);

  await page.locator('summary').filter({ hasText: 'Buffer' }).click();
  const buffer = page.getByTestId('buffer');
  await expect(buffer).toContainText(/After step 6: \d+ answers? of \d+ tasks?/);
  const node = buffer.getByRole('list', { name: 'Tasks in the buffer' }).locator('details').first();
  await node.locator('summary').click();
  await expect(node.locator('ol li').first()).toContainText(/\d+ quality \d\.\d+/);
  await info.attach('buffer', { body: await buffer.screenshot(), contentType: 'image/png' });

  await section(page, 'Result')
    .getByRole('button', { name: /^Share/ })
    .click();
  await expect(page.getByText(/^Link copied/)).toBeVisible();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  await page.setViewportSize({ width: 390, height: 844 });
  await expectNoSidewaysScroll(page);
  const other = await context.newPage();
  await other.goto(link);
  await expect(section(other, 'Shared run')).toContainText('Relations that first answers satisfy');
});
