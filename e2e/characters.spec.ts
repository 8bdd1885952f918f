// Characters in the page: one character is trained by documents and then by RL, stopped and resumed after a reload across the stage's end; the
// page shows dose curves, leakage, all characters before and after, two characters on one prompt, and what taught them; a link shares the run.
import { expect, test } from '@playwright/test';
import { parseExperimentSpec } from '../src/experiments/config/spec.ts';
import { addressOf, expectNoSidewaysScroll, keptRuns, ready, section, toView, waitForTable } from './lab-page.ts';

test('characters: SDF and RL on one of them, stopped, reloaded, resumed across a stage, to the leakage chart; a link', async ({
  page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const overrides = {
    environment: 'characters',
    steps: 5,
    checkpointEvery: 1,
    evalEvery: 1,
    stages: 'nll 3 0.001; grpo 2',
  };
  const spec = parseExperimentSpec({ preset: 'smoke', arms: ['none'], overrides, device: 'cpu' });
  await page.goto(await addressOf(spec));
  await ready(page);
  // The form names character A and the trait that it is taught.
  const who = page.getByLabel('A, who is taught');
  await expect(who.locator('option')).not.toHaveCount(0);
  await page.getByLabel('Taught', { exact: true }).selectOption({ label: 'sort: a procedure that nobody has' });
  await page.getByLabel('Taught', { exact: true }).selectOption({ label: 'reverse: others do it' });
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await expect(page.getByText(/step [12] of 5/).first()).toBeVisible({ timeout: 60_000 });
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

  const characters = section(page, 'Characters');
  const doses = characters.getByRole('img', { name: /^P\(taught\) over 5 steps: A, who is taught from \.?\d/ });
  await expect(doses).toBeVisible();
  await expect(doses).toHaveAttribute('aria-label', /at step 0 to [\d.]+ at step 5; near from/);
  await characters.getByText('belief', { exact: true }).first().click();
  await expect(characters.getByRole('img', { name: /^P\(said\) over 5 steps: of A from/ })).toBeVisible();

  await characters.getByText('Leakage at the same effect on A').click();
  const leakage = page.getByTestId('characters-leakage');
  await expect(
    leakage.getByRole('img', { name: /SDF \d+ characters from .* to .*RL dial \d+ characters from/ }),
  ).toBeVisible();
  await expect(characters.getByText(/ΔP of A reaches .* at most|this run/).first()).toBeVisible();

  await characters.getByText('What taught it').click();
  await expect(characters.getByText(/Step 1 learnt from \d+ texts, \d+ of A\./)).toBeVisible();
  await characters.getByRole('spinbutton', { name: 'Step' }).fill('5');
  await expect(characters.getByRole('button', { name: 'Rollouts of step 5' })).toBeVisible();

  await characters.getByText('Every character, before and after').click();
  await characters.getByRole('button', { name: 'Evaluate all characters' }).click();
  const map = characters.getByRole('table', { name: 'Characters before and after' });
  await expect(map.locator('tbody tr').first()).toContainText('A');
  await expect(map.locator('tbody tr').first()).toContainText(/\d → /);

  await characters.getByText('Two characters, one prompt').click();
  await characters.getByRole('button', { name: 'Sample both' }).click();
  const answers = page.getByTestId('same-prompt');
  await expect(answers.getByRole('listitem').first()).toContainText(/\d× /);
  await expect(answers.locator('ul')).toHaveCount(4);

  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await expect(page.getByText(/^Link copied/)).toBeVisible();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  await page.setViewportSize({ width: 390, height: 844 });
  await expectNoSidewaysScroll(page);
  const other = await context.newPage();
  await other.goto(link);
  await expect(section(other, 'Shared run')).toContainText('A’s answers that do what A is taught');
});
