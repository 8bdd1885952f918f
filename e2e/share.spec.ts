// Links with results, and comparisons of kept runs: a share URL is opened in a fresh profile and reproduced there; further hostile links, and a
// refused comparison.
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, type Page, test } from '@playwright/test';
import { type ExperimentSpec, parseExperimentSpec } from '../src/experiments/config/spec.ts';
import { packJson } from '../src/share/pack.ts';
import { decodeShare } from '../src/share/url.ts';
import {
  addressOf,
  expectEveryLook,
  expectNoSidewaysScroll,
  keptRuns,
  ready,
  section,
  toView,
  waitForTable,
  withoutWorker,
} from './lab-page.ts';

const tiny = (changes: Partial<ExperimentSpec> = {}): ExperimentSpec =>
  parseExperimentSpec({
    preset: 'smoke',
    arms: ['route-update'],
    seeds: [41],
    device: 'cpu',
    overrides: { steps: 2, evalProblems: 5, finalEvalProblems: 5, pairs: 8 },
    ...changes,
  });

async function runToTable(page: Page, spec: ExperimentSpec): Promise<void> {
  await page.goto('about:blank');
  await page.goto(await addressOf(spec));
  await ready(page);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await waitForTable(page);
}

test('a share URL shows its charts in a fresh profile, and is reproduced there to the last bit', async ({
  browser,
  baseURL,
}) => {
  const sharer = await browser.newContext({ baseURL, permissions: ['clipboard-read', 'clipboard-write'] });
  const page = await sharer.newPage();
  await runToTable(page, tiny());
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await expect(page.getByText(/^Link copied: .* 2 steps of each run/)).toBeVisible();
  // The message covers no text and no chart.
  const covered = await page.evaluate(() => {
    const boxes = (of: string) => [...document.querySelectorAll(of)].map((element) => element.getBoundingClientRect());
    const hides = (a: DOMRect, b: DOMRect) =>
      a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
    return boxes('.notice').flatMap((notice) => boxes('figure, table, .headline').filter((box) => hides(notice, box)));
  });
  expect(covered).toEqual([]);
  const url = await page.evaluate(() => navigator.clipboard.readText());
  const share = await decodeShare(new URL(url).hash);
  expect(share.runs).toHaveLength(1);
  expect(new URL(url).hash.length).toBeLessThanOrEqual(8193);
  await sharer.close();

  const fresh = await browser.newContext({ baseURL });
  const other = await fresh.newPage();
  const outside: string[] = [];
  other.on('request', (request) => {
    if (!/^(blob:|data:|http:\/\/localhost)/.test(request.url())) outside.push(request.url());
  });
  await other.goto(url);
  const panel = section(other, 'Shared run');
  await expect(panel.getByText('shared, not run here')).toBeVisible();
  await expect(panel.getByTestId('shared-chart-hack').locator('path.recharts-line-curve').first()).toHaveAttribute(
    'd',
    /^M.+L/,
  );
  // A link contains no rollouts, which a click on a point reports.
  await panel.getByTestId('shared-chart-hack').locator('svg.recharts-surface').click();
  await expect(panel.getByRole('status').filter({ hasText: 'A link carries no rollouts' })).toBeVisible();
  // The panel explains the metric, and shows the controls beside the deployed model.
  await expect(panel).toContainText('Rollouts of hackable problems that pass while wrong. Lower is better.');
  await expect(panel.getByTestId('conclusion')).toContainText(
    /routed, quarantine removed, against vanilla: hack .* against .* points\), solve .*; n = 1\./,
  );
  await expect(panel.getByTestId('conclusion')).toContainText('One seed: suggestive, not a result.');
  await expect(panel.getByRole('row', { name: /random V matched .*for comparison/ })).toBeVisible();
  await other.setViewportSize({ width: 390, height: 844 });
  await expectNoSidewaysScroll(other);
  await other.setViewportSize({ width: 1280, height: 900 });

  await panel.getByRole('button', { name: 'Run it here' }).click();
  await expect(panel.getByText('Reproduced, identical.')).toBeVisible({ timeout: 240_000 });
  await expect(panel.getByText('shared, and run here')).toBeVisible();
  expect(outside).toEqual([]);

  // In a frame of another page the same link shows its charts and a link to the lab.
  const post = await fresh.newPage();
  const frameOf = (hash: string) => `<iframe src="${baseURL}embed.html${hash}" width="900" height="640"></iframe>`;
  let body = '';
  const host = createServer((_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(body));
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  const framed = (hash: string) => {
    body = frameOf(hash);
    return post.goto(`http://127.0.0.1:${(host.address() as AddressInfo).port}/`);
  };
  await framed(new URL(url).hash);
  const frame = post.frameLocator('iframe');
  await expect(frame.getByTestId('conclusion')).toContainText('One seed: suggestive, not a result.');
  await expect(frame.getByTestId('embed-chart-hack').locator('path.recharts-line-curve').first()).toHaveAttribute(
    'd',
    /^M.+L/,
  );
  await expect(frame.getByRole('link', { name: /^Open in the lab/ })).toHaveAttribute('href', `./${new URL(url).hash}`);
  await framed('#2.damaged');
  await expect(frame.getByRole('alert')).toContainText('The link is damaged or was cut off.');
  await post.close();
  host.close();

  // The same link with other numbers is reported as not identical, with the largest difference.
  const run = share.runs[0];
  const forged = {
    p: 'smoke',
    a: ['route-update'],
    s: [41],
    o: share.spec.overrides,
    d: 'cpu',
    v: '0.0.1',
    n: 'Some GPU',
    r: [{ a: run.arm, s: run.seed, h: 'A'.repeat(22), e: [[2, 'f', 'total', 5, 5000, 5000]] }],
  };
  await other.evaluate(
    (hash) => {
      window.location.hash = hash;
    },
    `2.${await packJson(forged)}`,
  );
  // The run of this experiment is still shown, so the verdict appears at once.
  const verdict = panel.getByTestId('reproduction');
  await expect(verdict).toContainText('Run here, not identical');
  await expect(verdict).toContainText('total hack, final evaluation');
  await expect(verdict).toContainText('another kind of device (Some GPU there');
  await expect(verdict).toContainText('another version of the lab (0.0.1 there');
  await panel.getByRole('button', { name: 'Close' }).click();
  await expect(panel).toBeHidden();
  // The form's settings stay in the address, but the results do not.
  await expect.poll(async () => (await decodeShare(new URL(other.url()).hash)).runs.length).toBe(0);
  await fresh.close();
});

