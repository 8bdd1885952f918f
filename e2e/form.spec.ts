// Tests the form, the address, the navigation and the theme; nothing is trained here.
import { expect, test } from '@playwright/test';
import { parseExperimentSpec } from '../src/experiments/config/spec.ts';
import { packJson } from '../src/share/pack.ts';
import { decodeSpec } from '../src/share/url.ts';
import {
  addressOf,
  allSettings,
  choosePreset,
  closeSettings,
  expectNoSidewaysScroll,
  expectSetting,
  ready,
  toView,
  withoutWorker,
} from './lab-page.ts';

test('the address fills the form, and sharing gives it back', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const overrides = { steps: 7, lr: 0.02 };
  const spec = parseExperimentSpec({
    preset: 'classic',
    arms: ['none', 'erase'],
    seeds: [7, 8],
    overrides,
    device: 'cpu',
  });
  await page.goto(await addressOf(spec));
  await expect(page.getByText('Preset classic, 7 steps')).toBeVisible();
  await expect(page.getByText(/^2 settings changed: Steps 7, Learning rate 0.02/)).toBeVisible();
  await expect(page.getByLabel('Seeds', { exact: true })).toHaveValue('7, 8');
  await expect(page.getByRole('checkbox', { checked: true })).toHaveCount(2);
  await expect(page.getByText('2 arms × 2 seeds = 4 runs of 7 steps.')).toBeVisible();
  const sheet = await allSettings(page);
  await expect(sheet.getByLabel('Preset')).toHaveValue('classic');
  await expect(sheet.getByRole('radio', { name: 'CPU', exact: true })).toBeChecked();
  await sheet.getByRole('searchbox').fill('learning rate');
  await expect(sheet.getByLabel('Learning rate')).toHaveValue('0.02');
  await closeSettings(page);

  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await expect(page.getByText(/^Link copied: .* with the whole experiment/)).toBeVisible();
  // The specs are equal, but the bytes may differ: two deflate libraries may pack them differently.
  const copied = new URL(await page.evaluate(() => navigator.clipboard.readText()));
  expect(await decodeSpec(copied.hash)).toEqual(spec);
});

test('a bad address is reported and leaves the default experiment', async ({ page }) => {
  await withoutWorker(page);
  await page.goto('./#1.not-an-experiment');
  await expect(page.getByRole('alert')).toContainText('The address did not fill the form.');
  await expect(page.getByText('Preset demo, 60 steps')).toBeVisible();
});

test('a preset for real models and an unknown model are refused by name', async ({ page }) => {
  await page.goto(`./#1.${await packJson({ p: 'full' })}`);
  const refusal = page.getByRole('alert');
  await expect(refusal).toContainText('preset full is for real models (max_new 1024); the model is tiny-coder');
  await expect(page.getByText('Preset demo, 60 steps')).toBeVisible();
  await refusal.getByRole('button', { name: 'Dismiss' }).click();

  const model = async (name: string) => {
    const sheet = await allSettings(page);
    await sheet.getByRole('searchbox').fill('model');
    await sheet.getByLabel('Model', { exact: true }).fill(name);
    await closeSettings(page);
  };
  await model('some-coder');
  await expect(refusal).toContainText('model = "some-coder", but tiny-coder is loaded.');
  await expect(page.getByRole('button', { name: 'Run', exact: true })).toBeDisabled();
  await model('tiny-coder');
  await expect(refusal).toBeHidden();
  await ready(page);
});

