// The questions view for a visitor: every series is shown from its published sheet alone, opened, filtered by status, followed into the lab, and
// reached by old links; further a damaged sheet, and a phone.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, type Page, test } from '@playwright/test';
import { FRONT_PATH, readFront } from '../src/findings/front.ts';
import { openKindOf } from '../src/findings/open-kind.ts';
import type { SeriesId } from '../src/findings/series.ts';
import { readSheet } from '../src/findings/sheet.ts';
import { duration } from '../src/lib/numbers.ts';
import { decodeShare } from '../src/share/url.ts';
import { expectNoSidewaysScroll, section, withoutWorker } from './lab-page.ts';

const card = (page: Page, id: string) => page.locator(`details#${id}`);

/** Unfolds a part of an open card; the finding and its picture are always shown. */
const unfold = (page: Page, part: 'statistics' | 'source', id: string) =>
  page.getByTestId(`${part}-${id}`).locator('summary').first().click();

const sheetOf = (series: SeriesId) =>
  readSheet(gunzipSync(readFileSync(`public/results/${series}/sheet.json.gz`)).toString('utf8'));
const study = sheetOf('study');
const inStudy = (id: string) => study.questions.find((question) => question.id === id)!;

/** Collects the paths below results/ that the page requests. */
function requestedResults(page: Page): string[] {
  const requested: string[] = [];
  page.on('request', (request) => {
    const [, file] = /\/results\/(.+)$/.exec(request.url()) ?? [];
    if (file && !file.startsWith('demo/')) requested.push(file);
  });
  return requested;
}

const front = readFront(readFileSync(`public/${FRONT_PATH}`, 'utf8'));

for (const [width, height] of [
  [1280, 900],
  [390, 844],
] as const)
  test(`begins with ten sentences and a row for each question, at a width of ${width}`, async ({ page }) => {
    await withoutWorker(page);
    await page.setViewportSize({ width, height });
    const requested = requestedResults(page);
    await page.goto('./?view=questions');
    const ten = section(page, 'What was found, in ten sentences');
    await expect(ten.locator('.ten > li')).toHaveCount(10);
    for (const { text, counted, by } of front.sentences) {
      const own = ten.locator('.ten > li', { hasText: text });
      await expect(own).toContainText(counted);
      for (const { id } of by) await expect(own.getByRole('link', { name: id, exact: true })).toBeVisible();
      await expect(own).toContainText(openKindOf(by[0]) ?? by[0].standing);
    }
    await expect(ten.locator('b.ten-negative')).toHaveCount(2);
    const table = page.getByRole('region', { name: 'Every question, by base' });
    await expect(table.getByRole('row')).toHaveCount(1 + front.questions.length);
    await expect(table).toContainText('too few learnt');
    await expectNoSidewaysScroll(page);
    // No sheet and no row is loaded before an entry is opened.
    expect(requested).toEqual(['findings.json']);
    await page.getByRole('link', { name: 'Hack A, hack B' }).click();
    const other = section(page, 'Does a basis of hack A stop hack B?');
    await expect(other).toContainText(front.elsewhere.said[0]);
    await expect(other.getByRole('columnheader')).toHaveCount(front.elsewhere.head.length);
    await expectNoSidewaysScroll(page);
    expect(requested).toEqual(['findings.json']);
    await page.goBack();
    await ten.getByRole('link', { name: 'Q19', exact: true }).click();
    await expect(card(page, 'Q19')).toHaveAttribute('open', '');
    await expect(page).toHaveURL(/[?&]q=Q19/);
    expect(requested).toContain('study/sheet.json.gz');
  });

test('a damaged front is refused with the reason', async ({ page }) => {
  await withoutWorker(page);
  await page.route('**/results/findings.json', (route) => route.fulfill({ body: '{"format": "another"}' }));
  await page.goto('./?view=questions');
  await expect(page.getByRole('alert')).toContainText('The front of the findings is damaged.');
  await page.unroute('**/results/findings.json');
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(section(page, 'What was found, in ten sentences')).toBeVisible();
});

