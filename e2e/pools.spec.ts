// A teacher pool written by a model: it is built in the page, exported, imported into another profile, and used by a run there, whose rollouts
// name its source. A link that names the pool is refused where the pool is not kept.
import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { expect, type Page, test } from '@playwright/test';
import { parseExperimentSpec } from '../src/experiments/config/spec.ts';
import { addressOf, allSettings, closeSettings, dropFile, ready, section, toView, waitForTable } from './lab-page.ts';

/** One step over eight problems, four of them hackable, with two teacher rows in each group. */
const overrides = {
  steps: 1,
  problems: 8,
  promptsPerStep: 4,
  mix: 0.5,
  evalEvery: 0,
  finalEvalProblems: 4,
  pairs: 8,
  k: 2,
};
const spec = (teacherPool = '') =>
  parseExperimentSpec({
    preset: 'smoke',
    arms: ['none'],
    seeds: [41],
    overrides: { ...overrides, teacherPool },
    device: 'cpu',
  });

async function open(page: Page): Promise<void> {
  await page.goto(await addressOf(spec()));
  await ready(page);
}
const pools = (page: Page) => page.getByRole('list', { name: 'Kept teacher pools' }).getByRole('listitem');

test('a pool that the model wrote is exported as a file, and teaches a run in another profile', async ({
  page,
  browser,
}) => {
  await open(page);
  await toView(page, 'pools');
  const teachers = section(page, 'Teacher pools');
  await teachers.getByRole('button', { name: 'Build a pool' }).click();
  const form = teachers.getByRole('form', { name: 'Build a pool' });
  await form.getByRole('button', { name: 'As in the form' }).click();
  await expect(form.getByLabel('Problems', { exact: true })).toHaveValue('8');
  await form.getByLabel('Rows per problem').fill('2');
  await form.getByRole('button', { name: 'Build', exact: true }).click();
  await expect(page.getByText('A teacher pool of 8 rows for 4 prompts was built.')).toBeVisible();
  await expect(form).toBeHidden();
  const built = pools(page).first();
  await expect(built).toContainText('tiny-coder as it is');
  await expect(built).toContainText('8 rows for 4 prompts');
  await expect(built).toContainText('8 with log-probabilities');

  // A long build is cancelled, and nothing of it is kept.
  await teachers.getByRole('button', { name: 'Build a pool' }).click();
  await form.getByLabel('Rows per problem').fill('64');
  await form.getByRole('button', { name: 'Build', exact: true }).click();
  await expect(form.getByRole('progressbar')).toBeVisible();
  await form.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByText('The pool was not built: it was stopped.')).toBeVisible();
  await expect(pools(page)).toHaveCount(1);

  const arriving = page.waitForEvent('download');
  await built.getByRole('combobox', { name: /^Export/ }).selectOption('jsonl.gz');
  const file = await readFile(await (await arriving).path());
  const rows = gunzipSync(file)
    .toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(rows).toHaveLength(8);
  expect(rows[0].logprobs).toHaveLength(rows[0].completion_ids.length);

  const other = await browser.newContext();
  const fresh = await other.newPage();
  await open(fresh);
  await toView(fresh, 'pools');
  await dropFile(fresh, 'written.jsonl.gz', file);
  const imported = pools(fresh).first();
  await expect(imported).toContainText('written.jsonl.gz');
  await imported.getByRole('button', { name: 'Use written.jsonl.gz' }).click();
  await expect(imported).toContainText('next run’s teacher');
  const hash = await imported.locator('.mono').getAttribute('title');
  await toView(fresh, 'lab');
  await fresh.getByRole('button', { name: 'Run', exact: true }).click();
  await waitForTable(fresh);
  const rollouts = section(fresh, 'Rollouts');
  await expect(rollouts).toContainText('Teacher rows come from the pool “written.jsonl.gz”');
  await expect(rollouts).toContainText('8 rows for 4 of 4 problems; 8 with the teacher’s log-probabilities');
  await rollouts.getByLabel('Source').selectOption('teacher');
  const answers = rollouts.getByRole('article').first();
  await expect(answers.locator('.answer').first()).toContainText('teacher');
  await expect(answers.locator('.answer').filter({ hasText: 'student' })).toHaveCount(0);
  const texts = await answers.locator('.completion').allTextContents();
  const known = rows.map((row) => row.completion.replace(/\s/g, ''));
  expect(texts.length).toBeGreaterThan(0);
  for (const text of texts) expect(known).toContain(text.replace(/\s/g, ''));

  // The form of that page now carries the pool's hash; a third profile has no such pool.
  const third = await browser.newContext();
  const bare = await third.newPage();
  await bare.goto(await addressOf(spec(hash ?? '')));
  const sheet = await allSettings(bare);
  await sheet.getByRole('searchbox').fill('teacher pool');
  await expect(sheet.getByLabel('Teacher pool', { exact: true }).locator('option:checked')).toContainText(
    'not kept here',
  );
  await closeSettings(bare);
  await expect(bare.getByRole('alert').first()).toContainText(
    `The teacher pool ${hash?.slice(0, 18)}… is not kept here, and no link carries it.`,
  );
  await expect(bare.getByRole('button', { name: 'Run', exact: true })).toBeDisabled();
  await third.close();
  await other.close();
});