test('a bad value is quoted beside its field, and cannot be run', async ({ page }) => {
  await page.goto('./');
  const steps = async (text: string) => {
    await (await allSettings(page)).getByLabel('Steps', { exact: true }).fill(text);
    await closeSettings(page);
  };
  await steps('2.5');
  await expect(page.getByRole('alert')).toContainText('Steps: “2.5”');
  await expect(page.getByRole('button', { name: 'Run', exact: true })).toBeDisabled();
  await choosePreset(page, 'smoke');
  await expectSetting(page, 'Steps', '3');

  // The address holds the form: it is the same after a reload, and after a visit to another view.
  await steps('4');
  await expect(page).toHaveURL(/#1\.[\w-]+$/);
  await expect
    .poll(() => decodeSpec(new URL(page.url()).hash))
    .toMatchObject({ preset: 'smoke', overrides: { steps: 4 } });
  await page.reload();
  await expect(page.getByText('Preset smoke, 4 steps')).toBeVisible();
  await toView(page, 'device');
  await toView(page, 'lab');
  await page.getByLabel('Seeds', { exact: true }).fill('7');
  await expect.poll(async () => (await decodeSpec(new URL(page.url()).hash)).seeds).toEqual([7]);
  await page.goBack();
  await page.goForward();
  await expect(page.getByLabel('Seeds', { exact: true })).toHaveValue('7');
  await page.getByRole('radio', { name: /carry over many/ }).check({ force: true });
  await (await allSettings(page)).getByRole('button', { name: 'Back to the preset' }).click();
  await choosePreset(page, 'demo');
  await page.getByLabel('Seeds', { exact: true }).fill('41');
  await expect(page).toHaveURL(/\/\?environment=chain$/);
});

test('at first there are few controls; the search finds every arm and shows its name', async ({ page }) => {
  await withoutWorker(page);
  await page.goto('./');
  const form = page.getByRole('form', { name: 'Configure' });
  await expect(form.getByRole('checkbox')).toHaveCount(6);
  expect(await form.locator('input, select, textarea').count()).toBeLessThanOrEqual(12);
  expect(await form.locator('.chip').count()).toBeLessThanOrEqual(8);

  // Each question of the form is one line, with its answer.
  const lines = page.locator('.question-line');
  await expect(lines.first()).toContainText(/Cheating \d+% → \d+% \[\d+–\d+\] → \[\d+–\d+\]$/);
  for (const line of await lines.all()) expect((await line.boundingBox())!.height).toBeLessThan(32);

  await form.getByRole('searchbox', { name: 'Find another arm' }).fill('random matched');
  const found = form.getByRole('group', { name: 'Arms found' });
  await expect(found.getByRole('checkbox')).toHaveCount(2);
  await found.getByText('route, random V matched').click();
  await form.getByRole('searchbox', { name: 'Find another arm' }).fill('');
  await expect(form.getByRole('checkbox', { name: 'route, random V matched' })).toBeChecked();
  await expect(form).not.toContainText('random_V_matched');
  const sheet = await allSettings(page);
  await sheet.getByRole('searchbox').fill('random_V_matched-route');
  await expect(sheet.getByRole('list', { name: 'All arms' }).getByRole('listitem')).toContainText([
    'random_V_matched-route',
  ]);
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`a phone shows the page without sideways scrolling, ${colorScheme}`, async ({ browser }) => {
    const context = await browser.newContext({ viewport: { width: 390, height: 844 }, colorScheme, hasTouch: true });
    const page = await context.newPage();
    await withoutWorker(page);
    await page.goto('./');
    await allSettings(page);
    await expectNoSidewaysScroll(page);
    const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const dark = Number(/\d+/.exec(ground)?.[0]) < 128;
    expect(dark).toBe(colorScheme === 'dark');
    await context.close();
  });
}

test('a phone shows the name of the view that is open', async ({ page }) => {
  await withoutWorker(page);
  await page.setViewportSize({ width: 390, height: 844 });
  const views = page.getByRole('navigation', { name: 'Views' });
  await page.goto('./?view=playground');
  await expect(views.getByRole('link', { name: 'Playground' })).toBeInViewport({ ratio: 1 });
  await views.getByRole('link', { name: 'Lab' }).click();
  await expect(views.getByRole('link', { name: 'Lab' })).toBeInViewport({ ratio: 1 });
});

test('the theme can be chosen, and stays chosen', async ({ page }) => {
  await withoutWorker(page);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.goto('./');
  await page.getByRole('button', { name: /^Theme/ }).click();
  await page.getByRole('button', { name: /^Theme/ }).click();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await page.reload();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
});
