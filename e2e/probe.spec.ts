// The cosine probe in the page: its estimate; a tiny probe by the embedded teacher, stopped and resumed; its training, verdicts and charts; its
// entry among the kept runs; and its export as a file and as a link, which another profile reads.
import { readFile } from 'node:fs/promises';
import { expect, type Page, test } from '@playwright/test';
import { gunzipSync, unzipSync } from 'fflate';
import { CHECKS } from '../src/experiments/kinds/probe/types.ts';
import { addressOf, dropFile, expectNoSidewaysScroll, keptRuns, section, tinySpec, toView } from './lab-page.ts';

const PROBLEMS = 4;
const SAMPLES = 4;
/** Timeout of a training or a replay on a busy machine. */
const LONG = { timeout: 240_000 };

async function open(page: Page): Promise<void> {
  await page.goto((await addressOf(tinySpec('cpu'))).replace('#', '?view=probe#'));
  await expect(page.getByRole('button', { name: 'Run the probe' })).toBeEnabled();
}
const form = (page: Page) => page.getByRole('form', { name: 'Probe' });
const kept = (page: Page) => page.getByRole('table', { name: 'Kept probes' }).locator('tbody');
const verdict = (page: Page, id: string) => page.getByTestId(`verdict-${id}`);

test('shows the probes that are published with this build, a table each', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await open(page);
  const published = section(page, 'Published probes');
  const one = published.getByRole('group').first();
  await one.locator('summary').click();
  for (const id of CHECKS)
    await expect(one.getByRole('row', { name: new RegExp(`^${id} `) })).toHaveText(/(holds|fails|open) \d: |not run/);
  await expect(one).toContainText('npm run lab -- probe');
  await expectNoSidewaysScroll(page);
});

