// Real problems in the page: a file is imported, checked in the sandboxed CPython and trained on; another file is refused with the number of the
// wrong line. Nothing of CPython is fetched before it is needed.
import { createHash } from 'node:crypto';
import { expect, type Page, test } from '@playwright/test';
import { leetcodeEnvironmentId } from '../src/environments/leetcode/presentation.ts';
import { PROBLEM_ROWS, problemLines } from '../src/environments/leetcode/testing/problem-lines.ts';
import { parseExperimentSpec } from '../src/experiments/config/spec.ts';
import { addAxe, addressOf, downloaded, expectNoSidewaysScroll, ready, section, waitForTable } from './lab-page.ts';

/** Prompts that the embedded model can read. */
const TEXT = problemLines(
  Array.from({ length: 4 }, (_, i) => ({
    ...PROBLEM_ROWS[i % 2],
    id: i,
    prompt: [{ role: 'user', content: 'Complete it; it is read and should pass all tests.' }],
  })),
);
const ENVIRONMENT = leetcodeEnvironmentId(createHash('sha256').update(TEXT).digest('hex'));

const importFile = (page: Page, name: string, text: string) =>
  page
    .getByLabel('Problem file', { exact: true })
    .setInputFiles({ name, mimeType: 'application/json', buffer: Buffer.from(text) });

test('a problem file is imported, checked, chosen and trained on', async ({ page }) => {
  const fetched: string[] = [];
  page.context().on('request', (request) => fetched.push(new URL(request.url()).pathname));
  const pyodide = () => fetched.filter((path) => /pyodide|python_stdlib/.test(path));
  await page.goto('./?view=problems');
  const panel = section(page, 'Real problems');
  await expect(panel).toContainText('No problem file kept yet');

  await importFile(page, 'bad.jsonl', `${problemLines([PROBLEM_ROWS[0]])}{"id": 2}\n`);
  await expect(panel.getByRole('alert')).toContainText('bad.jsonl:2');
  await importFile(page, 'four.jsonl', TEXT);
  const entry = panel.getByRole('listitem').filter({ hasText: 'four.jsonl' });
  await expect(entry).toContainText('4 problems · 20 tests');
  await expect(panel.getByRole('alert')).toHaveCount(0);
  expect(pyodide()).toEqual([]);

  await entry.getByRole('button', { name: 'Check four.jsonl' }).click();
  await expect(entry).toContainText('4 of 4 canonical solutions pass the strict oracle', { timeout: 240_000 });
  await expect(entry).toContainText('every exploit works under its own grade only');
  expect(pyodide().filter((path) => path.endsWith('.wasm')).length).toBe(1);

  await entry.getByRole('button', { name: 'Use four.jsonl' }).click();
  await expect(entry).toContainText('next experiment’s problems');
  await page.setViewportSize({ width: 390, height: 800 });
  await expectNoSidewaysScroll(page);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await addAxe(page);
    const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
    expect(violations.map(({ id, nodes }) => `${colorScheme}: ${id} at ${nodes[0].target}`)).toEqual([]);
  }
  await page.setViewportSize({ width: 1280, height: 900 });

  // The file is still there after a reload, and an address that names it can be run.
  const overrides = { environment: ENVIRONMENT, steps: 1, maxNew: 16, evalEvery: 0, finalEvalProblems: 2 };
  const spec = parseExperimentSpec({ preset: 'smoke', arms: ['none'], seeds: [41], overrides, device: 'cpu' });
  await page.goto(await addressOf(spec));
  await page.reload();
  await ready(page);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await waitForTable(page);
  const { runs } = await downloaded(page);
  expect(runs).toMatchObject([
    { status: 'done', spec: { environment: ENVIRONMENT }, graderVersion: 'grader-1+pyodide-314.0.7' },
  ]);
});

test('an address that names a missing file is refused with its name', async ({ page }) => {
  const overrides = { environment: leetcodeEnvironmentId('0'.repeat(64)) };
  const spec = parseExperimentSpec({ preset: 'smoke', arms: ['none'], seeds: [41], overrides, device: 'cpu' });
  await page.goto(await addressOf(spec));
  await expect(page.getByText('Import that file of real problems under Library, Data.').first()).toBeVisible();
});
