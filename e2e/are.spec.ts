// Agents in a living environment: a generated scenario, played by the oracle and by one that errs; stepped, exported, opened again.
import { readFile } from 'node:fs/promises';
import { expect, type Page, test } from '@playwright/test';
import { expectNoSidewaysScroll, section } from './lab-page.ts';

const run = (page: Page) => page.getByRole('button', { name: 'Run', exact: true }).click();
const entries = (page: Page) => section(page, 'Entries').getByRole('button');

test('a scenario is generated, played, judged, stepped through, exported and opened again', async ({ page }) => {
  await page.goto('./?view=agents');
  const form = section(page, 'Agents');
  const verdict = section(page, 'Verdict');
  await form.getByLabel('Split').selectOption('adaptability');
  await form.getByRole('button', { name: 'Generate' }).click();
  await expect(section(page, 'Scenario')).toContainText('generated_adaptability_training_1_0');
  await run(page);
  await expect(verdict.getByRole('status')).toContainText('Passed.');
  await expect(verdict.getByText('not judged')).toHaveCount(0);

  // Stepping: the last entry is looked at first, the apps are those of the entry, and the first one lies before all that was written.
  const count = Number(
    /of (\d+)/.exec((await section(page, 'What happened').locator('output').textContent()) ?? '')?.[1],
  );
  const apps = section(page, 'Apps');
  await expect(apps.getByRole('status')).toHaveText(`At entry ${count}`);
  await page.getByRole('button', { name: 'Step back' }).click();
  await expect(apps.getByRole('status')).toHaveText(`At entry ${count - 1}`);
  await section(page, 'Entries').focus();
  await page.keyboard.press('Home');
  await expect(apps.getByRole('status')).toHaveText('At entry 1');
  await expect(entries(page).first()).toHaveAttribute('aria-current', 'true');
  await expect(section(page, 'Entry')).toContainText('Arguments');
  // Played at a speed it gets to the end by itself.
  await page.getByText('100×', { exact: true }).click();
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await expect(apps.getByRole('status')).toHaveText(`At entry ${count}`);
  await expect(page.getByRole('button', { name: 'Play', exact: true })).toBeEnabled();
  await page.getByText('at once', { exact: true }).click();

  await form.getByLabel('Who acts').selectOption('oracle-mistake');
  await form.getByLabel('Agent’s seed').fill('1');
  await run(page);
  await expect(verdict.getByRole('status')).toContainText(/Failed.*The mistake: /);
  await expect(verdict.getByRole('table').first()).toContainText('recipients');
  await expect(verdict).toContainText('Never fired');

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export the trace' }).click(),
  ]);
  const file = { name: 'run.json', mimeType: 'application/json', buffer: await readFile(await download.path()) };
  await page.reload();
  const picker = page.getByLabel('A scenario or trace (are_simulation_v1)');
  await picker.setInputFiles(file);
  await expect(section(page, 'Scenario')).toContainText(/oracle-mistake: failed/);
  await run(page);
  await expect(verdict.getByRole('status')).toContainText('Passed.');
  await picker.setInputFiles({ ...file, buffer: Buffer.from('{"version":"are_simulation_v1","metadata":{}}') });
  await expect(page.getByRole('alert')).toContainText('metadata.definition');

  await page.setViewportSize({ width: 390, height: 844 });
  await expectNoSidewaysScroll(page);
});
