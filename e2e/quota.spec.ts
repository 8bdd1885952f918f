// A full disk: the run stops with everything so far kept, the page names what can be deleted, and afterwards the run resumes to the bytes of an
// uninterrupted one. The quota is Chromium's own, set through its protocol.
import { expect, type Page, test } from '@playwright/test';
import { parseExperimentSpec } from '../src/experiments/config/spec.ts';
import type { RunRecord } from '../src/experiments/records/events.ts';
import { addressOf, downloaded, keptRuns, ready, toView, waitForTable } from './lab-page.ts';

const overrides = {
  steps: 8,
  promptsPerStep: 4,
  maxNew: 24,
  checkpointEvery: 1,
  evalEvery: 0,
  finalEvalProblems: 4,
  problems: 8,
  pairs: 8,
  k: 2,
};
const spec = parseExperimentSpec({ preset: 'smoke', arms: ['route'], seeds: [41], overrides, device: 'cpu' });
const run = (page: Page) => page.getByRole('button', { name: 'Run', exact: true }).click();
const computed = (runs: RunRecord[]) => JSON.stringify(runs.map(({ rows, evals }) => ({ rows, evals })));

test('a full disk stops the run cleanly, the page names what to delete, and then the run resumes', async ({
  context,
}) => {
  // This page keeps the session open, since the quota ends with the session that set it.
  const keeper = await context.newPage();
  await keeper.goto('./favicon.svg');
  const browser = await context.newCDPSession(keeper);
  const { origin } = new URL(keeper.url());
  const allow = (quotaSize?: number) => browser.send('Storage.overrideQuotaForOrigin', { origin, quotaSize });
  const used = () => keeper.evaluate(async () => (await navigator.storage.estimate()).usage ?? 0);

  // Two unhindered runs of the same experiment are made, which can be deleted later. The first also stores what later ones share (the teacher pool,
  // the basis), so that only the second shows the size of a run.
  const unhindered = async () => {
    const page = await context.newPage();
    await page.goto(await addressOf(spec));
    await ready(page);
    const before = await used();
    await run(page);
    await waitForTable(page);
    const rows = computed((await downloaded(page)).runs);
    // An open page has already been granted its room; only a fresh one asks again.
    await page.close();
    return { rows, taken: (await used()) - before };
  };
  const { rows: expected } = await unhindered();
  const { taken } = await unhindered();
  expect(taken).toBeGreaterThan(10_000);

  const page = await context.newPage();
  await page.goto(await addressOf(spec));
  await ready(page);
  const room = async () => allow((await used()) + Math.round(taken / 2));
  await room();
  const stopped = keptRuns(page).first();
  const noRoom = page.locator('.notices').getByText('The browser has no room left for the lab’s records.');
  // The database may have compacted itself meanwhile and have room for a whole run; then a later run meets the full disk. Or the room is gone
  // before a run's first record; then the page reports it, nothing begins, and the next run gets as much again.
  let before = 2;
  for (let tries = 0; tries < 6; tries++) {
    await toView(page, 'kept');
    await expect(keptRuns(page)).toHaveCount(before);
    await toView(page, 'lab');
    await run(page);
    await toView(page, 'kept');
    await expect(keptRuns(page).nth(before).or(noRoom).first()).toBeVisible();
    if ((await keptRuns(page).count()) === before) {
      await page.locator('.notices').getByRole('button', { name: 'Close' }).first().click();
      await room();
      continue;
    }
    await expect(stopped).toContainText(/stopped|done/, { timeout: 120_000 });
    if ((await stopped.textContent())?.includes('stopped')) break;
    before++;
  }
  await expect(stopped).toContainText('stopped');
  await expect(stopped).toContainText('The browser has no room left for the lab’s records.');
  await expect(stopped).toContainText('everything up to its last kept step is still there');
  await expect(stopped).toContainText(/Delete what takes the most: smoke of .*[kM]B/);
  const steps = Number(/^(\d+) of 8$/.exec((await stopped.locator('[data-label=Steps]').textContent()) ?? '')?.[1]);
  console.log(`one run takes ${taken} bytes; with room for half of it the run stopped after ${steps} of 8 steps`);
  expect(steps).toBeLessThanOrEqual(8);

  // One of the other runs is deleted, and the run resumed.
  const kept = before + 1;
  await expect(keptRuns(page)).toHaveCount(kept);
  await keptRuns(page)
    .last()
    .getByRole('button', { name: /^Delete/ })
    .click();
  await expect(keptRuns(page)).toHaveCount(kept - 1);
  await allow();
  await page.reload();
  await stopped.getByRole('button', { name: /^Resume/ }).click();
  await waitForTable(page);
  expect(computed((await downloaded(page)).runs)).toBe(expected);
});
