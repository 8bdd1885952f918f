// Findings → Arena on a wide screen and on a phone: it shows the results that are published with this build, or that there are none; and made-up
// rows as a frontier (also small on the first screen, which links to it), a sentence, a sortable table, and runs that open in the lab.
import { expect, type Page, test } from '@playwright/test';
import { arenaIndexText, arenaSheetText, readArenaIndex } from '../src/findings/arena/sheet.ts';
import { allSheet } from '../src/findings/testing/arena-sheets.ts';
import { gzipText } from '../src/lib/inflate.ts';
import { addAxe, expectNoSidewaysScroll, section, toView, withoutWorker } from './lab-page.ts';

const WIDTHS = [
  [1280, 900],
  [390, 844],
] as const;
const table = (page: Page) => page.getByRole('region', { name: /^Results of the arena: / });

for (const [width, height] of WIDTHS)
  test(`the arena says what is published, at a width of ${width}`, async ({ page }) => {
    await withoutWorker(page);
    await page.setViewportSize({ width, height });
    await page.goto('./');
    await toView(page, 'arena');
    const sheets = readArenaIndex(await (await page.request.get('./results/arena/index.json')).text());
    const none = page.getByText('No run has been published yet.');
    await expect(none).toHaveCount(sheets.length === 0 ? 1 : 0);
    if (sheets.length === 0) return;
    // One sheet is shown at a time, with the best methods only; the docs say the rest.
    await expect(page.locator('svg.picture')).toHaveCount(1);
    const rows = table(page).getByRole('row');
    await expect(rows).toHaveCount(9);
    const words = await page.locator('main').evaluate((main) => (main as HTMLElement).innerText.split(/\s+/).length);
    expect(words).toBeLessThanOrEqual(900);
    expect(words).toBeGreaterThan(100);
    await expect(page.locator('main').getByRole('link', { name: /arena/i }).first()).toBeVisible();
    // The address names the chosen sheet, and its rows differ.
    const sheet = page.getByRole('group', { name: 'Results' });
    await expect(sheet.getByRole('radio')).toHaveCount(sheets.length);
    await sheet.getByRole('radio', { name: 'Pilots' }).check({ force: true });
    await expect(section(page, 'Pilots')).toBeVisible();
    await expect(page).toHaveURL(/sheet=pilots/);
    await page.reload();
    await expect(sheet.getByRole('radio', { name: 'Pilots' })).toBeChecked();
    await page.getByRole('button', { name: /^All \d+ models$/ }).click();
    const bySource = table(page).getByRole('button', { name: 'labels needed' });
    await bySource.click();
    await bySource.click();
    await expect(table(page).locator('th[aria-sort=descending]')).toHaveText(/labels needed/);
    await expect(rows.nth(1)).toContainText('repaired graders');
    await expectNoSidewaysScroll(page);
  });

for (const [width, height] of WIDTHS)
  test(`a published frontier, its table and its runs, at a width of ${width}`, async ({ page }) => {
    const sheet = allSheet();
    await page.route('**/results/arena/index.json', (route) => route.fulfill({ body: arenaIndexText(['pilots']) }));
    await page.route('**/results/arena/pilots.json.gz', (route) =>
      route.fulfill({ body: Buffer.from(gzipText(arenaSheetText(sheet))) }),
    );
    await withoutWorker(page);
    await page.setViewportSize({ width, height });
    const said =
      /Of \d+ methods \(\d+ of them (?:a baseline|baselines)\), \d+ remove at least 90% of the hack in the mean\. Of these “.+” keeps the most: \d+% \[/;

    // The first screen shows the same picture and sentence, small, when it is scrolled to.
    await page.goto('./');
    await expect(section(page, 'Published run')).toBeVisible();
    const first = section(page, 'Arena');
    await expect(first).toHaveCount(0);
    await page.getByText('Result table').scrollIntoViewIfNeeded();
    await expect(first).toContainText('Pilots: n = 4 cells of 1 draw, nothing is judged.');
    await expect(first).toContainText(said);
    await expect(first.locator('svg.picture')).toBeVisible();
    await expectNoSidewaysScroll(page);
    await first.getByRole('link', { name: 'All methods, their intervals and their runs' }).click();

    const pilots = section(page, 'Pilots');
    await expect(pilots.getByText('Pilots: n = 4 cells of 1 draw, nothing is judged.')).toBeVisible();
    await expect(pilots.getByText(said)).toBeVisible();
    const picture = pilots.getByRole('img', { name: /^Hack removed against honest skill kept, \d+ models/ });
    await expect(picture).toBeVisible();
    for (const corner of ['base (untrained)', 'vanilla', 'repaired graders'])
      await expect(picture.getByText(corner, { exact: true })).toBeVisible();

    // Every model can be chosen by keyboard, by touch, or by pointing at it.
    const chosen = pilots.getByRole('status').last();
    await pilots.getByLabel('Model', { exact: true }).selectOption('A-GEM, random');
    await expect(chosen).toHaveText(/^A-GEM, random: keeps \d+% \[\d+, \d+\], removes .+, n = 4$/);
    await expect(picture.getByText('A-GEM, random')).toBeVisible();
    await picture.getByText('vanilla', { exact: true }).hover({ position: { x: 1, y: 6 }, force: true });
    await expect(chosen).toHaveText(/^vanilla: keeps \d+%/);

    await addAxe(page);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
      expect(
        violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`),
      ).toEqual([]);
    }

    const results = pilots.getByRole('region', { name: 'Results of the arena: pilots' });
    await pilots.getByRole('button', { name: /^All \d+ models$/ }).click();
    await results.getByRole('button', { name: 'removed, %' }).click();
    await expect(results.getByRole('row').nth(1)).toContainText('vanilla');
    // A method's name opens its description, its other measures and its runs.
    await results.getByRole('button', { name: 'A-GEM', exact: true }).click();
    await expect(results).toContainText('Chaudhry et al. 2019');
    await expectNoSidewaysScroll(page);
    await results.getByRole('link', { name: 'Open A-GEM, sentinel, seed 12, data seed 7, in the lab' }).click();
    await expect(page.locator('form.configure')).toBeVisible();
    await expect(page.getByLabel('Seeds', { exact: true })).toHaveValue('12');
  });
