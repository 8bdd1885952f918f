// The questions view as a visitor has it: what is published with this build, or nothing; made-up results that are shown whole,
// opened, and followed into the lab; and the cost of what is missing before it is run.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, type Page, test } from '@playwright/test';
import { QUESTIONS } from '../research/series/study/questions/index.ts';
import { madeRuns } from '../src/experiments/testing/study-runs.ts';
import { readSheet } from '../src/findings/sheet.ts';
import { decodeShare } from '../src/share/url.ts';
import { expectNoSidewaysScroll, section, toView, withoutWorker } from './lab-page.ts';
import { publish } from './study-made.ts';

const card = (page: Page, id: string) => page.locator(`details#${id}`);

/** What an open card has folded, beside what was found and its picture. */
const unfold = (page: Page, part: 'statistics' | 'source' | 'runs', id: string) =>
  page.getByTestId(`${part}-${id}`).locator('summary').first().click();

/** All verdicts are written. */
async function judged(page: Page): Promise<void> {
  await expect(page.getByText('reading …')).toHaveCount(0);
  await expect(card(page, 'H1')).toBeVisible();
}

test('shows what is published with this build, or says of everything that it is not run', async ({ page }) => {
  await withoutWorker(page);
  const rows: string[] = [];
  page.on('request', (request) => {
    if (/results\/q\d+\.json\.gz$/.test(request.url())) rows.push(request.url());
  });
  await page.goto('./?view=questions');
  await judged(page);
  await expect(page.locator('#stem-Q8')).toContainText('2 cards');
  // A picture before any prose.
  await expect(page.getByRole('list', { name: 'Verdicts of these questions' })).toBeInViewport({ ratio: 1 });
  for (const { id, title } of QUESTIONS) await expect(card(page, id)).toContainText(title);
  const about = (await page.getByTestId('provenance').textContent()) ?? '';
  if (about.includes('No run has been published')) {
    await expect(card(page, 'Q2')).toContainText('not run');
    await expect(card(page, 'H1')).toContainText('not run');
  } else {
    expect(about).toMatch(/^\d+ runs\. Device: /);
    // First what a reader must ask, by the same rows.
    await expect(page.getByTestId('first')).toContainText(/Template-bound\. \d+% of the teacher’s rows/, {
      timeout: 60_000,
    });
    // The verdicts came without the rows; a question's rows come when it is opened, and then its curves and runs.
    expect(rows).toEqual([]);
    await card(page, 'Q2').locator('summary').first().click();
    await expect(page.getByTestId('curves-Q2').getByRole('img').first()).toBeVisible();
    expect(rows.length).toBeGreaterThan(0);
    await expect(page.getByTestId('curves-Q2').locator('path.band').first()).toHaveAttribute('d', /^M.*Z$/);
    await unfold(page, 'runs', 'Q2');
    await card(page, 'Q2')
      .getByRole('button', { name: /seed \d+$/ })
      .first()
      .click();
    await expect(page.getByTestId('run-panel').getByRole('table')).toBeVisible();
    await expect(page.getByTestId('run-panel').getByRole('heading', { level: 3 }).first()).toBeInViewport();
    // A long table folds.
    await card(page, 'Q20').locator('summary').first().click();
    await unfold(page, 'statistics', 'Q20');
    const long = page.getByRole('region', { name: 'Table of Q20' }).getByRole('table');
    await expect(long.getByRole('row')).toHaveCount(1 + 5 + 10);
    await long.getByRole('button', { name: /draw 12/ }).click();
    await expect(long.getByRole('row')).toHaveCount(1 + 5 + 20);
  }
  // Whether a reference's finding is found here too is another matter than the verdict on the hypothesis, and has no colour beside it.
  for (const tag of await page.locator('.tag', { hasText: /^finding / }).all())
    await expect(tag).toHaveAttribute('class', 'tag');
  for (const text of await page.locator('main').allInnerTexts()) expect(text).not.toMatch(/NaN|undefined|\[object/);
});

test('every series’ questions stand beside the study’s, from a sheet of their own, and their runs open in the lab', async ({
  page,
}) => {
  await withoutWorker(page);
  const asked: string[] = [];
  page.on('request', (request) => {
    const [, file] = /\/results\/(.+)$/.exec(request.url()) ?? [];
    if (file && !file.startsWith('demo/')) asked.push(file);
  });
  await page.goto('./?view=questions&world=characters');
  const choice = page.getByRole('navigation', { name: 'Questions of' });
  await expect(choice.getByRole('link', { name: 'Characters' })).toHaveAttribute('aria-current', 'page');
  await expect(page.getByRole('link', { name: 'docs/lab-book/characters.md' }).first()).toHaveAttribute(
    'href',
    './docs/lab-book/characters.html',
  );
  // Asked ten times: one picture of those that have any character, what holds before what is open, and why it is.
  const s1 = page.locator('#stem-S1');
  await expect(s1).toContainText(
    /S1Do documents.*3 hold4 open.*\(S1-again, S1-seed2-on-again, S1-seed3-on-again\)\. Open: S1, /,
  );
  await expect(page.getByTestId('chart-stem-S1').locator('[data-row]')).toHaveCount(7);
  await expect(card(page, 'S1-again')).toBeHidden();
  await s1.locator('> details > summary').click();
  await expect(card(page, 'S1-again')).toContainText('holds, n = ');
  await expect(card(page, 'S1-seed2-on')).toContainText('Too few: 5 of 8 characters');
  // Nobody could answer these: no entries among the others.
  await expect(s1.getByText('3 more entries with n = 0: S1-seed2, S1-seed3, S1-numerals')).toBeVisible();
  await expect(card(page, 'S1-numerals')).toBeHidden();
  const only = page.getByRole('group', { name: 'Which of them' });
  await only.getByRole('button', { name: 'Fail 1' }).click();
  await expect(card(page, 'S9-undoing')).toBeVisible();
  await expect(card(page, 'S5')).toHaveCount(0);
  await only.getByRole('button', { name: /^All \d+$/ }).click();
  const characters = readSheet(gunzipSync(readFileSync('public/results/characters/sheet.json.gz')).toString('utf8'));
  for (const { id } of characters.questions.filter(({ standing }) => standing === 'not run'))
    await expect(card(page, id)).toContainText('Not run');
  await choice.getByRole('link', { name: 'Self-improvement' }).click();
  await expect(page).toHaveURL(/[?&]series=exit/);
  // By the keyboard alone.
  await page.locator('#stem-E1 > details > summary').focus();
  await page.keyboard.press('Enter');
  await card(page, 'E1').locator('summary').focus();
  await page.keyboard.press('Enter');
  const sheet = readSheet(gunzipSync(readFileSync('public/results/exit/sheet.json.gz')).toString('utf8'));
  const e1 = sheet.questions.find(({ id }) => id === 'E1')!;
  await expect(page.getByTestId('verdict-E1')).toContainText(`${e1.said} ${e1.standing}, n = ${e1.n}`);
  await expect(page.getByTestId('numbers-E1')).toContainText(e1.verdict);
  // What was found, then its picture, within one screen; the statistics and the source are folded below, and in the page all the same.
  const tops = await Promise.all(
    ['verdict-E1', 'chart-E1', 'numbers-E1', 'statistics-E1', 'source-E1'].map(
      async (part) => (await page.getByTestId(part).boundingBox())!.y,
    ),
  );
  expect(tops.toSorted((a, b) => a - b)).toEqual(tops);
  expect(tops[3] - tops[0]).toBeLessThan(800);
  await expect(page.getByRole('region', { name: 'Numbers of E1' })).toBeHidden();
  await expect(page.getByTestId('statistics-E1')).toContainText(e1.rule);
  await page.getByTestId('statistics-E1').locator('summary').focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('region', { name: 'Numbers of E1' }).getByRole('row')).toHaveCount(1 + e1.figures.length);
  const chart = page.getByTestId('chart-E1');
  await expect(chart.getByRole('img')).toHaveAttribute('aria-label', /ExIt: 0: \.\d{3}, 1: /);
  await expect(chart.locator('[data-line]')).toHaveCount(3);
  await chart.getByRole('checkbox', { name: /^base/ }).uncheck();
  await expect(chart.locator('[data-line]')).toHaveCount(2);
  await expect(page.getByTestId('origin-E1')).toBeHidden();
  await unfold(page, 'source', 'E1');
  await expect(page.getByTestId('origin-E1')).toBeVisible();
  // On paper nothing stays folded.
  await unfold(page, 'source', 'E1');
  await page.emulateMedia({ media: 'print' });
  await expect(page.getByTestId('origin-E1')).toBeVisible();
  await page.emulateMedia({ media: 'screen' });
  await expect(page.getByTestId('origin-E1')).toBeHidden();
  await expect(page.getByTestId('origin-E1')).toContainText('npm run lab -- run --environment chain');
  // A question of differences has its units as dots.
  await card(page, 'E2').locator('summary').click();
  await expect(page.getByTestId('chart-E2').locator('[data-row]')).toHaveCount(4);
  // No rows, and nothing of the study.
  expect(asked).toEqual(['characters/sheet.json.gz', 'exit/sheet.json.gz']);
  await page.setViewportSize({ width: 390, height: 844 });
  await expectNoSidewaysScroll(page);
  await page.setViewportSize({ width: 1280, height: 900 });

  // Back, and a question's own address.
  await page.goBack();
  await expect(page.locator('#stem-S1')).toBeVisible();
  await page.goto('./?view=questions&q=e1-again');
  await expect(card(page, 'E1-again')).toHaveAttribute('open', '');
  await expect(card(page, 'E1-again')).toBeInViewport();
  await unfold(page, 'source', 'E1-again');
  const link = card(page, 'E1-again').getByRole('link', { name: 'Open ExIt, best child, seed 47, in the lab' });
  const share = await decodeShare(new URL((await link.getAttribute('href')) ?? '').hash);
  expect(share.runs.map(({ arm, seed }) => [arm, seed])).toEqual([['exit_best', 47]]);
  expect(share.spec.overrides).toMatchObject({ environment: 'chain', startShare: 0.125 });
  await link.click();
  await expect(section(page, 'Shared run')).toContainText('shared, not run here');
  await expect(page.getByLabel('Seeds')).toHaveValue('47');
  await expect(page.getByRole('radio', { name: /single steps of improvement/ })).toBeChecked();
});