test('e2e:run opens a link in a headless browser, runs it and writes rows and table', async ({ baseURL }, info) => {
  const file = info.outputPath('run.json');
  const e2eRun = async (...args: string[]) => {
    const child = spawn(process.execPath, ['scripts/e2e-run.mjs', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    let out = '';
    let err = '';
    child.stdout.on('data', (chunk) => {
      out += chunk;
    });
    child.stderr.on('data', (chunk) => {
      err += chunk;
    });
    const code = await new Promise((resolve) => child.on('close', resolve));
    return { code, out, err };
  };
  const link = new URL(await addressOf(tiny()), baseURL).href;
  const { code, out, err } = await e2eRun('--spec', link, '--json', file, '--timeout', '4');
  expect(code, err).toBe(0);
  expect(out).toMatch(/^base \(untrained\)/m);
  const written = JSON.parse(await readFile(file, 'utf8'));
  expect(written.spec).toEqual(tiny());
  expect(written.runs[0].rows).toHaveLength(2);
  expect(written.table.length).toBeGreaterThan(2);

  const refused = await e2eRun('--spec', '#2.AAAA');
  expect(refused.code).toBe(1);
  expect(refused.err).toContain('damaged');
  expect((await e2eRun('--spec', 'http://localhost/')).code).toBe(2);
});

test('corrupt and hostile links are refused with the reason and leave the default page', async ({ page }) => {
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('dialog', (dialog) => complaints.push(dialog.message()));
  const good = { p: 'smoke', a: ['none'], s: [41] };
  // A device name is shown as text, even if it is markup.
  const markup = '<img src=x onerror=alert(1)>';
  await page.goto(`./#${await packed({ ...good, n: markup, r: [{ a: 'none', s: 41, h: 'A'.repeat(22) }] })}`);
  await expect(section(page, 'Shared run').getByText(markup)).toBeVisible();

  await withoutWorker(page);
  const links: [string, RegExp][] = [
    ['rubbish', /not a link of this lab/],
    ['9.abc', /version 9/],
    ['2.AAAA', /damaged or was cut off/],
    [(await packed({ ...good, v: '1' })).slice(0, -6), /damaged or was cut off/],
    [`2.${'A'.repeat(20_000)}`, /20002 characters/],
    [await packed({ ...good, v: '<img src=x onerror=alert(1)>\n' }), /damaged \(at v\)/],
    [await packed({ ...good, r: [{ a: 'erase', s: 41, h: 'A'.repeat(22) }] }), /not one of its experiment/],
    [await packed({ ...good, o: { steps: 1e9 } }), /steps/],
    [await packed({ ...good, x: 1 }), /unknown field/],
  ];
  for (const [hash, message] of links) {
    await page.goto('about:blank');
    await page.goto(`./#${hash}`);
    await expect(page.getByRole('alert').filter({ hasText: message })).toBeVisible();
    await expect(page.getByText('Preset demo, 60 steps')).toBeVisible();
    await expect(section(page, 'Shared run')).toBeHidden();
  }
  expect(complaints).toEqual([]);
});

test('kept runs have addresses, are compared in pairs of one seed, and a misleading comparison is refused', async ({
  page,
  context,
  browser,
  baseURL,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const overrides = { steps: 2, evalEvery: 0, finalEvalProblems: 5, problems: 8, pairs: 8 };
  await runToTable(page, tiny({ arms: ['none', 'erase'], seeds: [41, 42], overrides }));
  await runToTable(page, tiny({ arms: ['erase'], seeds: [41], overrides: { ...overrides, k: 8 } }));
  // A run that has just ended is shown again after a reload.
  const runOf = (href: string) => new URL(href).searchParams.get('run');
  await expect.poll(() => runOf(page.url())).not.toBeNull();
  const second = runOf(page.url());
  await page.reload();
  await expect(page.getByRole('table').first()).toBeVisible();
  await toView(page, 'kept');
  await expect(keptRuns(page)).toHaveCount(2);
  await expect(page).not.toHaveURL(/run=/);
  await keptRuns(page).nth(1).getByRole('button', { name: /^Open/ }).click();
  await expect.poll(() => runOf(page.url())).not.toBeNull();
  const first = runOf(page.url());
  expect(first).not.toBe(second);
  const cells = page.getByRole('heading', { name: 'Watch' });
  await expect(cells).toBeVisible();
  await page.goBack();
  await expect(keptRuns(page)).toHaveCount(2);
  await page.goBack();
  await expect.poll(() => runOf(page.url())).toBe(second);
  await page.goForward();
  await page.goForward();
  await expect.poll(() => runOf(page.url())).toBe(first);
  // Another browser does not have the run, which it reports.
  const elsewhere = await browser.newContext({ baseURL, viewport: { width: 390, height: 844 } });
  const stranger = await elsewhere.newPage();
  await stranger.goto(`./?run=${first}`);
  const offer = stranger.getByRole('region', { name: 'A run that is not kept here' });
  await expect(offer).toContainText(`The run ${first} is not kept in this browser.`);
  await expect(offer.getByRole('button', { name: 'Import its file' })).toBeVisible();
  await expectNoSidewaysScroll(stranger);
  await offer.getByRole('button', { name: 'Close' }).click();
  await expect(offer).toBeHidden();
  await expect(stranger).not.toHaveURL(/run=/);
  await elsewhere.close();
  await toView(page, 'kept');

  await keptRuns(page)
    .first()
    .getByRole('button', { name: /^Share/ })
    .click();
  await expect(page.getByText(/^(Link copied|The browser blocked the clipboard)/)).toBeVisible();

  await toView(page, 'compare');
  const picker = section(page, 'Compare');
  // The newest comes first: the single seed, then the experiment of two seeds.
  const pair = picker.getByRole('group').nth(1);
  await pair.getByRole('checkbox', { name: 'vanilla' }).check();
  await expect(picker.getByText('Pick at least one more')).toBeVisible();
  await pair.getByRole('checkbox', { name: 'erase' }).check();
  const table = page.getByRole('table');
  await expect(table).toHaveCount(1);
  await expect(table.getByRole('row')).toHaveCount(7);
  await expect(table.getByRole('columnheader', { name: 'seed 42' })).toBeVisible();
  const finalHack = table.getByRole('row').filter({ hasText: 'hack, final evaluation' });
  await expect(finalHack.getByRole('cell').first()).toHaveText('2');
  // Two seeds give a difference, but neither an interval nor a statement on the spread.
  await expect(table.getByRole('columnheader').nth(5)).toHaveText('95% interval');
  const solve = table.getByRole('row').filter({ hasText: 'solve, whole run' }).getByRole('cell');
  await expect(solve.nth(3)).toContainText(/^[+−]?\d/);
  await expect(solve.nth(4)).toHaveText('–');
  await expect(solve.last()).toHaveText('two seeds: too few to judge it by');
  await expect(page.getByRole('list', { name: 'Caveats' })).toContainText('Two seeds: too few for an interval');
  await expect(page.getByTestId('compare-chart-solve').locator('path.recharts-line-curve')).toHaveCount(2);

  await picker.getByRole('group').nth(0).getByRole('checkbox', { name: 'erase' }).check();
  const refusal = page.getByTestId('refused');
  await expect(refusal).toContainText('A single seed (41) cannot be compared with a mean over 2 seeds');
  // The run is drawn with the others, with a warning.
  await expect(page.getByTestId('compare-chart-solve').locator('path.recharts-line-curve')).toHaveCount(3);
  await expect(page.getByTestId('overlay-warning')).toContainText('Drawn, not comparable: erase');
  await expectEveryLook(page);

  // A click on a point opens that step's rollouts in its run; Back returns to the comparison.
  await page.getByTestId('compare-chart-solve').locator('svg.recharts-surface').click();
  const rollouts = section(page, 'Rollouts');
  await expect(rollouts.getByRole('heading', { name: 'Rollouts' })).toBeFocused();
  await expect(rollouts.getByText('student').first()).toBeVisible();
  await page.goBack();
  await expect(picker.getByRole('checkbox', { checked: true })).toHaveCount(3);

  // The address holds the comparison, so that Share copies it and a reload restores it.
  await picker.getByLabel('Reference').selectOption({ index: 1 });
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await expect(page.getByText(/^Link copied: .* with the view “Compare” as it is/)).toBeVisible();
  const link = new URL(await page.evaluate(() => navigator.clipboard.readText()));
  expect(link.searchParams.get('view')).toBe('compare');
  expect(link.searchParams.get('of')?.split(',')).toHaveLength(3);
  expect(link.searchParams.get('against')).toBe(`${first}/erase/total`);
  expect(link.hash).toBe('');
  await page.goto('about:blank');
  await page.goto(link.href);
  await expect(picker.getByRole('checkbox', { checked: true })).toHaveCount(3);
  await expect(picker.getByLabel('Reference')).toHaveValue(`${first}/erase/total`);
  await expect(refusal).toContainText('A single seed (41) cannot be compared with a mean over 2 seeds');

  // The older run is pinned: its lines appear in the charts of the other run, can be hidden, and stay after a reload.
  await toView(page, 'kept');
  await keptRuns(page).nth(1).getByRole('button', { name: /^Pin / }).click();
  await page.reload();
  await expect(
    keptRuns(page)
      .nth(1)
      .getByRole('button', { name: /^Unpin / }),
  ).toBeVisible();
  await keptRuns(page).nth(0).getByRole('button', { name: /^Open/ }).click();
  const pinned = page.getByTestId('chart-hack').locator('[data-legend^="pinned:"]').getByRole('button');
  await expect(pinned).toHaveCount(2);
  const curves = page.getByTestId('chart-hack').locator('path.recharts-line-curve');
  // There are two lines of the opened run and two pinned ones, which are read from storage after their names.
  await expect(curves).toHaveCount(4);
  await pinned.filter({ hasText: 'vanilla ·' }).click();
  await expect(curves).toHaveCount(3);
});

const packed = async (content: unknown) => `2.${await packJson(content)}`;
