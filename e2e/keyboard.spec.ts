// Uses the lab without a mouse: help beside a field, a grid of runs, a cell trained alone, a chart's point, files, a link to share and a
// comparison. Everything is reached with Tab and the keys that the controls name.
import { readFile } from 'node:fs/promises';
import { expect, type Page, test } from '@playwright/test';
import { parseExperimentSpec } from '../src/experiments/config/spec.ts';
import { addressOf, keptRuns, ready, section, waitForTable } from './lab-page.ts';

// The run is long enough to be stopped by hand on a fast machine.
const overrides = { steps: 96, evalEvery: 0, finalEvalProblems: 4, problems: 8, pairs: 8, k: 2, maxNew: 40 };
const spec = parseExperimentSpec({ preset: 'smoke', arms: ['none', 'erase'], seeds: [41], overrides, device: 'cpu' });

/** Returns the name of the focused element as a screen reader gives it. */
const focused = (page: Page) =>
  page.evaluate(() => {
    const at = document.activeElement;
    const labels = at instanceof HTMLInputElement || at instanceof HTMLSelectElement ? at.labels : null;
    return (at?.getAttribute('aria-label') ?? labels?.[0]?.textContent ?? at?.textContent ?? '').trim();
  });

/** Presses Tab until an element of that name has the focus; fails if none is reached. */
async function tabTo(page: Page, name: RegExp, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  const most = 300;
  for (let i = 0; i < most; i++) {
    await page.keyboard.press(key);
    if (name.test(await focused(page))) return;
  }
  throw new Error(`${most} times ${key} did not lead to ${name}; the last was ${await focused(page)}`);
}

/** Moves the focus to the beginning of the page, as after a fresh visit. */
async function fromTheTop(page: Page): Promise<void> {
  await page.evaluate(() => {
    (document.activeElement as HTMLElement | null)?.blur();
    document.getSelection()?.removeAllRanges();
    window.scrollTo(0, 0);
  });
  await page.keyboard.press('Home');
}

test('everything is done with the keyboard', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto(await addressOf(spec));
  await ready(page);

  // In the sheet of all settings, the help beside a field is opened, read and closed; the focus then returns.
  await tabTo(page, /^All settings$/);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('searchbox', { name: 'Find a setting or an arm' })).toBeFocused();
  await tabTo(page, /^\??About Teacher share$/);
  await page.keyboard.press('Enter');
  const help = page.getByRole('dialog', { name: 'About Teacher share' });
  await expect(help).toContainText('⌊G · mix + ½⌋');
  await page.keyboard.press('Escape');
  await expect(help).toBeHidden();
  await expect.poll(() => focused(page)).toMatch(/About Teacher share$/);

  // A fold contains a field that is disabled for now.
  await tabTo(page, /^Adapter/);
  await page.keyboard.press('Enter');
  await expect(page.getByText('No effect now: only with adapter lora or blocks.')).toBeVisible();
  await tabTo(page, /^Adapter$/);
  await page.keyboard.press('ArrowDown');
  await expect(page.getByText('No effect now: only with adapter lora or blocks.')).toBeHidden();
  await page.keyboard.press('ArrowUp');

  await page.keyboard.press('Escape');
  await expect.poll(() => focused(page)).toBe('All settings');

  // The grid is run and stopped, then one cell is trained alone, then the rest.
  await tabTo(page, /^Run$/);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Stop' })).toBeEnabled();
  // Starting moves the focus to the charts; the form is just before them, and does not change after the first step.
  await expect(page.getByText(/step [1-9]\d* of 96/).first()).toBeVisible();
  await tabTo(page, /^Stop$/, 'Shift+Tab');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: /^Train erase/ })).toBeVisible();
  await fromTheTop(page);
  await tabTo(page, /^Train erase, seed 41, alone$/);
  await page.keyboard.press('Enter');
  const cells = page.getByRole('list', { name: 'Runs of this experiment' }).getByRole('listitem');
  await expect(cells.filter({ hasText: 'erase' })).toContainText('done', { timeout: 120_000 });
  await fromTheTop(page);
  await tabTo(page, /^Resume$/);
  await page.keyboard.press('Enter');
  await waitForTable(page);

  // A column is added to the table, and explains itself.
  await fromTheTop(page);
  await tabTo(page, /^Columns$/);
  await page.keyboard.press('Enter');
  await tabTo(page, /^hack, last 5 steps$/);
  await page.keyboard.press('Space');
  await page.keyboard.press('Escape');
  await fromTheTop(page);
  await tabTo(page, /About hack, last 5 steps$/);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: 'About hack, last 5 steps' })).toContainText(
    'last five training steps',
  );
  await page.keyboard.press('Escape');

  // A chart's point leads to its rollouts.
  const hack = page.getByTestId('chart-hack');
  await expect(hack.locator('svg.recharts-surface')).toBeVisible();
  await fromTheTop(page);
  for (let i = 0; i < 300 && !(await hack.locator('svg:focus').count()); i++) await page.keyboard.press('Tab');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await expect(hack.locator('.hover')).toContainText('Enter opens');
  await page.keyboard.press('Enter');
  await expect(section(page, 'Rollouts').getByRole('heading', { name: 'Rollouts' })).toBeFocused();

  // A link is copied, and files are exported and imported.
  await fromTheTop(page);
  await tabTo(page, /^Share$/);
  await page.keyboard.press('Enter');
  await expect(page.getByText(/^Link copied/)).toBeVisible();
  await fromTheTop(page);
  await tabTo(page, /^JSON$/);
  const arriving = page.waitForEvent('download');
  await page.keyboard.press('Enter');
  expect(JSON.parse(await readFile(await (await arriving).path(), 'utf8')).runs).toHaveLength(2);
  // Everything that can be dropped on the page can also be chosen by a button.
  for (const [view, button] of [
    [/^Data$/, /^Import a pool$/],
    [/^Bases and pairs$/, /^Choose a file$/],
    [/^Runs$/, /^Import a run$/],
  ]) {
    await fromTheTop(page);
    await tabTo(page, /^Library$/);
    await page.keyboard.press('Enter');
    await tabTo(page, view);
    await page.keyboard.press('Enter');
    await tabTo(page, button);
    // A browser may ignore a file picker that follows another at once, so the key is pressed again.
    await expect(async () => {
      const asking = page.waitForEvent('filechooser', { timeout: 2_000 });
      await page.keyboard.press('Enter');
      await (await asking).setFiles([]);
    }).toPass({ timeout: 60_000 });
  }
  await expect(keptRuns(page)).toHaveCount(1);

  // Two runs are compared.
  await fromTheTop(page);
  await tabTo(page, /^Findings$/);
  await page.keyboard.press('Enter');
  await tabTo(page, /^Compare$/);
  await page.keyboard.press('Enter');
  await expect(section(page, 'Compare')).toBeVisible();
  for (const arm of [/^vanilla/, /^erase/]) {
    await tabTo(page, arm);
    await page.keyboard.press('Space');
  }
  await expect(page.getByRole('table')).toContainText('hack, final evaluation');
});