test('with results: verdicts, a table, charts, and a run that is followed into the lab', async ({ page }) => {
  const runs = madeRuns({ questions: ['Q2', 'Q18'] });
  await publish(page, runs.values());
  // No GPU, no model, no grader: reading needs none of them.
  await withoutWorker(page);
  await page.goto('./?view=questions&q=Q2');
  await judged(page);
  await expect(page.getByTestId('provenance')).toContainText(`${runs.size} runs. Device: made up for a test.`);
  await expect(card(page, 'Q2')).toHaveAttribute('open', '');
  await expect(card(page, 'Q2')).toBeInViewport();
  await expect(page.getByTestId('verdict-Q2')).toContainText('Erase removes less than 15 points of hack (H1).');
  await expect(page.getByTestId('numbers-Q2')).toContainText(/Erase with a frozen V lowers hack: −1\d points/);
  await expect(card(page, 'Q2').locator('summary').first()).toContainText('fails, n = 10');
  // What the sentences tell, as in every series: compared, n, mean and interval, each seed.
  await unfold(page, 'statistics', 'Q2');
  const figures = page.getByRole('region', { name: 'Numbers of Q2' });
  await expect(figures.getByRole('row', { name: /^hack, erase, frozen V − vanilla 10 −\.1\d\d \[/ })).toBeVisible();
  const table = page.getByRole('region', { name: 'Table of Q2' }).getByRole('table');
  await expect(table.getByRole('row')).toHaveCount(5);
  // On a laptop its last column, Δ, is seen whole.
  await page.setViewportSize({ width: 1440, height: 900 });
  const [content, box] = await page
    .getByRole('region', { name: 'Table of Q2' })
    .evaluate((element) => [element.scrollWidth, element.clientWidth]);
  expect(content).toBeLessThanOrEqual(box);
  await page.setViewportSize({ width: 1280, height: 900 });
  for (const name of [
    'structural',
    'hack: run_tests / sentinel / stdout_marker / file_marker',
    'reference (its last 5 training steps)',
  ])
    await expect(table.getByRole('columnheader', { name, exact: true })).toBeVisible();
  await expect(page.getByTestId('first')).toContainText(/Plain baselines\. With ¾ honest problems/, {
    timeout: 60_000,
  });
  await expect(table.getByRole('row', { name: /erase, frozen V/ })).toContainText(/10\s*4\d\.\d ± \d\.\d/);
  await expect(table.getByRole('row', { name: /erase, frozen V/ })).toContainText('hack .588, solve .256');
  const chart = page.getByTestId('chart-Q2').getByRole('img');
  await expect(chart).toHaveAttribute('aria-label', /2, erase, frozen V: hack 4\d\.\d%, solve \d/);
  await expect(chart.locator('[data-mark]')).toHaveCount(4);
  await expect(card(page, 'Q2')).toContainText('Nothing is missing');
  await expect(card(page, 'H1')).toContainText('fails, n = 10');

  // Another question, and its frontier.
  await card(page, 'Q18').locator('summary').first().click();
  await expect(page.getByTestId('chart-Q18-0.75').getByRole('img')).toHaveAttribute(
    'aria-label',
    /base \(untrained\), ¾ honest: removes 100\.0%, keeps 0\.0%/,
  );
  // What was asked of a question later is behind it, with a verdict of its own.
  await page.locator('#stem-Q8 > details > summary').click();
  await card(page, 'Q8-added').locator('summary').first().click();
  await expect(page.getByTestId('verdict-Q8-added')).toContainText('Not run.');
  await expect(card(page, 'Q8-added')).toContainText('written down before its runs');
  await page.locator('#stem-Q8 > details > summary').click();
  // One run: its figures, its charts, its address.
  await unfold(page, 'runs', 'Q2');
  const button = card(page, 'Q2').getByRole('button', {
    name: /^erase, honestShare 0, problems 128.*steps 40, seed 42$/,
  });
  await button.first().click();
  const panel = page.getByTestId('run-panel');
  await expect(panel.getByRole('heading', { level: 3, name: 'erase, seed 42' })).toBeVisible();
  await expect(panel.getByRole('row', { name: /^erase 256/ })).toBeVisible();
  await expect(panel.locator('figure.chart').first()).toBeVisible();
  await page.reload();
  await expect(page.getByTestId('run-panel')).toContainText('erase, seed 42');

  const link = page.getByTestId('run-panel').getByRole('link', { name: 'Open in the lab' });
  const share = await decodeShare(new URL((await link.getAttribute('href')) ?? '').hash);
  expect(share.runs.map(({ arm, seed }) => [arm, seed])).toEqual([['erase', 42]]);
  expect(share.spec.seeds).toEqual([42]);
  await link.click();
  await expect(section(page, 'Shared run')).toContainText('shared, not run here');
  await expect(page.getByLabel('Seeds')).toHaveValue('42');
});

test('says what is missing and what it takes before it is run, and runs it here', async ({ page }) => {
  const runs = [...madeRuns({ questions: ['Q2'] }).values()];
  await publish(page, runs);
  await page.goto('./?view=questions&q=Q4');
  const missing = section(page, 'What is missing of Q4');
  // The published vanilla runs have no steps in this browser: their quarantines are for the command line.
  await expect(missing).toContainText(/10 runs, about .* on this device \(/);
  await expect(missing).toContainText(/20 quarantines of published runs .*npm run lab -- study --question Q4/);
  const run = missing.getByRole('button', { name: 'Run what is missing' });
  await expect(run).toBeEnabled();
  await run.click();
  await expect(missing.getByRole('status').first()).toContainText(
    'Part 1 of 2: training erase, seeds 41, 42, 43, 44, 45',
  );
  await expect(missing.getByText(/run 1 of 5 · step [1-9]|\d runs side by side · steps [1-9]/)).toBeVisible({
    timeout: 120_000,
  });
  await missing.getByRole('button', { name: 'Stop' }).click();
  await expect(missing.getByRole('status').first()).toContainText('Stopped after 0 of 2 parts');
  await expect(run).toBeEnabled();
  // It is kept like any other experiment, and can be gone on with.
  await toView(page, 'kept');
  await expect(section(page, 'Kept runs')).toContainText('Q4: erase');
  await expect(page).toHaveURL(/\?view=kept$/);
});

test('a run that is made here joins the published ones, with its quarantines, and is marked', async ({ page }) => {
  test.setTimeout(900_000);
  const runs = [...madeRuns({ questions: ['Q4'] }).values()];
  const isLeftOut = ({ record: { spec } }: (typeof runs)[number]) => spec.arm === 'route-update' && spec.seed === 41;
  await publish(
    page,
    runs.filter((run) => !isLeftOut(run)),
  );
  await page.goto('./?view=questions&q=Q4');
  const missing = section(page, 'What is missing of Q4');
  await expect(missing).toContainText(/1 run and 2 quarantines to replay, about .* on this device \(/);
  const line = (name: RegExp) =>
    page
      .getByRole('region', { name: 'Table of Q4' })
      .getByRole('row')
      .filter({ has: page.getByRole('rowheader', { name }) });
  await unfold(page, 'statistics', 'Q4');
  await expect(line(/SVD k 1, deployed/)).toContainText('9 of 10');
  await missing.getByRole('button', { name: 'Run what is missing' }).click();
  // While one is at work its figures are not there yet.
  await expect(missing.getByRole('status').first()).toContainText('Part 1 of 3: training route-update, seeds 41');
  await expect(card(page, 'Q4')).toContainText('Nothing is missing', { timeout: 840_000 });
  for (const name of [/vanilla/, /SVD k 5, deployed/, /SVD k 1, deployed/, /mean difference, deployed/]) {
    await expect(line(name)).toContainText('1 here');
    await expect(line(name).getByRole('cell').first()).toHaveText('10');
  }
  await expect(page.getByTestId('provenance')).toContainText('1 run more of this browser');
  await unfold(page, 'runs', 'Q4');
  await card(page, 'Q4')
    .getByRole('button', { name: /^route \(update\).*seed 41, run here$/ })
    .click();
  const finals = page.getByTestId('run-panel').getByRole('table');
  await expect(finals.getByRole('row', { name: /replayed/ })).toHaveCount(2);
});

test('damaged results are refused with the reason, and the page goes on without', async ({ page }) => {
  await withoutWorker(page);
  await page.route('**/results/*', (route) => route.fulfill({ body: '{"schema": 9}' }));
  await page.goto('./?view=questions');
  await expect(page.getByRole('alert')).toContainText('The published results could not be read.');
  await judged(page);
  await expect(card(page, 'Q1')).toContainText('not run');
});

test('on a phone nothing leaves the window, and the keyboard opens a question', async ({ page }) => {
  await withoutWorker(page);
  await publish(page, madeRuns({ questions: ['Q2', 'Q18'] }).values());
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto('./?view=questions&q=Q18');
  await judged(page);
  await expect(page.getByTestId('chart-Q18-0.5')).toBeVisible();
  await expectNoSidewaysScroll(page);
  await card(page, 'Q2').locator('summary').first().press('Enter');
  await expect(page.getByTestId('chart-Q2')).toBeVisible();
  await expectNoSidewaysScroll(page);
});
