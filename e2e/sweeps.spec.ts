// Sweeps on the page: the form and its plan, the runs, a stop in the middle, resuming, the report, and the link.
import { expect, test } from '@playwright/test';
import { allSettings, closeSettings, expectEveryLook, section, toView } from './lab-page.ts';

test('a sweep is planned, run, stopped, resumed and reported, and its link opens the same sweep', async ({ page }) => {
  await page.goto('./?view=sweeps');
  const form = section(page, 'Sweep');
  const plan = form.getByRole('status');
  await expect(plan).toContainText('2 configurations × 2 seeds: 4 runs');
  await expect(page.locator('.badge.device')).toHaveText(/WebGPU|CPU/, { timeout: 180_000 });
  const device = (await page.locator('.badge.device').textContent())!;
  await form
    .getByLabel('Options that all runs share')
    .fill('environment=arithmetic\nsteps=12\nevalEvery=0\nfinalEvalProblems=4\ncheckpointEvery=1');
  // Arms have the names that charts use.
  await form.getByLabel('Arm', { exact: true }).selectOption({ label: 'the preset’s first' });
  await form.getByLabel('Option of axis 1').selectOption('arm');
  await form.getByLabel('Values of axis 1').selectOption(['vanilla', 'KL penalty']);
  await expect(plan).toContainText('2 configurations × 2 seeds: 4 runs');
  await form.getByLabel('Option of axis 1').selectOption('lr');
  await form.getByLabel('Arm', { exact: true }).selectOption({ label: 'vanilla' });
  await form.getByLabel('Values of axis 1').fill('0.01, nonsense');
  await expect(form.getByRole('alert')).toContainText('lr');
  await form.getByLabel('Values of axis 1').fill('0.01, 0.03');
  await form.getByLabel('Seeds', { exact: true }).fill('41');
  await expect(plan).toContainText('2 configurations × 1 seed: 2 runs, ranked by solve (higher is better)');
  await expect(plan).toContainText('of memory', { timeout: 60_000 });

  await form.getByRole('button', { name: 'Run the sweep' }).click();
  const live = section(page, 'Runs');
  const facts = live.getByRole('status', { name: 'Progress of the sweep' });
  await expect(live.getByText(/([1-9]|1[01])\/12 at work/)).toBeVisible({ timeout: 120_000 });
  await form.getByRole('button', { name: 'Stop the sweep' }).click();
  await expect(form.getByRole('button', { name: 'Resume the sweep' })).toBeVisible({ timeout: 60_000 });
  // The first run may have ended before Stop was pressed.
  await expect(facts).toContainText(/[01] of 2/);

  // From the link alone, another visit resumes where this one was stopped.
  await form.getByRole('button', { name: 'Link' }).click();
  await expect(page).toHaveURL(/view=sweeps#sweep1\./);
  await page.reload();
  await expect(form.getByLabel('Values of axis 1')).toHaveValue('0.01, 0.03');
  await form.getByRole('button', { name: 'Run the sweep' }).click();
  await expect(facts).toContainText('2 of 2', { timeout: 240_000 });
  // Nothing is left to resume, and the page keeps the form's environment and device and shows no run of the sweep.
  await expect(form.getByRole('button', { name: 'Finished' })).toBeDisabled();
  await expect(form.getByRole('button', { name: /the sweep$/ })).toHaveCount(0);
  await expect(page.locator('.badge.device')).toHaveText(device);
  const report = section(page, 'Report');
  await expect(report.getByRole('row')).toHaveCount(3);
  await expect(report).toContainText('It is the best of 2');
  await expect(report.getByRole('img', { name: /Parallel coordinates of lr, solve/ })).toBeVisible();

  await expectEveryLook(page);
  await toView(page, 'lab');
  await expect(section(page, 'Watch').getByText('Published run')).toBeVisible();
  await expect((await allSettings(page)).getByRole('radio', { name: 'Auto' })).toBeChecked();
  await closeSettings(page);
  await toView(page, 'sweeps');
  await live.getByRole('button', { name: /Charts and log of lr 0.01/ }).click();
  await expect(page).toHaveURL((url) => !url.search.includes('view='));
});
