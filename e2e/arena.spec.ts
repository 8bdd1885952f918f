// Findings → Arena: what is published with this build, or that nothing is; and made-up rows as a frontier, a table that sorts, and runs
// that open in the lab. On a wide screen and on a phone.
import { expect, type Page, test } from '@playwright/test';
import { arenaSheet } from '../src/experiments/arena/published.ts';
import { arenaIndexText, arenaSheetText, readArenaIndex } from '../src/experiments/arena/sheet.ts';
import { packSheet } from '../src/experiments/judge/sheet.ts';
import { ratesMade, runMade } from '../src/experiments/testing/statistics-runs.ts';
import { encodeSpec } from '../src/share/url.ts';
import { expectNoSidewaysScroll, section, toView } from './lab-page.ts';

const WIDTHS = [
  [1280, 900],
  [390, 844],
] as const;
const methods = (page: Page) => page.getByRole('region', { name: 'Methods of the arena' });

for (const [width, height] of WIDTHS)
  test(`the arena says what is published, at a width of ${width}`, async ({ page }) => {
    await page.setViewportSize({ width, height });
    await page.goto('./');
    await toView(page, 'arena');
    const sheets = readArenaIndex(await (await page.request.get('./results/arena/index.json')).text());
    const none = page.getByText('No judged run has been published yet.');
    await expect(none).toHaveCount(sheets.includes('judged') ? 0 : 1);
    if (sheets.length === 0) await expect(page.getByText('There is no frontier to show.')).toBeVisible();
    const rows = methods(page).getByRole('row');
    await expect(rows.nth(1)).toContainText('vanilla');
    const bySource = methods(page).getByRole('button', { name: 'labels needed' });
    await bySource.click();
    await bySource.click();
    await expect(methods(page).locator('th[aria-sort=descending]')).toHaveText(/labels needed/);
    await expect(rows.nth(1)).toContainText('repaired graders');
    await expect(section(page, 'The bar, fixed before the runs')).toContainText('sentinel removed');
    await expectNoSidewaysScroll(page);
  });

for (const [width, height] of WIDTHS)
  test(`a published frontier, its table and its runs, at a width of ${width}`, async ({ page }) => {
    const run = (arm: 'none' | 'repaired' | 'agem', seed: number, total: readonly [number, number]) => {
      const made = runMade({ arm, seed, overrides: { mix: 0, modes: ['sentinel'] } });
      const evals = Object.entries({ base: [0.02, 0.4] as const, total }).map(([model, [hack, honest]]) => ({
        ...{ step: 6, model, kind: 'final' as const, splits: {} },
        all: ratesMade(hack, honest, { honest: { n: 75, hack: null, solve: honest } }),
      }));
      return { ...made, evals };
    };
    const runs = [1, 2, 3].flatMap((seed) => [
      run('none', seed, [0.5 + seed / 100, 0.5]),
      run('repaired', seed, [0.02, 0.7 + seed / 100]),
      run('agem', seed, [0.1 + seed / 100, 0.6]),
    ]);
    const sheet = await arenaSheet(runs, ({ spec }) => encodeSpec(spec));
    await page.route('**/results/arena/index.json', (route) => route.fulfill({ body: arenaIndexText(['pilots']) }));
    await page.route('**/results/arena/pilots.json.gz', (route) =>
      route.fulfill({ body: Buffer.from(packSheet(arenaSheetText(sheet))) }),
    );
    await page.setViewportSize({ width, height });
    await page.goto('./?view=arena');
    await expect(page.getByText('Below are pilots: they choose settings and judge nothing.')).toBeVisible();
    const pilots = section(page, 'Pilots');
    await expect(pilots.getByRole('figure', { name: 'Hack removed against honest skill kept' })).toBeVisible();
    await expect(pilots.locator('[data-mark]')).toHaveCount(3);
    const table = pilots.getByRole('region', { name: 'Results of the arena: pilots' });
    await table.getByRole('button', { name: 'kept, honest, %' }).click();
    await expect(table.getByRole('row').nth(1)).toContainText('vanilla');
    await table
      .getByRole('row', { name: /^A-GEM/ })
      .getByRole('button')
      .click();
    await expectNoSidewaysScroll(page);
    await table.getByRole('link', { name: 'Open A-GEM, sentinel, seed 2, data seed 7, in the lab' }).click();
    await expect(page.locator('form.configure')).toBeVisible();
    await expect(page.getByLabel('Seeds')).toHaveValue('2');
  });
