// Kept runs: a run is exported and imported into another profile; a run that was stopped, or interrupted by a reload, resumes to the same bytes;
// names, tags and changes of settings are shown; teacher pools are exported and imported as files.
import { readFile } from 'node:fs/promises';
import { type Browser, expect, type Page, test } from '@playwright/test';
import { zipSync } from 'fflate';
import { type ExperimentSpec, parseExperimentSpec } from '../src/experiments/config/spec.ts';
import type { RunRecord } from '../src/experiments/records/events.ts';
import { crc32, MANIFEST, parseJson, stringify, unzipChecked } from '../src/storage/run-archive.ts';
import { addressOf, downloaded, dropFile, keptRuns, ready, section, toView, waitForTable } from './lab-page.ts';

/** An experiment of enough steps to be interrupted in the middle, with a checkpoint after each. */
function longSpec(): ExperimentSpec {
  const overrides = { steps: 8, checkpointEvery: 1, evalEvery: 0, finalEvalProblems: 4, problems: 8, pairs: 8, k: 2 };
  return parseExperimentSpec({ preset: 'smoke', arms: ['route'], seeds: [41], overrides, device: 'cpu' });
}

async function open(page: Page, spec: ExperimentSpec): Promise<void> {
  await page.goto(await addressOf(spec));
  await ready(page);
}

const run = (page: Page) => page.getByRole('button', { name: 'Run', exact: true }).click();

/** Resolves once at least `step` steps have been logged. */
async function afterStep(page: Page, step: number): Promise<void> {
  await expect(page.getByText(new RegExp(`step [${step}-8] of 8`)).first()).toBeVisible({ timeout: 120_000 });
}

/** Returns what a run computed as text, without its times. */
const computed = (runs: RunRecord[]) => JSON.stringify(runs.map(({ id: _, rows, evals }) => ({ rows, evals })));

/** Runs the same experiment in its own profile without interruption, and returns what it computed. */
async function uninterrupted(browser: Browser): Promise<string> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await open(page, longSpec());
  await run(page);
  await waitForTable(page);
  const { runs } = await downloaded(page);
  await context.close();
  return computed(runs);
}

test('a reload in mid-run offers to resume, and a stop does too: both end with the bytes of an uninterrupted run', async ({
  page,
  browser,
}) => {
  const expected = await uninterrupted(browser);

  await open(page, longSpec());
  await run(page);
  await afterStep(page, 2);
  // Leaving the page during a run asks for confirmation; otherwise it does not.
  const dialogs: string[] = [];
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.type());
    void dialog.accept();
  });
  await page.reload();
  expect(dialogs).toEqual(['beforeunload']);
  await ready(page);
  await page.reload();
  expect(dialogs).toHaveLength(1);
  await ready(page);
  // The offer is the first element below the navigation.
  const offer = page.getByRole('region', { name: 'Interrupted run' });
  await expect(offer).toContainText('was interrupted');
  await expect(offer.getByRole('button', { name: 'Resume' })).toBeInViewport();
  const above = await page.evaluate(() => {
    const top = (selector: string) => document.querySelector(selector)!.getBoundingClientRect().top;
    return top('.resume-offer') < Math.min(top('.question-list'), top('form.configure'), top('#watch'));
  });
  expect(above).toBe(true);
  await toView(page, 'kept');
  await expect(keptRuns(page).first()).toContainText('interrupted');
  await toView(page, 'lab');
  await offer.getByRole('button', { name: 'Resume' }).click();
  await expect(offer).toBeHidden();
  await waitForTable(page);
  expect(computed((await downloaded(page)).runs)).toBe(expected);

  await run(page);
  await expect(page.getByRole('table')).toBeHidden();
  await afterStep(page, 2);
  await page.getByRole('button', { name: 'Stop' }).click();
  await toView(page, 'kept');
  await expect(keptRuns(page).first()).toContainText('stopped');
  await expect(offer).toBeHidden();
  await keptRuns(page)
    .first()
    .getByRole('button', { name: /^Resume/ })
    .click();
  await waitForTable(page);
  expect(computed((await downloaded(page)).runs)).toBe(expected);
  await toView(page, 'kept');
  await expect(keptRuns(page)).toHaveCount(2);
});

