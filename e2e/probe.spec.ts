// The cosine probe in the page: its price, a tiny one stopped and gone on with, the verdicts, the charts, the files it leaves as,
// and another profile that reads them.
import { readFile } from 'node:fs/promises';
import { expect, type Page, test } from '@playwright/test';
import { gunzipSync, unzipSync } from 'fflate';
import { CHECKS } from '../src/experiments/probe/types.ts';
import { addressOf, dropFile, expectNoSidewaysScroll, section, tinySpec } from './lab-page.ts';

const PROBLEMS = 4;
const SAMPLES = 4;

async function open(page: Page): Promise<void> {
  await page.goto((await addressOf(tinySpec('cpu'))).replace('#', '?view=probe#'));
  await expect(page.getByRole('button', { name: 'Run the probe' })).toBeEnabled();
}
const form = (page: Page) => page.getByRole('form', { name: 'Probe' });
const kept = (page: Page) => page.getByRole('list', { name: 'Kept probes' }).getByRole('listitem');
const verdict = (page: Page, id: string) => page.getByTestId(`verdict-${id}`);

test('a probe runs, is stopped and resumed, says its verdicts, and travels as a file', async ({ page, browser }) => {
  await open(page);
  await expect(page.getByTestId('probe-cost')).toContainText(/464 gradients of single completions, about .* on CPU/);
  await form(page).getByLabel('Problems', { exact: true }).fill(String(PROBLEMS));
  await form(page).getByLabel('Samples', { exact: true }).fill(String(SAMPLES));
  await expect(page.getByRole('button', { name: 'Run the probe' })).toBeEnabled();
  await form(page).getByLabel('Right bodies').fill('5');
  await expect(form(page)).toContainText('At most the 4 samples of a problem.');
  await expect(page.getByRole('button', { name: 'Run the probe' })).toBeDisabled();
  await form(page).getByLabel('Right bodies').fill('2');
  await expect(page.getByTestId('probe-cost')).toContainText('8 steps, 176 gradients');

  await page.getByRole('button', { name: 'Run the probe' }).click();
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  const half = kept(page).first();
  await expect(half).toContainText(/\d of 8 steps/);
  await half.getByRole('button', { name: /^Resume/ }).click();
  await expect(section(page, 'Verdicts')).toBeVisible();
  for (const id of CHECKS) await expect(verdict(page, id)).toBeVisible();
  await expect(verdict(page, 'T1')).toContainText(/exploited \d+\.\d % of 16/);
  await expect(verdict(page, 'T2')).toContainText('16 of 16 rows');
  await expect(verdict(page, 'T3')).toContainText('pass');
  // Eight samples a bucket are too few.
  await expect(verdict(page, 'T4')).toContainText('undecided');
  await expect(verdict(page, 'T5')).toContainText(
    'npm run lab -- probe --problems 4 --samples 4 --seed 41 --correct 2',
  );
  await expect(verdict(page, 'T6')).toContainText('--lora --trajectory 20');

  const scatter = page.getByTestId('probe-scatter');
  await expect(scatter.locator('svg.picture title')).toHaveCount(PROBLEMS * SAMPLES);
  await expect(page.getByTestId('probe-steps').locator('svg.picture title')).toHaveCount(2 * PROBLEMS);
  await expect(page.getByTestId('probe-heat').locator('tbody td')).toHaveCount(28);

  const saved = async (press: () => Promise<void>) => {
    const arriving = page.waitForEvent('download');
    await press();
    const download = await arriving;
    return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
  };
  const menu = async (kind: string) => {
    await scatter.getByRole('button', { name: 'Download Against length' }).click();
    await scatter.getByRole('button', { name: kind, exact: true }).click();
  };
  const csv = (await saved(() => menu('CSV'))).bytes.toString();
  expect(csv.trim().split('\r\n')).toHaveLength(1 + PROBLEMS * SAMPLES);
  const png = await saved(() => menu('PNG'));
  expect(png.name).toBe('probe-scatter.png');
  expect(png.bytes.subarray(1, 4).toString()).toBe('PNG');

  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await section(page, 'Verdicts').getByRole('button', { name: 'Copy the link' }).click();
  await expect(page.getByText('Link copied: opening it fills this form.')).toBeVisible();
  const link = await page.evaluate(() => navigator.clipboard.readText());

  const zip = await saved(() =>
    kept(page)
      .first()
      .getByRole('button', { name: /^Export/ })
      .click(),
  );
  const files = unzipSync(zip.bytes);
  const names = Object.keys(files).filter((name) => name.endsWith('.jsonl.gz'));
  expect(names).toHaveLength(2 * PROBLEMS);
  const rows = gunzipSync(Buffer.from(files['vanilla/step_001.jsonl.gz']));
  expect(new TextDecoder().decode(rows).trim().split('\n')).toHaveLength(SAMPLES);

  const other = await browser.newContext({ viewport: { width: 390, height: 844 } });
  const fresh = await other.newPage();
  await fresh.goto(link);
  await expect(form(fresh).getByLabel('Problems', { exact: true })).toHaveValue(String(PROBLEMS));
  await expect(form(fresh).getByLabel('Right bodies')).toHaveValue('2');
  await expect(fresh.getByRole('button', { name: 'Run the probe' })).toBeEnabled();
  await dropFile(fresh, 'theirs.zip', zip.bytes);
  await expect(section(fresh, 'Verdicts')).toContainText('theirs.zip: 16 samples of 4 problems');
  for (const id of CHECKS)
    expect(await verdict(fresh, id).locator('.tag').textContent()).toBe(
      await verdict(page, id).locator('.tag').textContent(),
    );
  await expectNoSidewaysScroll(fresh);
  await kept(fresh)
    .first()
    .getByRole('button', { name: /^Delete/ })
    .click();
  await expect(kept(fresh)).toHaveCount(0);
  await expect(section(fresh, 'Verdicts')).toHaveCount(0);
  await other.close();
});
