// Accessibility: axe finds nothing on any view, in light and dark, empty and with an opened result; an experiment is run with the keyboard
// alone; a preference for reduced motion is respected.
import { expect, type Page, test } from '@playwright/test';
import { packJson } from '../src/share/pack.ts';
import { VIEWS, type View } from '../src/ui/parts/view.ts';
import {
  addAxe,
  addressOf,
  allSettings,
  closeSettings,
  expectNoSidewaysScroll,
  keptRuns,
  ready,
  section,
  tinySpec,
  toView,
  waitForTable,
} from './lab-page.ts';

/** Returns axe's findings as text: rule, place, reason. */
async function findings(page: Page, what: string): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    // Motion is off, so that no colour is checked in the middle of a transition.
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await addAxe(page);
    const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
    for (const { id, nodes } of violations)
      for (const { target, failureSummary } of nodes)
        found.push(`${what}, ${colorScheme}: ${id} at ${target.join(' ')}: ${failureSummary?.replace(/\s+/g, ' ')}`);
  }
  return found;
}

async function open(page: Page, view: View): Promise<void> {
  await toView(page, view);
  await expect(page.locator('main h2').first()).toBeVisible();
  await expect(page.locator('main').getByText('Loading …')).toHaveCount(0);
}

async function tabTo(page: Page, name: RegExp, most = 80): Promise<void> {
  for (let i = 0; i < most; i++) {
    await page.keyboard.press('Tab');
    const text = await page.evaluate(() => {
      const at = document.activeElement;
      return at?.getAttribute('aria-label') ?? at?.textContent ?? '';
    });
    if (name.test(text.trim())) return;
  }
  throw new Error(`${most} times Tab did not lead to ${name}`);
}