test('a named run is exported, and in a fresh profile it is the same run', async ({ page, browser }) => {
  const spec = parseExperimentSpec({ ...longSpec(), overrides: { ...longSpec().overrides, steps: 2 } });
  await open(page, spec);
  await run(page);
  await waitForTable(page);
  const before = await downloaded(page);

  await toView(page, 'kept');
  const row = keptRuns(page).first();
  await row.getByRole('button', { name: /^Name and tags/ }).click();
  const words = row.getByRole('form', { name: 'Name, tags and note' });
  await words.getByLabel('Name').fill('First light');
  await words.getByLabel('Tags').fill('paper, cpu');
  await words.getByLabel('Note').fill('Two steps only.');
  await words.getByRole('button', { name: 'Save' }).click();
  await expect(words).toBeHidden();
  await expect(row).toContainText('First light');
  const arriving = page.waitForEvent('download');
  await row.getByRole('button', { name: /^Export First light/ }).click();
  const archive = await arriving;
  expect(archive.suggestedFilename()).toMatch(/^First-light-.*\.zip$/);
  const zip = await readFile(await archive.path());

  const other = await browser.newContext();
  const fresh = await other.newPage();
  await fresh.goto('./');
  await ready(fresh);
  await toView(fresh, 'kept');
  await expect(keptRuns(fresh)).toHaveCount(0);
  await dropFile(fresh, 'cut.zip', zip.subarray(0, zip.length - 50));
  await expect(fresh.getByRole('alert')).toContainText('cut.zip');
  await fresh.getByRole('alert').getByRole('button', { name: 'Close' }).click();
  await dropFile(fresh, 'run.zip', zip);
  await expect(fresh.getByText('“First light” was imported.')).toBeVisible();
  const imported = keptRuns(fresh).first();
  await expect(imported).toContainText('paper');
  await expect(imported).toContainText('Two steps only.');
  await imported.getByRole('button', { name: /^Open/ }).click();
  await expect(fresh.getByRole('table')).toBeVisible();
  // The date of the first page is its own, taken a moment before the record's.
  expect(await downloaded(fresh)).toEqual({ ...before, createdAt: expect.any(Number) });
  await expect(section(fresh, 'Rollouts').getByText('student').first()).toBeVisible();
  // A second export gives the same file, so nothing was lost.
  await toView(fresh, 'kept');
  const second = fresh.waitForEvent('download');
  await imported.getByRole('button', { name: /^Export/ }).click();
  expect((await readFile(await (await second).path())).equals(zip)).toBe(true);

  // A second run with another rate is made here, found by text, and compared with the first.
  await fresh.reload();
  await expect(keptRuns(fresh)).toHaveCount(1);
  await open(fresh, parseExperimentSpec({ ...spec, overrides: { ...spec.overrides, lr: 0.01 } }));
  await run(fresh);
  await waitForTable(fresh);
  await toView(fresh, 'kept');
  await expect(keptRuns(fresh)).toHaveCount(2);
  await keptRuns(fresh)
    .first()
    .getByRole('button', { name: /^What changed/ })
    .click();
  const changes = keptRuns(fresh).first().getByRole('table');
  await expect(changes.getByRole('row')).toHaveCount(2);
  await expect(changes.getByRole('row').last()).toContainText('Learning rate0.030.01');
  await section(fresh, 'Kept runs').getByLabel('Find').fill('light');
  await expect(keptRuns(fresh)).toHaveCount(1);
  await keptRuns(fresh)
    .first()
    .getByRole('button', { name: /^Delete/ })
    .click();
  await expect(keptRuns(fresh)).toHaveCount(0);
  await fresh.getByRole('button', { name: 'Undo' }).click();
  await expect(keptRuns(fresh).first()).toContainText('First light');
  // After the notice is gone, the list of deleted runs can still restore it, until the page is closed.
  await keptRuns(fresh)
    .first()
    .getByRole('button', { name: /^Delete/ })
    .click();
  await fresh.locator('.notices').getByRole('button', { name: 'Close' }).last().click();
  const deleted = fresh.getByTestId('deleted');
  await deleted.locator('summary').click();
  await deleted.getByRole('button', { name: 'Remove for good' }).click();
  const question = fresh.getByRole('dialog', { name: 'Remove for good?' });
  await expect(question).toContainText('1 deleted entry');
  await question.getByRole('button', { name: 'Cancel' }).click();
  await deleted.getByRole('button', { name: 'Restore First light' }).click();
  await expect(keptRuns(fresh).first()).toContainText('First light');
  await expect(deleted).toBeHidden();
  // Another run is deleted and the page closed: then the deletion is final, and the next page does not have the run.
  await section(fresh, 'Kept runs').getByLabel('Find').fill('');
  await expect(keptRuns(fresh)).toHaveCount(2);
  await keptRuns(fresh)
    .filter({ hasNotText: 'First light' })
    .getByRole('button', { name: /^Delete/ })
    .click();
  await fresh.reload();
  await expect(keptRuns(fresh)).toHaveCount(1);
  await expect(keptRuns(fresh).first()).toContainText('First light');

  // The pool that the run built shows its counts and rows, and is exported and imported as files.
  await toView(fresh, 'pools');
  const pools = fresh.getByRole('list', { name: 'Kept teacher pools' }).getByRole('listitem');
  await expect(pools).toHaveCount(1);
  await expect(pools.first()).toContainText(/\d+ rows for \d+ prompts/);
  await pools
    .first()
    .getByRole('button', { name: /^Rows of/ })
    .click();
  await pools.first().locator('details').first().locator('summary').click();
  await expect(pools.first().getByText('exploited').first()).toBeVisible();
  const poolFile = fresh.waitForEvent('download');
  await pools
    .first()
    .getByRole('combobox', { name: /^Export/ })
    .selectOption('jsonl.gz');
  const packed = await readFile(await (await poolFile).path());
  await dropFile(fresh, 'pool.jsonl.gz', packed);
  await expect(pools).toHaveCount(2);
  await expect(pools.filter({ hasText: 'pool.jsonl.gz' })).toContainText('from a file');
  await dropFile(fresh, 'bad.jsonl', Buffer.from('{"problem_id": 1}\n'));
  await expect(fresh.getByRole('alert')).toContainText('bad.jsonl: line 1');
  await fresh.getByRole('alert').getByRole('button', { name: 'Close' }).click();

  // The same run is imported as if it had taken ten minutes, so that deleting it asks for confirmation.
  await toView(fresh, 'kept');
  await keptRuns(fresh)
    .first()
    .getByRole('button', { name: /^Delete/ })
    .click();
  await expect(keptRuns(fresh)).toHaveCount(0);
  await fresh.reload();
  // When the foot names the model, the page has read its kept runs and listens to drops.
  await expect(fresh.getByRole('contentinfo')).toContainText('Student:');
  await expect(keptRuns(fresh)).toHaveCount(0);
  await dropFile(fresh, 'long.zip', lasting(zip, 600));
  await expect(keptRuns(fresh)).toHaveCount(1);
  const remove = keptRuns(fresh)
    .first()
    .getByRole('button', { name: /^Delete/ });
  await remove.click();
  const confirmation = fresh.getByRole('dialog', { name: /^Delete .*First light/ });
  await expect(confirmation).toContainText('It took 10 min to compute.');
  await confirmation.getByRole('button', { name: 'Cancel' }).click();
  await expect(keptRuns(fresh)).toHaveCount(1);
  await remove.click();
  await confirmation.getByRole('button', { name: 'Delete', exact: true }).click();
  await expect(keptRuns(fresh)).toHaveCount(0);

  // Deleting everything asks for confirmation, and leaves nothing.
  await toView(fresh, 'device');
  await fresh.getByRole('button', { name: 'Delete everything' }).click();
  const everything = fresh.getByRole('dialog', { name: 'Delete everything?' });
  await everything.getByRole('button', { name: 'Delete everything' }).click();
  await expect(everything).toBeHidden();
  await expect(section(fresh, 'Storage')).toContainText('0 experiments, 0 bases, 0 teacher pools');
  await other.close();
});

/** Changes an exported run so that its steps took `seconds` in all. */
function lasting(zip: Uint8Array, seconds: number): Uint8Array {
  const files = Object.fromEntries(unzipChecked(new Uint8Array(zip), 'run.zip'));
  const text = (value: unknown) => new TextEncoder().encode(stringify(value));
  const name = 'runs/0/run.json';
  const run = parseJson(files[name], name) as { timings: { total: number }[] };
  for (const timing of run.timings) timing.total = seconds / run.timings.length;
  const manifest = parseJson(files[MANIFEST], MANIFEST) as object;
  delete files[MANIFEST];
  files[name] = text(run);
  const listed = Object.entries(files).map(([name, c]) => ({ name, bytes: c.length, crc32: crc32(c) }));
  return zipSync({ ...files, [MANIFEST]: text({ ...manifest, files: listed }) });
}
