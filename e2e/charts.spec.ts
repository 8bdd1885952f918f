// The charts as a person uses them, by mouse and by keyboard: they are read, explained, redrawn on another axis, saved as files, and lead to a
// step's rollouts.
import { readFile } from 'node:fs/promises';
import { expect, type Locator, type Page, test } from '@playwright/test';
import { parseExperimentSpec } from '../src/experiments/config/spec.ts';
import { addressOf, expectEveryLook, ready, section, waitForTable } from './lab-page.ts';

const spec = parseExperimentSpec({
  preset: 'smoke',
  arms: ['route'],
  seeds: [41, 42, 43],
  overrides: { steps: 3, evalProblems: 5, finalEvalProblems: 5, evalEvery: 1 },
  device: 'cpu',
});

async function saved(page: Page, chart: Locator, kind: string): Promise<Buffer> {
  await chart.getByRole('button', { name: /^Download/ }).click();
  const arriving = page.waitForEvent('download');
  await chart.getByRole('button', { name: kind, exact: true }).click();
  return readFile(await (await arriving).path());
}

/** Parses the columns of a CSV that has no quoted commas. */
function columnsOf(csv: string): Map<string, string[]> {
  const cells = csv
    .trimEnd()
    .split('\r\n')
    .map((line) => [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map(([, cell]) => cell.replace(/^"|"$/g, '')));
  return new Map(cells[0].map((name, i) => [name, cells.slice(1).map((row) => row[i])]));
}

/** Expects that the rollouts of this step and seed are shown. */
async function expectShown(rollouts: Locator, step: string, seed: RegExp): Promise<void> {
  await expect(rollouts.getByRole('combobox', { name: 'From step' })).toHaveValue(step);
  await expect(rollouts.getByRole('combobox', { name: 'To step' })).toHaveValue(step);
  await expect(rollouts.getByRole('combobox', { name: 'Seed' })).toHaveValue(seed);
  await expect(rollouts.getByText('student').first()).toBeVisible();
}

test('charts: explained, on three axes, saved as files, and a way to the rollouts', async ({ page }) => {
  await page.goto(await addressOf(spec));
  await ready(page);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await waitForTable(page);

  const watch = section(page, 'Watch');
  const hack = page.getByTestId('chart-hack');
  const solve = page.getByTestId('chart-solve');
  // The pointer is still where Run was pressed; a chart is there now, and would show values at the pointer.
  await page.mouse.move(0, 0);
  // Legend, values and names of a chart are one list in its gutter, which ends with the final evaluation.
  const lines = hack.getByRole('list', { name: 'Lines of Hack' }).getByRole('button');
  await expect(hack.locator('.gutter-head')).toHaveText('final, unseen · n = 3');
  await expect(lines).toHaveText([/\d+%(vanilla|route)/, /\d+%quarantine removed/]);
  await expect(hack.locator('.final-dots path').last()).toBeVisible();
  // With three seeds both means, in training and deployed, have an interval around them.
  await expect(hack.locator('.recharts-area-area')).toHaveCount(2);
  // A line is hidden and shown again; then a part of the axis is drawn, and the whole again.
  await lines.first().click();
  await expect(hack.locator('.recharts-area-area')).toHaveCount(1);
  await expect(solve.getByRole('list', { name: 'Lines of Solve' }).getByRole('button').first()).toHaveAttribute(
    'aria-pressed',
    'false',
  );
  await lines.first().focus();
  await page.keyboard.press('Enter');
  await expect(hack.locator('.recharts-area-area')).toHaveCount(2);
  const whole = (await hack.locator('path.recharts-line-curve').last().getAttribute('d')) ?? '';
  await expect(watch.getByRole('slider', { name: 'Left end of the axis' })).toHaveCount(0);
  await watch.getByRole('button', { name: 'Chart settings' }).click();
  await watch.getByRole('slider', { name: 'Left end of the axis' }).fill('0.5');
  const line = hack.locator('path.recharts-line-curve').last();
  await expect(line).not.toHaveAttribute('d', whole);
  await watch.getByRole('group', { name: 'Zoom' }).getByRole('button', { name: 'Reset zoom' }).click();
  await expect(line).toHaveAttribute('d', whole);
  // A drag along one chart zooms all charts to that part, and opens nothing.
  const field = (await hack.locator('.recharts-cartesian-grid').boundingBox())!;
  // The names are beside the plot, and do not overlap.
  const names = await hack
    .locator('.gutter li')
    .evaluateAll((texts) =>
      texts.map((text) => text.getBoundingClientRect()).map(({ left, top, bottom }) => ({ left, top, bottom })),
    );
  for (const { left } of names) expect(left).toBeGreaterThanOrEqual(field.x + field.width);
  const [upper, lower] = [...names].sort((a, b) => a.top - b.top);
  expect(lower.top).toBeGreaterThanOrEqual(upper.bottom - 1);
  // Evaluations are drawn as steps: horizontal, then upright.
  const steps = hack.locator('path.recharts-line-curve').last();
  await expect(steps).toHaveAttribute('d', /^M([\d.]+),([\d.]+)L[\d.]+,\2L/);
  await page.mouse.move(field.x + field.width / 3 + 2, field.y + field.height / 2);
  await page.mouse.down();
  await page.mouse.move(field.x + field.width - 2, field.y + field.height / 2, { steps: 6 });
  await page.mouse.up();
  await expect(line).not.toHaveAttribute('d', whole);
  // The box from before the zoom is gone, and the next move reads the values that are drawn now.
  await expect(hack.locator('.hover')).toHaveCount(0);
  await page.mouse.move(field.x + field.width - 3, field.y + field.height / 2);
  await expect(hack.locator('.hover')).toContainText('Step 3');
  await watch.getByRole('button', { name: 'Reset zoom' }).first().click();
  await expect(line).toHaveAttribute('d', whole);
  await expect(page.getByTestId('chart-kl')).toHaveCount(0);
  // The charts that TRL's users expect are unfolded.
  for (const id of ['loss', 'entropy', 'gradNorm']) await expect(page.getByTestId(`chart-${id}`)).toBeVisible();
  await watch
    .locator('.chart-group > summary')
    .filter({ hasText: /^Adapter/ })
    .click();
  await page.getByText('Overlap with the hack basis').click();
  const quarantine = page.getByTestId('chart-normDeltaSHack');
  await expect(quarantine.locator('path.recharts-line-curve').last()).toHaveAttribute('d', /^M.+L/);
  await quarantine.getByRole('button', { name: /^log axis/ }).click();
  await expect(quarantine.locator('path.recharts-line-curve').last()).toHaveAttribute('d', /^M.+L/);

  // The explanation also says what the metric does not show.
  await page.getByRole('button', { name: 'About cout, overlap after projection' }).click();
  const help = page.getByRole('dialog', { name: /^About cout/ });
  await expect(help).toContainText('identity');
  await page.keyboard.press('Escape');
  await expect(help).toBeHidden();
  await page.getByRole('button', { name: 'Why is the loss 0?' }).click();
  await expect(page.getByRole('dialog', { name: 'Why is the loss 0?' })).toContainText('sum to 0');
  await page.keyboard.press('Escape');

  // Saved files hold what is drawn, unsmoothed: the mean over seeds equals the mean of the seeds' columns.
  await watch.getByRole('slider', { name: 'Smoothing' }).fill('0');
  const reward = page.getByTestId('chart-reward');
  await expect(reward.locator('path.recharts-line-curve')).toHaveCount(4);
  // The page does not show when a chart has been redrawn, so the saved picture is read.
  const drawn = async () => (await saved(page, reward, 'SVG')).toString('utf8');
  await expect.poll(drawn).toContain('Step; not smoothed');
  const columns = columnsOf((await saved(page, reward, 'CSV')).toString('utf8'));
  const seeds = ['41', '42', '43'].map((seed) =>
    [...columns].find(([name]) => name.includes(`seed ${seed}`))![1].map(Number),
  );
  const mean = [...columns].find(([name]) => name.endsWith('mean of 3'))![1].map(Number);
  expect(columns.get('step')).toEqual(['1', '2', '3']);
  for (const [i, y] of mean.entries()) expect(y).toBeCloseTo(seeds.reduce((sum, column) => sum + column[i], 0) / 3, 12);
  const svg = (await saved(page, reward, 'SVG')).toString('utf8');
  expect(svg).toContain('Reward');
  expect(svg).not.toContain('var(--');
  const png = await saved(page, reward, 'PNG');
  expect(png.subarray(1, 4).toString()).toBe('PNG');
  // The header of the PNG has the width, which is twice that of the chart.
  const box = (await reward.locator('svg.recharts-surface').boundingBox())!;
  expect(Math.abs(png.readUInt32BE(16) - 2 * box.width)).toBeLessThanOrEqual(2);

  // On the axis of tokens, the same steps are at the tokens that were spent.
  await watch.getByRole('radio', { name: 'Rollout tokens' }).check();
  await expect.poll(drawn).toContain('Rollout tokens; not smoothed');
  const tokens = columnsOf((await saved(page, reward, 'CSV')).toString('utf8'))
    .get('tokens')!
    .map(Number);
  expect(tokens).toHaveLength(3);
  expect(tokens[0]).toBeGreaterThan(3);
  expect(tokens[2]).toBeGreaterThan(tokens[1]);
  await watch.getByRole('radio', { name: 'Step', exact: true }).check();
  await expect.poll(async () => (await saved(page, hack, 'SVG')).toString('utf8')).toContain('Step; not smoothed');

  // A click at the middle of the axis (steps 0 to 3) opens a step's rollouts.
  const rollouts = section(page, 'Rollouts');
  const surface = hack.locator('svg.recharts-surface');
  await surface.scrollIntoViewIfNeeded();
  const grid = (await hack.locator('.recharts-cartesian-grid').boundingBox())!;
  await page.mouse.move(grid.x + grid.width / 3 + 2, grid.y + grid.height / 2);
  await expect(hack.locator('.hover')).toContainText('Step 1');
  // The other charts follow with a line at the same step and their values there, without a box; so does the picture of the step.
  await expect(solve.locator('.cursor-line')).toHaveAttribute('d', /^M\d/);
  await expect(solve.locator('.gutter-head')).toContainText('step 1');
  await expect(section(page, 'Step through').locator('.track-step')).toContainText('step 1 of 3');
  await expect(solve.locator('.hover')).toHaveCount(0);
  await expect(hack.locator('.cursor-line')).toHaveCount(0);
  await page.mouse.click(grid.x + grid.width / 3 + 2, grid.y + grid.height / 2);
  await expect(rollouts).toBeInViewport();
  await expect(rollouts.getByRole('heading', { name: 'Rollouts' })).toBeFocused();
  await expectShown(rollouts, '1', /^4[123]$/);

  // The keyboard does the same, here for the other seed.
  await surface.focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await expect(hack.locator('.hover')).toContainText('Enter opens');
  const before = await hack.locator('.hover small').textContent();
  await page.keyboard.press('ArrowDown');
  await expect(hack.locator('.hover small')).not.toHaveText(before!);
  const [, seed, step] = /seed (\d+), step (\d+)/.exec((await hack.locator('.hover small').textContent())!)!;
  await page.keyboard.press('Enter');
  await expect(rollouts.getByRole('heading', { name: 'Rollouts' })).toBeFocused();
  await expectShown(rollouts, step, new RegExp(`^${seed}$`));

  // The student's only hack is in the last seed's run, while a teacher's are in every step.
  await section(page, 'Headline').getByRole('button', { name: 'Read the hacks' }).click();
  await expect(rollouts.getByRole('heading', { name: 'Rollouts' })).toBeFocused();
  await expectShown(rollouts, '3', /^43$/);
  await expect(rollouts.getByLabel('Verdict')).toHaveValue('exploited');
  await expect(rollouts.locator('.answer').filter({ hasText: 'student' })).toHaveText([/▲ exploited/]);

  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole('button', { name: 'About Hack', exact: true }).click();
  await expect(page.getByRole('dialog', { name: 'About Hack', exact: true })).toBeInViewport({ ratio: 1 });
  await page.keyboard.press('Escape');
  await expectEveryLook(page);
});
