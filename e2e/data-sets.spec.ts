// A user's data set on the page: its first rows are shown before anything is kept, columns are mapped to fields, and it becomes problems that a
// run trains on, or a teacher pool. A row that cannot be read is named.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { expect, type Page, test } from '@playwright/test';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { customEnvironmentId } from '../src/environments/custom/presentation.ts';
import { parseExperimentSpec } from '../src/experiments/config/spec.ts';
import { addAxe, addressOf, downloaded, expectNoSidewaysScroll, ready, section, waitForTable } from './lab-page.ts';

const rows = Array.from({ length: 8 }, (_, i) => i);
const PARQUET = Buffer.from(
  parquetWriteBuffer({
    columnData: [
      { name: 'question', type: 'STRING', data: rows.map((i) => `What is ${i} + 1?`) },
      { name: 'info', type: 'JSON', data: rows.map((i) => ({ truth: `So it is.\n#### ${i + 1}` })) },
      { name: 'level', type: 'INT32', data: rows },
    ],
  }),
);

async function openSet(page: Page, name: string, buffer: Buffer) {
  const panel = section(page, 'Data sets');
  await panel.getByLabel('Data set', { exact: true }).first().setInputFiles({ name, mimeType: 'text/plain', buffer });
  return panel;
}

test('a Parquet file is shown, mapped, kept as problems, and trained on', async ({ page }) => {
  await page.goto('./?view=problems');
  const panel = await openSet(page, 'sums.parquet', PARQUET);
  await expect(panel.getByRole('table', { name: 'First rows', exact: true })).toContainText('What is 4 + 1?');
  await expect(panel).toContainText('8 rows · 3 columns');
  const keep = panel.getByRole('button', { name: 'Keep as problems' });
  await expect(keep).toBeDisabled();
  await expect(panel).toContainText('Choose a column for prompt, answer.');
  await panel.getByLabel('prompt (needed)').selectOption('question');
  await panel.getByLabel('answer (needed)').selectOption('info.truth');
  const asRead = panel.getByRole('table', { name: 'First rows as they are read' });
  await expect(asRead).toContainText('prompt ← question');
  await expect(asRead).toContainText('So it is. #### 5');
  await expect(panel).toContainText('Nothing takes level.');
  if (process.env.SHOT) await panel.screenshot({ path: process.env.SHOT });
  await page.setViewportSize({ width: 390, height: 800 });
  await expectNoSidewaysScroll(page);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await addAxe(page);
    const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
    expect(violations.map(({ id, nodes }) => `${colorScheme}: ${id} at ${nodes[0].target}`)).toEqual([]);
  }
  await page.setViewportSize({ width: 1280, height: 900 });

  await panel.getByLabel('Paid by another check (JSON)').fill('{"kind": "regex", "pattern": "[0-9"}');
  await keep.click();
  await expect(panel.getByRole('alert')).toContainText('checks[0].flawed.pattern');
  await panel.getByLabel('Paid by another check (JSON)').fill('{"kind": "regex", "pattern": "[0-9]"}');
  await keep.click();
  const entry = section(page, 'Real problems').getByRole('listitem').filter({ hasText: 'sums.jsonl' });
  await expect(entry).toContainText('8 problems · 8 checks');
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    entry.getByRole('button', { name: 'Download sums.jsonl' }).click(),
  ]);
  const text = await readFile(await saved.path(), 'utf8');
  const [first] = text.split('\n');
  expect(JSON.parse(first)).toMatchObject({ prompt: 'What is 0 + 1?', checks: [{ true: { value: '1' } }] });

  await entry.getByRole('button', { name: 'Use sums.jsonl' }).click();
  await expect(entry).toContainText('next experiment’s problems');
  const environment = customEnvironmentId(createHash('sha256').update(text).digest('hex'));
  const overrides = { environment, steps: 1, maxNew: 16, evalEvery: 0, finalEvalProblems: 2 };
  await page.goto(
    await addressOf(parseExperimentSpec({ preset: 'smoke', arms: ['none'], seeds: [41], overrides, device: 'cpu' })),
  );
  await page.reload();
  await ready(page);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await waitForTable(page);
  const { runs } = await downloaded(page);
  expect(runs).toMatchObject([{ status: 'done', spec: { environment } }]);
});

test('an address that names missing problems is refused with their name', async ({ page }) => {
  const overrides = { environment: customEnvironmentId('0'.repeat(64)) };
  const spec = parseExperimentSpec({ preset: 'smoke', arms: ['none'], seeds: [41], overrides, device: 'cpu' });
  await page.goto(await addressOf(spec));
  await expect(page.getByText('Import that file of problems with checks under Library, Data.').first()).toBeVisible();
});

test('a teacher pool is made of JSON lines, and a row that cannot be read is named', async ({ page }) => {
  await page.goto('./?view=problems');
  const line = (i: number, reward: unknown) =>
    JSON.stringify({
      problem_id: `p${i}`,
      prompt: 'def f(x):',
      text: 'return x',
      score: reward,
      passed: true,
      exploited: false,
    });
  const panel = await openSet(page, 'rows.jsonl', Buffer.from([line(1, 1), line(2, null)].join('\n')));
  await panel.getByLabel('The rows become').selectOption('A teacher pool');
  await panel.getByLabel('completion (needed)').selectOption('text');
  await panel.getByLabel('reward (needed)').selectOption('score');
  await panel.getByRole('button', { name: 'Keep as a pool' }).click();
  await expect(panel.getByRole('alert')).toContainText('rows.jsonl: row 2: reward');
  await panel.getByLabel('Leave out rows in which a needed field is null').check();
  await panel.getByRole('button', { name: 'Keep as a pool' }).click();
  await expect(section(page, 'Teacher pools')).toContainText('1 rows for 1 prompts');

  // A Parquet file that is dropped anywhere on the page is opened in this view.
  const given = await page.evaluateHandle(
    (bytes) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([new Uint8Array(bytes)], 'dropped.parquet'));
      return transfer;
    },
    [...PARQUET],
  );
  await page.dispatchEvent('body', 'drop', { dataTransfer: given });
  await expect(panel).toContainText('dropped.parquet');

  await openSet(page, 'notes.txt', Buffer.from('no table'));
  await expect(panel.getByRole('alert')).toContainText('notes.txt is a text file, and no table of rows.');
});