test('a probe runs, is stopped and resumed, trains, shows its verdicts, and is shared as a file and as a link', async ({
  page,
  browser,
}) => {
  // The test makes and trains many small models.
  test.setTimeout(900_000);
  const missing: string[] = [];
  page.on('response', (response) => {
    if (response.status() >= 400) missing.push(`${response.status()} ${response.url()}`);
  });
  await open(page);
  await expect(form(page).getByLabel('Pool')).toHaveValue('onnx');
  await expect(page.getByTestId('probe-cost')).toContainText(/464 gradients of single completions, about .* on CPU/);
  await form(page).getByLabel('Problems', { exact: true }).fill(String(PROBLEMS));
  await form(page).getByLabel('Samples', { exact: true }).fill(String(SAMPLES));
  await expect(page.getByRole('button', { name: 'Run the probe' })).toBeEnabled();
  await form(page).getByLabel('Pool').selectOption('templates');
  await form(page).getByLabel('Solving hacks').fill('5');
  await expect(form(page)).toContainText('At most the 4 samples of a problem.');
  await expect(page.getByRole('button', { name: 'Run the probe' })).toBeDisabled();
  await form(page).getByLabel('Pool').selectOption('onnx');
  await expect(page.getByTestId('probe-cost')).toContainText('8 steps, 176 gradients');

  await page.getByRole('button', { name: 'Run the probe' }).click();
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  const half = kept(page).first();
  await expect(half.locator('[data-label=Steps]')).toHaveText(/^\d of 8$/);
  await half.getByRole('button', { name: /^Resume/ }).click();
  await expect(section(page, 'Verdicts')).toBeVisible(LONG);
  await expect(section(page, 'Verdicts')).toContainText('16 samples of 4 problems, tiny-hacker');
  // Reading the teacher's model requests no missing file.
  expect(missing).toEqual([]);
  for (const id of CHECKS) await expect(verdict(page, id)).toBeVisible();
  await expect(verdict(page, 'T1')).toContainText(/exploited \d+\.\d % of 16/);
  await expect(verdict(page, 'T2')).toContainText('16 of 16 rows');
  await expect(verdict(page, 'T3')).toContainText('holds');
  // At most sixteen samples in both buckets are too few.
  await expect(verdict(page, 'T4')).toContainText('open');
  await expect(verdict(page, 'T5')).toContainText('not run');

  const scatter = page.getByTestId('probe-scatter');
  // The score is no cosine but a sum over the modules with an axis, bounded by the root of their number; the noise floor may remove a module's last
  // axis.
  await expect(scatter).toContainText(/cos_S_contrib \(at most 5\.(29|20)\)/);
  await expect(scatter.locator('svg.picture title')).toHaveCount(PROBLEMS * SAMPLES);
  await expect(page.getByTestId('probe-steps').locator('svg.picture title')).toHaveCount(2 * PROBLEMS);
  await expect(page.getByRole('region', { name: 'Mean cosine by layer and module' }).locator('tbody td')).toHaveCount(
    28,
  );

  // T5 is trained here, stopped and resumed, and then shown in the table with its charts.
  const trainings = section(page, 'Training runs');
  await trainings.getByLabel('Steps').fill('1');
  await expect(trainings.locator('code').first()).toHaveText(
    'npm run lab -- probe --problems 4 --samples 4 --seed 41 --trajectory 1',
  );
  await trainings.getByRole('button', { name: 'Train T5', exact: true }).click();
  await page.getByRole('button', { name: 'Stop the training' }).click();
  await expect(kept(page).first()).toContainText('T5 stopped', LONG);
  await kept(page)
    .first()
    .getByRole('button', { name: /^Resume/ })
    .click();
  await expect(verdict(page, 'T5')).toContainText('open', LONG);
  await expect(verdict(page, 'T5')).toContainText('The teacher’s rows are the probe’s own pool, for 4 of 4 problems.');
  await expect(page.getByTestId('probe-rates')).toBeVisible();
  await expect(page.getByTestId('probe-overlap')).toBeVisible();
  await expect(page.getByRole('region', { name: /^Policy ratios/ }).locator('tbody tr')).toHaveCount(9);

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
  await section(page, 'Verdicts').getByRole('button', { name: 'Share', exact: true }).click();
  await expect(
    page.getByText(/Link copied: .* with what was asked and its verdicts, steps and samples\./),
  ).toBeVisible();
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

  // The probe is among the kept runs, where it is named, tagged, found and opened.
  await toView(page, 'kept');
  const listed = keptRuns(page);
  await listed.getByRole('button', { name: /^Name and tags/ }).click();
  const words = page.getByRole('form', { name: 'Name, tags and note' });
  await words.getByLabel('Name').fill('first probe');
  await words.getByLabel('Tags, with commas between').fill('gate');
  await words.getByRole('button', { name: 'Save' }).click();
  await expect(listed).toContainText('first probe');
  await page.getByLabel('Kind').selectOption('run');
  await expect(listed).toHaveCount(0);
  await page.getByLabel('Kind').selectOption('probe');
  await page.getByRole('combobox', { name: 'Tag' }).selectOption('gate');
  await listed.getByRole('button', { name: /^Show first probe/ }).click();
  await expect(section(page, 'Verdicts')).toBeVisible();
  // Its address opens it after a reload, and the page's Share button copies the same link as its own button.
  await expect(page).toHaveURL(({ searchParams }) => searchParams.get('view') === 'probe' && searchParams.has('run'));
  await page.reload();
  await expect(section(page, 'Verdicts')).toBeVisible();
  await page.getByRole('banner').getByRole('button', { name: 'Share', exact: true }).click();
  await expect(page.getByText(/Link copied: .* with what was asked and its verdicts/).last()).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(link);
  const address = page.url();

  // A link shows the results elsewhere, marked as not run there; the file contains the samples too.
  const other = await browser.newContext({ viewport: { width: 390, height: 844 } });
  const fresh = await other.newPage();
  await fresh.goto(address);
  await expect(fresh.getByRole('region', { name: 'A probe that is not kept here' })).toContainText('Import its file');
  await expectNoSidewaysScroll(fresh);
  await fresh.goto(link);
  await expect(fresh.getByTestId('probe-reproduced')).toContainText('they were not measured here');
  const outcomes = async (of: Page) => Promise.all(CHECKS.map((id) => verdict(of, id).locator('.tag').textContent()));
  await expect.poll(() => outcomes(fresh)).toEqual(await outcomes(page));
  await expect(form(fresh).getByLabel('Problems', { exact: true })).toHaveValue(String(PROBLEMS));
  await expect(form(fresh).getByLabel('Pool')).toHaveValue('onnx');
  await expect(fresh.getByRole('button', { name: 'Run the probe' })).toBeEnabled(LONG);
  await expectNoSidewaysScroll(fresh);
  await section(fresh, 'Results in the link').getByRole('button', { name: 'Dismiss' }).click();
  await dropFile(fresh, 'theirs.zip', zip.bytes);
  await expect(section(fresh, 'Verdicts')).toContainText('theirs.zip: 16 samples of 4 problems');
  await expect.poll(() => outcomes(fresh)).toEqual(await outcomes(page));
  await expectNoSidewaysScroll(fresh);
  await kept(fresh)
    .first()
    .getByRole('button', { name: /^Delete/ })
    .click();
  await expect(kept(fresh)).toHaveCount(0);
  await expect(section(fresh, 'Verdicts')).toHaveCount(0);
  await fresh.getByRole('button', { name: 'Undo' }).click();
  await expect(kept(fresh)).toHaveCount(1);
  await other.close();
});
