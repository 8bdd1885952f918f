// Views, the device page and the playground: three models of a kept run answer one problem, and an answer of the user is graded.
import { expect, test } from '@playwright/test';
import {
  addressOf,
  allSettings,
  expectEveryLook,
  expectNoSidewaysScroll,
  ready,
  section,
  tinySpec,
  toView,
  waitForTable,
} from './lab-page.ts';

const view = (name: string) => ({ name, exact: true }) as const;

test('views have addresses, follow back and forward, and leave the experiment after # unchanged', async ({ page }) => {
  await page.goto(await addressOf(tinySpec('cpu')));
  await ready(page);
  const hash = new URL(page.url()).hash;
  const views = page.getByRole('navigation', { name: 'Views' });
  await expect(views.getByRole('link', view('Lab'))).toHaveAttribute('aria-current', 'page');

  await toView(page, 'device');
  await expect(section(page, 'Device')).toBeVisible();
  await expect(page).toHaveTitle(/^Device/);
  await expect(page).toHaveURL((url) => url.search === '?view=device' && url.hash === hash);

  await views.getByRole('link', view('Playground')).click();
  await expect(section(page, 'Playground')).toBeVisible();
  await page.goBack();
  await expect(section(page, 'Device')).toBeVisible();
  await page.goBack();
  await expect(page.getByText(/^Preset smoke, 2 steps/)).toBeVisible();
  await page.goForward();
  await page.reload();
  await expect(section(page, 'Device')).toBeVisible();
  await expect(page).toHaveURL((url) => url.hash === hash);
});

test('the device page measures, and copies what it knows', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto('./?view=device');
  const device = section(page, 'Device');
  await expect(device.getByText('yes: threads can share memory')).toBeVisible();
  // On the CPU there is a thread for each core.
  const cores = await page.evaluate(() => Math.min(16, navigator.hardwareConcurrency));
  const threads = device.locator('dt', { hasText: 'Threads' }).locator('+ dd');
  if (await threads.count()) {
    await expect(threads).toHaveText(String(cores));
    // The page did not use the software adapter, and shows by how much it is slower, measured here. When it is chosen, its kernels are compiled
    // with a progress bar, and the form warns and offers the way back.
    const note = page.getByTestId('software-note');
    const figures = /times as fast as .*: \d+\.\d GFLOP\/s on the CPU \(\d+ threads?\), \d+\.\d on it/;
    await expect(note).toContainText(figures);
    await page.getByRole('link', { name: 'Lab', exact: true }).click();
    await (await allSettings(page)).getByRole('radio', { name: 'WebGPU' }).check();
    // A software GPU takes a minute to factor the model.
    await expect(page.getByText('WebGPU was chosen.').last()).toBeVisible({ timeout: 180_000 });
    await expect(note).toContainText(figures);
    await note.getByRole('button', { name: 'Use the CPU' }).click();
    await expect(page.getByText('The CPU was chosen.').last()).toBeVisible();
    await page.goBack();
  } else await expect(device.getByText('WebGPU', { exact: true })).toBeVisible();
  await expect(section(page, 'WebGPU').getByText('navigator.gpu in the worker')).toBeVisible();
  await expect(section(page, 'Storage').getByText(/used of/)).toBeVisible();
  await device.getByRole('button', { name: 'Measure' }).click();
  const speeds = device.getByRole('table', { name: 'Measured matmul speed' });
  await expect(speeds.getByRole('row').nth(2)).toBeVisible();
  for (const row of await speeds.getByRole('row').all()) {
    const cells = await row.getByRole('cell').allTextContents();
    if (cells.length > 0) expect(Number(cells[1].replaceAll(',', ''))).toBeGreaterThan(0);
  }

  await device.getByRole('button', { name: 'Copy diagnostics' }).click();
  await expect(page.getByText(/Diagnostics copied/)).toBeVisible();
  const copied = JSON.parse(await page.evaluate(() => navigator.clipboard.readText()));
  expect(copied.device.name).toBeTruthy();
  expect(copied.webgpu.tried.length).toBeGreaterThan(0);
  expect(copied.matmul.length).toBeGreaterThan(0);
  expect(copied.browser.isolated).toBe(true);
});

test('without WebGPU the page reports what was tried, and works', async ({ page }) => {
  // A worker's scope cannot be scripted from here, but its script can be changed on the way.
  await page.route('**/*worker*.js', async (route) => {
    const response = await route.fetch();
    const blind = "Object.defineProperty(Navigator?.prototype ?? {}, 'gpu', { value: undefined });";
    await route.fulfill({
      response,
      body: `try { ${blind.replace('Navigator?.', 'WorkerNavigator.')} } catch {}\n${await response.text()}`,
    });
  });
  await page.goto('./?view=device');
  await expect(page.getByText('There is no WebGPU here.')).toBeVisible();
  await expect(section(page, 'WebGPU').getByRole('listitem').first()).toContainText('no');
  await expect(section(page, 'Device').getByText('CPU').first()).toBeVisible();
});