test('the keyboard runs an experiment, and axe finds nothing before, with its result, and on every view', async ({
  page,
}) => {
  await page.goto('./');
  await ready(page);
  await expect(section(page, 'Published run')).toBeVisible();
  await expect(page.locator('.samples .line.exploit').first()).toBeVisible();
  const found = await findings(page, 'first visit');
  await page.goto('about:blank');
  await page.goto(await addressOf(tinySpec('cpu')));
  await ready(page);
  found.push(...(await findings(page, 'lab, empty')));
  for (const { id } of VIEWS) {
    if (id === 'lab') continue;
    await open(page, id);
    found.push(...(await findings(page, `${id}, empty`)));
  }
  await open(page, 'lab');

  await page.getByRole('button', { name: 'Take the tour' }).click();
  const tour = section(page, 'Tour');
  await expect(tour).toContainText('Not on the screen yet');
  found.push(...(await findings(page, 'tour')));

  // From here on the mouse is not used.
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  await tabTo(page, /^Run$/);
  await page.keyboard.press('Enter');
  await waitForTable(page);
  for (const name of ['Controls', 'Columns'])
    await section(page, 'Result')
      .locator('summary, button')
      .filter({ hasText: new RegExp(`^${name}`) })
      .first()
      .press('Enter');
  await expect(page.getByRole('dialog', { name: 'Columns' })).toBeVisible();
  found.push(...(await findings(page, 'lab, with a result')));
  await expect(tour).toContainText(/The student solves \d[\d.]*% \(final evaluation\)/);
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  await tabTo(page, /^End the tour$/, 400);
  await page.keyboard.press('Enter');
  await expect(tour).toBeHidden();
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  await tabTo(page, /^Library$/, 400);
  await page.keyboard.press('Enter');
  await expect(keptRuns(page)).toHaveCount(1);
  await tabTo(page, /^Open smoke/, 400);
  await page.keyboard.press('Enter');
  await expect(section(page, 'Result').getByRole('table').first()).toBeVisible();
  found.push(...(await findings(page, 'lab, opened')));

  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  await page.keyboard.press('Home');
  await tabTo(page, /^Playground$/, 400);
  await page.keyboard.press('Enter');
  await expect(section(page, 'Playground')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Generate' })).toBeEnabled();
  await tabTo(page, /^Generate$/, 400);
  await page.keyboard.press('Enter');
  await expect(
    section(page, 'Answers')
      .getByRole('region', { name: /^Grade of/ })
      .first(),
  ).toBeVisible();
  found.push(...(await findings(page, 'playground, answered')));
  await open(page, 'agents');
  await page.getByRole('button', { name: 'Generate' }).click();
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await expect(section(page, 'Apps').getByRole('status')).toContainText('At entry');
  found.push(...(await findings(page, 'agents, played')));
  await open(page, 'compare');
  found.push(...(await findings(page, 'compare, with a run')));
  await open(page, 'bases');
  await section(page, 'Extract').getByLabel('Held-out pairs').fill('8');
  await page.getByRole('button', { name: 'Extract the basis' }).click();
  await expect(section(page, 'Axes').getByRole('grid')).toBeVisible();
  const likeness = section(page, 'Cosine between two bases');
  await likeness.getByLabel('First basis').selectOption({ index: 1 });
  await likeness.getByLabel('Second basis').selectOption({ index: 2 });
  await expect(likeness.getByRole('table').first()).toBeVisible();
  await page.getByText('The same as numbers').click();
  found.push(...(await findings(page, 'bases, extracted')));
  await page.getByRole('button', { name: 'Edit a copy' }).click();
  await page.getByRole('button', { name: 'Add a pair' }).click();
  found.push(...(await findings(page, 'bases, editing pairs')));
  await open(page, 'probe');
  await page.getByLabel('Problems', { exact: true }).fill('2');
  await page.getByLabel('Samples', { exact: true }).fill('4');
  await page.getByRole('button', { name: 'Run the probe' }).click();
  await expect(page.getByTestId('probe-scatter').locator('svg.picture')).toBeVisible();
  found.push(...(await findings(page, 'probe, with its verdicts')));
  await open(page, 'device');
  await expect(section(page, 'WebGPU').getByText('navigator.gpu')).toBeVisible();
  for (const summary of await page.locator('main summary').all()) await summary.click();
  await page.getByRole('button', { name: 'Measure' }).click();
  await expect(page.getByRole('table', { name: 'Measured matmul speed' })).toBeVisible();
  found.push(...(await findings(page, 'device, measured')));
  expect(found).toEqual([]);
});

test('axe finds nothing in a shared run, in every fold of the form, its help, and the columns’ help', async ({
  page,
}) => {
  const spec = tinySpec('cpu');
  const shared = {
    p: spec.preset,
    a: spec.arms,
    s: spec.seeds,
    o: spec.overrides,
    d: 'cpu',
    v: '0.0.1',
    n: 'Some CPU',
    r: [{ a: 'route', s: 41, h: 'A'.repeat(22), e: [[2, 'f', 'total', 5, 5000, 5000]] }],
  };
  await page.goto(`./#2.${await packJson(shared)}`);
  await ready(page);
  await expect(section(page, 'Shared run').getByText('shared, not run here')).toBeVisible();
  const found = await findings(page, 'shared run');
  const sheet = await allSettings(page);
  for (const summary of await sheet.locator('summary').all()) await summary.click();
  found.push(...(await findings(page, 'all settings')));
  await page.getByRole('button', { name: 'About Gate', exact: true }).click();
  await expect(page.getByRole('dialog', { name: 'About Gate' })).toContainText('one_sided: relu(c)');
  found.push(...(await findings(page, 'help of a setting')));
  await page.keyboard.press('Escape');
  await page.setViewportSize({ width: 390, height: 844 });
  await expectNoSidewaysScroll(page);
  found.push(...(await findings(page, 'all settings on a phone')));
  await closeSettings(page);
  await page.setViewportSize({ width: 1280, height: 900 });

  await section(page, 'Shared run').getByRole('button', { name: 'Run it here' }).click();
  await waitForTable(page);
  await expect(section(page, 'Result').getByRole('table')).toBeVisible({ timeout: 120_000 });
  await section(page, 'Result').getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('checkbox', { name: /cout_update/ }).check();
  await page.keyboard.press('Escape');
  await section(page, 'Result')
    .getByRole('button', { name: /^About .*cout_update/ })
    .click();
  await expect(page.getByRole('dialog', { name: /^About .*cout_update/ })).toContainText('identity');
  found.push(...(await findings(page, 'shared and run, help of a column')));
  expect(found).toEqual([]);
});

/** Unfolds everything in the open cards. */
async function unfoldAll(page: Page): Promise<void> {
  const folded = page.locator('.question-body > details:not([open]) > summary');
  // An opened fold no longer matches, and a card that fills in late adds more of them.
  await expect(async () => {
    for (let left = await folded.count(); left > 0; left--) await folded.first().click();
    await expect(folded).toHaveCount(0, { timeout: 1000 });
  }).toPass();
}

test('axe finds nothing in the questions, with their tables and charts', async ({ page }) => {
  await page.goto('./?view=questions&q=Q18&run=cli%2F41');
  await expect(page.getByTestId('chart-Q18-0.75')).toBeVisible();
  for (const id of ['Q2', 'Q20']) await page.locator(`details#${id} > summary`).click();
  await unfoldAll(page);
  expect(await findings(page, 'questions')).toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  await expectNoSidewaysScroll(page);
  expect(await findings(page, 'questions on a phone')).toEqual([]);

  // The questions of this environment have lines, dots, tables and links into the lab.
  await page.getByRole('link', { name: 'Learning without labels' }).click();
  // C1 was repeated on other bases, and the cards of its repetitions are inside one card.
  await page.locator('#stem-C1 > details > summary').click();
  for (const id of ['C1', 'C6a']) await page.locator(`details#${id} > summary`).click();
  await expect(page.getByTestId('chart-C6a').locator('[data-row]').first()).toBeVisible();
  await unfoldAll(page);
  await expectNoSidewaysScroll(page);
  expect(await findings(page, 'an environment’s questions')).toEqual([]);
});

test('a preference for reduced motion stops all motion', async ({ page }) => {
  const moving = () =>
    page.evaluate(() =>
      [...document.querySelectorAll('*')]
        .filter((element) => {
          const { transitionDuration, animationName } = getComputedStyle(element);
          return /[1-9]/.test(transitionDuration) || animationName !== 'none';
        })
        .map((element) => element.outerHTML.slice(0, 80)),
    );
  await page.goto('./');
  await ready(page);
  await expect.poll(moving).not.toEqual([]);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  for (const { id } of VIEWS) {
    await open(page, id);
    await expect.poll(moving, id).toEqual([]);
    expect(await page.evaluate(() => getComputedStyle(document.documentElement).scrollBehavior)).toBe('auto');
  }
});