test('shows every question of the study from its sheet, without a GPU, a model or any row', async ({ page }) => {
  await withoutWorker(page);
  const requested = requestedResults(page);
  await page.goto('./?view=questions&series=study');
  await expect(page.locator('#stem-Q8')).toContainText('2 cards');
  // The picture comes before any prose.
  await expect(page.getByRole('list', { name: 'Verdicts of these questions' })).toBeInViewport({ ratio: 1 });
  for (const question of study.questions) {
    const { id, title, standing, n } = question;
    await expect(card(page, id)).toContainText(title);
    await expect(card(page, id)).toContainText(`${openKindOf(question) ?? standing}, n = ${n}`);
  }
  await expect(page.getByTestId('provenance')).toContainText(study.origin!.about.join(' '));
  await expect(page.getByTestId('provenance')).toContainText(`Training took ${duration(study.origin!.seconds)}`);
  // The answer to a reader's first doubt comes first, from the same rows.
  await expect(page.getByTestId('first')).toContainText(/Template-bound\. \d+% of the teacher’s rows/);
  await expect(page.getByTestId('first')).toContainText(/Plain baselines\. With ¾ honest problems/);
  // Whether the reference's finding was reproduced is separate from the verdict on the hypothesis, and has no colour.
  for (const tag of await page.locator('.tag', { hasText: /^finding / }).all())
    await expect(tag).toHaveAttribute('class', 'tag');
  for (const { id } of study.questions) {
    const outer = page.locator('details', { has: card(page, id) });
    if ((await outer.count()) > 0 && !(await outer.first().evaluate((stem) => stem.hasAttribute('open'))))
      await outer.first().locator('> summary').click();
    await card(page, id).locator('> summary').click();
  }
  for (const text of await page.locator('main').allInnerTexts()) expect(text).not.toMatch(/NaN|undefined|\[object/);
  // No question needs its rows, even when opened.
  expect(requested).toEqual(['study/sheet.json.gz']);
});

test('every other series shows its questions from its own sheet, and their runs open in the lab', async ({ page }) => {
  await withoutWorker(page);
  const requested = requestedResults(page);
  await page.goto('./?view=questions&world=characters');
  const choice = page.getByRole('navigation', { name: 'Questions of' });
  await expect(choice.getByRole('link', { name: 'Characters' })).toHaveAttribute('aria-current', 'page');
  await expect(page.getByRole('link', { name: 'docs/lab-book/characters.md' }).first()).toHaveAttribute(
    'href',
    './docs/lab-book/characters.html',
  );
  // A question with ten entries has one picture of those with any character; entries that hold come before open ones, with the reason.
  const s1 = page.locator('#stem-S1');
  await expect(s1).toContainText(
    /S1Do documents.*3 hold4 open.*\(S1-again, S1-seed2-on-again, S1-seed3-on-again\)\. Open: S1, /,
  );
  await expect(page.getByTestId('chart-stem-S1').locator('[data-row]')).toHaveCount(7);
  await expect(card(page, 'S1-again')).toBeHidden();
  await s1.locator('> details > summary').click();
  await expect(card(page, 'S1-again')).toContainText('holds, n = ');
  await expect(card(page, 'S1-seed2-on')).toContainText('Too few: 5 of 8 characters');
  // Entries without any data are only counted.
  await expect(s1.getByText('3 more entries with n = 0: S1-seed2, S1-seed3, S1-numerals')).toBeVisible();
  await expect(card(page, 'S1-numerals')).toBeHidden();
  const only = page.getByRole('group', { name: 'Which of them' });
  await only.getByRole('button', { name: 'Fail 1' }).click();
  await expect(card(page, 'S9-undoing')).toBeVisible();
  await expect(card(page, 'S5')).toHaveCount(0);
  await only.getByRole('button', { name: /^All \d+$/ }).click();
  for (const { id } of sheetOf('characters').questions.filter(({ standing }) => standing === 'not run'))
    await expect(card(page, id)).toContainText('Not run');
  await choice.getByRole('link', { name: 'Self-improvement' }).click();
  await expect(page).toHaveURL(/[?&]series=exit/);
  // The keyboard opens it.
  await page.locator('#stem-E1 > details > summary').focus();
  await page.keyboard.press('Enter');
  await card(page, 'E1').locator('summary').focus();
  await page.keyboard.press('Enter');
  const e1 = sheetOf('exit').questions.find(({ id }) => id === 'E1')!;
  await expect(page.getByTestId('verdict-E1')).toContainText(`${e1.said} ${e1.standing}, n = ${e1.n}`);
  await expect(page.getByTestId('numbers-E1')).toContainText(e1.verdict);
  // The finding and then its picture fit on one screen; statistics and source are folded below, but are in the document.
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
  // In print nothing is folded.
  await unfold(page, 'source', 'E1');
  await page.emulateMedia({ media: 'print' });
  await expect(page.getByTestId('origin-E1')).toBeVisible();
  await page.emulateMedia({ media: 'screen' });
  await expect(page.getByTestId('origin-E1')).toBeHidden();
  await expect(page.getByTestId('origin-E1')).toContainText('npm run lab -- run --environment chain');
  // A question on differences shows its units as dots.
  await card(page, 'E2').locator('summary').click();
  await expect(page.getByTestId('chart-E2').locator('[data-row]')).toHaveCount(4);
  // No rows are loaded, and nothing of the study.
  expect(requested).toEqual(['characters/sheet.json.gz', 'exit/sheet.json.gz']);
  await page.setViewportSize({ width: 390, height: 844 });
  await expectNoSidewaysScroll(page);
  await page.setViewportSize({ width: 1280, height: 900 });

  // Back works, and a question has its own address.
  await page.goBack();
  await expect(page.locator('#stem-S1')).toBeVisible();
  await page.goto('./?view=questions&q=e999');
  await expect(page.getByRole('alert')).toContainText('The address asks for “E999”, which no published sheet has.');
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
  await expect(page.getByLabel('Seeds', { exact: true })).toHaveValue('47');
  await expect(page.getByRole('radio', { name: /single steps of improvement/ })).toBeChecked();
});

test('a question of the study: verdict, numbers, table, chart, and the files of its rows', async ({ page }) => {
  await withoutWorker(page);
  await page.goto('./?view=questions&q=Q2');
  await expect(card(page, 'Q2')).toHaveAttribute('open', '');
  await expect(card(page, 'Q2')).toBeInViewport();
  await expect(page.getByTestId('verdict-Q2')).toContainText('Erase removes less than 15 points of hack (H1).');
  await expect(page.getByTestId('numbers-Q2')).toContainText(/Erase with a frozen V lowers hack: −1\d points/);
  await expect(card(page, 'Q2').locator('summary').first()).toContainText('fails, n = 10');
  // As in every series, the sentences give the comparison, n, mean and interval, and each seed.
  await unfold(page, 'statistics', 'Q2');
  const figures = page.getByRole('region', { name: 'Numbers of Q2' });
  await expect(figures.getByRole('row', { name: /^hack, erase, frozen V − vanilla 10 −\.1\d\d \[/ })).toBeVisible();
  const table = page.getByRole('region', { name: 'Table of Q2' }).getByRole('table');
  await expect(table.getByRole('row')).toHaveCount(5);
  // On a laptop the last column, Δ, is fully visible.
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
  await expect(table.getByRole('row', { name: /erase, frozen V/ })).toContainText(/10\s*4\d\.\d ± \d\.\d/);
  await expect(table.getByRole('row', { name: /erase, frozen V/ })).toContainText('hack .588, solve .256');
  const chart = page.getByTestId('chart-Q2').getByRole('img');
  await expect(chart).toHaveAttribute('aria-label', /2, erase, frozen V: hack 4\d\.\d%, solve \d/);
  await expect(chart.locator('[data-mark]')).toHaveCount(4);
  await expect(card(page, 'H1')).toContainText('fails, n = 10');
  await unfold(page, 'source', 'Q2');
  for (const file of inStudy('Q2').files) {
    const link = page.getByTestId('origin-Q2').getByRole('link', { name: `public/results/${file}` });
    const response = await page.request.get((await link.getAttribute('href')) ?? '');
    expect(response.status()).toBe(200);
  }

  // Another question has a frontier.
  await card(page, 'Q18').locator('summary').first().click();
  await expect(page.getByTestId('chart-Q18-0.75').getByRole('img')).toHaveAttribute(
    'aria-label',
    /base \(untrained\), ¾ honest: removes 100\.0%, keeps 0\.0%/,
  );
  // A long table is folded.
  await card(page, 'Q20').locator('summary').first().click();
  await unfold(page, 'statistics', 'Q20');
  const long = page.getByRole('region', { name: 'Table of Q20' }).getByRole('table');
  await expect(long.getByRole('row')).toHaveCount(1 + 5 + 10);
  await long.getByRole('button', { name: /draw 12/ }).click();
  await expect(long.getByRole('row')).toHaveCount(1 + 5 + 20);
  // A later variant of a question is inside its card, with its own verdict.
  await page.locator('#stem-Q8 > details > summary').click();
  await card(page, 'Q8-added').locator('summary').first().click();
  await expect(page.getByTestId('verdict-Q8-added')).toContainText(inStudy('Q8-added').said);
  await expect(card(page, 'Q8-added')).toContainText('written down before its runs');
});

test('an old link to one run of a question opens the question and names the file of the run’s rows', async ({
  page,
}) => {
  await withoutWorker(page);
  const requested = requestedResults(page);
  await page.goto('./?view=questions&q=q2&run=study-0123456789abcdef%2Ferase%2F42');
  await expect(card(page, 'Q2')).toHaveAttribute('open', '');
  await expect(card(page, 'Q2')).toBeInViewport();
  const told = card(page, 'Q2').getByRole('status');
  await expect(told).toContainText('the run study-0123456789abcdef/erase/42');
  await expect(told.getByRole('link')).toHaveText(inStudy('Q2').files.map((file) => `public/results/${file}`));
  await expect(page.getByText('This link names the run')).toHaveCount(1);
  // Closing the question removes the run from the address.
  await card(page, 'Q2').locator('summary').first().click();
  await expect(page).not.toHaveURL(/[?&](q|run)=/);
  await expect(page.getByText('This link names the run')).toHaveCount(0);
  // An old link may name a run without a question.
  await page.goto('./?view=questions&run=cli%2F41');
  await expect(page.getByText('This link names the run')).toContainText('cli/41');
  expect(requested.every((file) => file === 'study/sheet.json.gz')).toBe(true);
});

test('a damaged sheet is refused with the reason, and can be requested again', async ({ page }) => {
  await withoutWorker(page);
  await page.route('**/results/**', (route) => route.fulfill({ body: '{"format": "another"}' }));
  await page.goto('./?view=questions&series=study');
  await expect(page.getByRole('alert')).toContainText('The published results could not be read.');
  await expect(page.getByRole('alert')).toContainText('The published findings are damaged.');
  await page.unroute('**/results/**');
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('alert')).toHaveCount(0);
  await expect(card(page, 'Q1')).toContainText('fails, n = 10');
});

test('on a phone nothing leaves the window, and the keyboard opens a question', async ({ page }) => {
  await withoutWorker(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto('./?view=questions&q=Q18');
  await expect(page.getByTestId('chart-Q18-0.5')).toBeVisible();
  await expectNoSidewaysScroll(page);
  await card(page, 'Q2').locator('summary').first().press('Enter');
  await expect(page.getByTestId('chart-Q2')).toBeVisible();
  await expectNoSidewaysScroll(page);
});