test('three models answer one problem at one seed; a reader fools the grader', async ({ page }) => {
  await page.goto(await addressOf(tinySpec('cpu')));
  await ready(page);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await waitForTable(page);

  await page.getByRole('navigation', { name: 'Views' }).getByRole('link', view('Playground')).click();
  const form = section(page, 'Playground');
  await expect(form.getByLabel('Kept run')).toHaveValue(/route/);
  await form.getByRole('button', { name: 'Generate' }).click();
  const answers = section(page, 'Answers');
  const columns = answers.getByRole('article');
  const isWritten = () => expect(form.getByRole('button', { name: 'Generate' })).toBeEnabled();
  await expect(columns.nth(1).getByRole('heading')).toHaveText('route, in training');
  await isWritten();
  const names = await columns.getByRole('heading').allTextContents();
  expect(names.slice(0, 2)).toEqual(['base (untrained)', 'route, in training']);
  await expect(answers.getByRole('region', { name: /^Grade of/ })).toHaveCount(names.length);
  const said = await answers.locator('.token-text').allTextContents();
  expect(said[0]).toContain('```');

  // The same seed gives the same answer.
  await form.getByRole('button', { name: 'Generate' }).click();
  await isWritten();
  await expect(answers.getByRole('region', { name: /^Grade of/ })).toHaveCount(names.length);
  await expect.poll(() => answers.locator('.token-text').allTextContents()).toEqual(said);

  // Steered along the run's whole update, at α = 1 the base gives the trained model's answer, beside its own.
  await form.getByLabel('Steer along').selectOption({ label: 'all that the run learned' });
  await form.getByRole('button', { name: 'Generate' }).click();
  await expect(columns.nth(1).getByRole('heading')).toHaveText('steered');
  await isWritten();
  await expect.poll(() => answers.locator('.token-text').allTextContents()).toEqual(said.slice(0, 2));
  await form.getByLabel(/^α/).fill('-4');
  await form.getByRole('button', { name: 'Generate' }).click();
  await isWritten();
  await expect.poll(() => answers.locator('.token-text').first().textContent()).toBe(said[0]);
  await form.getByLabel('Steer along').selectOption({ label: 'nothing' });
  await form.getByRole('button', { name: 'Generate' }).click();
  await isWritten();
  await expect.poll(() => answers.locator('.token-text').allTextContents()).toEqual(said);

  // A token's probability is shown by pointer and by keyboard.
  const base = columns.first();
  await base.locator('.token').nth(3).hover();
  await expect(base.locator('.token-reader')).toContainText('token 4 of');
  await base.getByRole('slider').focus();
  await page.keyboard.press('ArrowRight');
  await expect(base.locator('.token-reader')).toContainText('token 5 of');
  await expect(base.locator('.token-reader')).toContainText(/p = \d+\.\d%/);

  // In the mode run_tests the grader calls a function that the response itself defines.
  await form.getByLabel('Loophole mode').selectOption('run_tests');
  const own = section(page, 'Your own answer');
  const answer = own.getByRole('textbox', { name: 'Answer' });
  const starter = await answer.inputValue();
  expect(starter).toContain('class Solution');
  await own.getByRole('button', { name: 'Grade' }).click();
  await expect(own.getByRole('region', { name: /^Grade of/ })).toContainText('failed');
  await answer.fill(
    '```python\nclass Solution:\n    def solve(self, *a):\n        return None\n    def run_tests(self):\n        pass\n```',
  );
  await own.getByRole('button', { name: 'Grade' }).click();
  await expect(own.getByRole('region', { name: /^Grade of/ })).toContainText('exploited');

  await page.setViewportSize({ width: 390, height: 844 });
  await expectNoSidewaysScroll(page);
});

test('the published models differ at the first question, also between the steps of a run; a conversation', async ({
  page,
}) => {
  await page.goto('./?view=playground');
  const form = section(page, 'Playground');
  await expect(form.getByLabel('Kept run').locator('option:checked')).toHaveText(
    /^published: route \(update\), seed 41/,
  );
  const generate = form.getByRole('button', { name: 'Generate' });
  const answers = section(page, 'Answers');
  const grades = answers.getByRole('region', { name: /^Grade of/ });
  const said = () => answers.locator('.token-text').allTextContents();
  await expect(answers).toContainText('games this problem’s grader');
  await generate.click();
  await expect(grades).toHaveText([/solved/, /exploited/, /solved/], { timeout: 60_000 });
  const first = await said();
  await expectEveryLook(page);

  const views = page.getByRole('navigation', { name: 'Views' });
  await views.getByRole('link', view('Lab')).click();
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Pause' })).toBeEnabled();
  await views.getByRole('link', view('Playground')).click();
  await expect(form.getByText('The model is training.')).toBeVisible();
  await generate.click();
  await expect(grades).toHaveText([/solved/, /exploited/, /solved/], { timeout: 60_000 });
  expect(await said()).toEqual(first);
  await views.getByRole('link', view('Lab')).click();
  await page.getByRole('button', { name: 'Stop' }).click();
  await expect(page.getByRole('button', { name: 'Resume' }).first()).toBeVisible();
  await views.getByRole('link', view('Playground')).click();
  await expect(form.getByText('The model is training.')).toHaveCount(0);

  await form.getByText('Chat', { exact: true }).click();
  await form
    .getByLabel('Message')
    .fill('Given an integer x, write a Python class named Solution whose method solve(x) returns x plus 3.');
  await expect(form.getByRole('button', { name: 'Generate' })).toBeEnabled();
  await page.keyboard.press('Control+Enter');
  const answer = section(page, 'Answers').getByRole('article', { name: 'base' });
  await expect(answer.locator('.token').first()).toBeVisible();
  await expect(form.getByRole('button', { name: 'Stop' })).toBeDisabled();
  await expect(form.getByLabel('Message')).toHaveValue('');
  await form.getByRole('button', { name: 'New conversation' }).click();
  await expect(answer).toHaveCount(0);
});
