// Reading rollouts: filters, the histogram, the keyboard, one rollout in full, its link, and a run that is too long to draw at once.
import { readFile } from 'node:fs/promises';
import { expect, type Locator, type Page, test } from '@playwright/test';
import {
  addressOf,
  dropFile,
  expectNoSidewaysScroll,
  keptRuns,
  ready,
  section,
  tinySpec,
  toView,
  waitForTable,
} from './lab-page.ts';

const STEPS = 60;
const PER_STEP = 128;

async function trained(page: Page): Promise<Locator> {
  await page.goto(await addressOf(tinySpec('cpu')));
  await ready(page);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await waitForTable(page);
  return section(page, 'Rollouts');
}

const counts = async (rollouts: Locator) => {
  const status = rollouts.locator('.filters-count');
  await expect(status).toHaveText(/^\d+ of \d+ rollouts/);
  return ((await status.textContent()) ?? '').match(/\d+/g)!.map(Number);
};

test('a log that is dropped on the first screen opens in the view of rollouts', async ({ page }) => {
  await page.goto('./');
  await ready(page);
  const name = '2026-11-29T04-00-00-00-00_one-line-python_route-41.eval';
  await dropFile(page, name, await readFile(`../shared/exchange/inspect/${name}`));
  await expect(page.getByRole('heading', { name: 'Rollouts', exact: true })).toBeInViewport();
});

test('rollouts are filtered, walked through by keyboard, and linked to', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const rollouts = await trained(page);
  const [, ofOne] = await counts(rollouts);
  await rollouts.getByRole('button', { name: 'All steps' }).click();
  await expect(rollouts.getByRole('status').first()).toContainText(`${2 * ofOne} of ${2 * ofOne}`);

  // A bar of the histogram filters to the rollouts that it counts.
  const bar = rollouts.getByRole('button', { name: /^Reward 1.25/ });
  const counted = Number(/(\d+) rollouts:/.exec((await bar.textContent())!)![1]);
  await bar.click();
  await expect(bar).toHaveAttribute('aria-pressed', 'true');
  await expect.poll(async () => (await counts(rollouts))[0]).toBe(counted);
  await bar.click();

  await rollouts.getByLabel('Source').selectOption('teacher');
  const teachers = rollouts.locator('.answer');
  await expect(teachers.first()).toContainText('teacher');
  await expect(teachers.filter({ hasText: 'student' })).toHaveCount(0);
  // Teacher rows are known hacks: their exploit is marked, and they have no probabilities.
  await expect(teachers.first().locator('.line.exploit').first()).toBeVisible();
  await rollouts.getByLabel('Shade text by').selectOption('probability');
  await expect(teachers.first().locator('.tok')).toHaveCount(0);
  await rollouts.getByLabel('Source').selectOption('student');
  await expect(rollouts.locator('.answer .tok').first()).toBeVisible();
  await rollouts.getByLabel('Shade text by').selectOption('advantage');
  await expect(rollouts.locator('.answer .completion.tok').first()).toBeVisible();
  // These values are computed on request, with the step's own weights.
  for (const shading of ['entropy', 'KL']) {
    await rollouts.getByLabel('Shade text by').selectOption(shading);
    await expect(rollouts.locator('.shade-legend')).toContainText('in nats');
    await expect(rollouts.locator(`.answer .tok[title^="${shading} "][title$=" nats"]`).first()).toBeVisible();
  }

  await rollouts.getByLabel('Text in prompt or answer').fill('no such text anywhere');
  await expect(rollouts.getByText('No rollout fits')).toBeVisible();
  await rollouts.getByRole('button', { name: 'Clear filters' }).click();

  const list = rollouts.getByRole('region', { name: 'List of rollouts' });
  await list.focus();
  await page.keyboard.press('j');
  await page.keyboard.press('ArrowDown');
  await expect(list.locator('[aria-current="true"]')).toHaveCount(1);
  await page.keyboard.press('Enter');
  const detail = page.getByRole('dialog');
  await expect(detail.getByText(`2 of ${ofOne}`)).toBeVisible();
  // The keyboard reads the same values token by token as the pointer.
  const reader = detail.getByLabel('Token of the answer');
  await reader.press('ArrowRight');
  await expect(reader).toHaveAttribute('aria-valuetext', /KL \S+ nats$/);
  await expect(detail.locator('.tok.read')).toHaveCount(1);
  await detail.getByRole('button', { name: /^Next/ }).focus();
  await page.keyboard.press('j');
  await expect(detail.getByText(`3 of ${ofOne}`)).toBeVisible();
  const place = await detail.locator('.detail-place').textContent();
  await detail.getByRole('button', { name: 'Copy link' }).click();
  await expect(detail.getByText('Link copied')).toBeVisible();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  const named = new URL(link).searchParams.get('rollout');
  expect(named).not.toBeNull();
  await expect(page).toHaveURL(({ searchParams }) => searchParams.get('rollout') === named);
  await page.keyboard.press('Escape');
  await expect(detail).toBeHidden();
  await expect(page).not.toHaveURL(/rollout=/);
  await expect(list).toBeFocused();

  const log = await labelled(page, rollouts, detail);
  await page.goto(link);
  await expect(detail.locator('.detail-place')).toHaveText(place!);
  await detail.getByRole('button', { name: 'Close' }).click();

  for (const bad of ['nonsense', 'gone/none/41:1:0:0']) {
    await page.goto(`./?rollout=${bad}`);
    await expect(page.getByText(/names no rollout|not kept in this browser/)).toBeVisible();
    await expect(detail).toBeHidden();
  }

  // The run's log opens on its own, in a page that shows no run, also on a phone.
  await toView(page, 'kept');
  await page.getByLabel('Log of Inspect').setInputFiles(log);
  await expect(rollouts.getByText('It is read here and not kept')).toBeVisible();
  await expect(rollouts.locator('.filters-count')).toHaveText(/^(\d+) of \1 rollouts/);
  await expect(rollouts.getByText('Labelled: 2 hack, 2 clean')).toBeVisible();
  await rollouts.getByRole('combobox', { name: /^Label/ }).selectOption('hack');
  await expect(rollouts.locator('.filters-count')).toHaveText(/^2 of /);
  await page.setViewportSize({ width: 390, height: 844 });
  await expectNoSidewaysScroll(page);
  await rollouts
    .getByRole('button', { name: /^Details/ })
    .first()
    .click();
  await detail.getByLabel('Note').fill('It writes what the tests read.');
  await detail.getByText('Your label').click();
  await detail.getByRole('button', { name: 'Close' }).click();
  await expect(rollouts.locator('.answer .tag[title^="It writes"]')).toBeVisible();
  await rollouts.getByRole('button', { name: 'Close the log' }).click();
  await expect(rollouts.getByText('It is read here and not kept')).toBeHidden();
});

/** Labels two answers of each of two prompts, makes a pair set of them, and returns the path of the run's log, which carries the labels. */
async function labelled(page: Page, rollouts: Locator, detail: Locator): Promise<string> {
  const groups = rollouts.getByRole('article');
  for (const group of [0, 1]) {
    for (const [answer, label] of ['hack', 'clean'].entries()) {
      await groups
        .nth(group)
        .getByRole('button', { name: /^Details/ })
        .nth(answer)
        .click();
      await detail.getByText(label, { exact: true }).click();
      await detail.getByRole('button', { name: 'Close' }).click();
      await expect(groups.nth(group).getByText(`labelled ${label}`)).toHaveCount(1);
    }
  }
  await expect(rollouts.getByText('Labelled: 2 hack, 2 clean')).toBeVisible();
  const download = page.waitForEvent('download');
  await rollouts.getByRole('button', { name: 'Inspect log' }).click();
  const saved = await download;
  expect(saved.suggestedFilename()).toMatch(/^\d{4}-.*\.eval$/);
  const path = test.info().outputPath(saved.suggestedFilename());
  await saved.saveAs(path);
  await rollouts.getByRole('button', { name: 'Make a pair set' }).click();
  await expect(page.getByText(/“labelled, .*” holds 2 pairs/)).toBeVisible();
  return path;
}

test('a run of 60 steps × 128 rollouts draws only what is visible, also on a phone', async ({ page }) => {
  await trained(page);
  await page.evaluate(lengthen, { steps: STEPS, perStep: PER_STEP });
  await page.reload();
  await ready(page);
  await toView(page, 'kept');
  const long = keptRuns(page).first();
  await long.getByRole('button', { name: /^Open/ }).click();
  const rollouts = section(page, 'Rollouts');
  // The opened run shows its last step once that has been read.
  await expect(rollouts.locator('.filters-count')).toContainText(`${PER_STEP} of ${PER_STEP} rollouts`);
  await rollouts.getByRole('button', { name: 'All steps' }).click();
  const all = STEPS * PER_STEP;
  await expect(rollouts.locator('.filters-count')).toContainText(`${all} of ${all} rollouts`);

  const list = rollouts.getByRole('region', { name: 'List of rollouts' });
  const cards = list.getByRole('article');
  await expect(cards.first()).toContainText('step 1');
  await expect.poll(() => cards.count()).toBeLessThan(20);
  // The list is scrolled from top to bottom in 120 frames, and then must show its end.
  const frames = await list.evaluate(async (box) => {
    const times: number[] = [];
    let last = performance.now();
    for (let i = 1; i <= 120; i++) {
      box.scrollTop = (box.scrollHeight * i) / 120;
      await new Promise(requestAnimationFrame);
      times.push(performance.now() - last);
      last = performance.now();
    }
    return times.sort((a, b) => a - b);
  });
  const [median, slowest] = [frames[60], frames[119]].map((ms) => `${ms.toFixed(0)} ms`);
  test.info().annotations.push({ type: 'frames', description: `median ${median}, slowest ${slowest}` });
  await expect(async () => {
    await list.evaluate((box) => box.scrollTo(0, box.scrollHeight));
    await expect(cards.last()).toContainText(`step ${STEPS}`, { timeout: 500 });
    await expect(cards.last().getByRole('listitem').first()).toBeVisible({ timeout: 500 });
  }).toPass({ timeout: 20_000 });
  await expect.poll(() => cards.count()).toBeLessThan(20);

  // The keyboard brings its rollout into view even if that is not drawn yet.
  await list.focus();
  await page.keyboard.press('j');
  await expect(list.locator('[aria-current="true"]')).toBeInViewport();

  // The chosen steps can be filtered by text.
  await rollouts.getByLabel('Text in prompt or answer').fill('marker of step 37.');
  await expect(rollouts.locator('.filters-count')).toContainText(`${PER_STEP} of ${PER_STEP} rollouts`);
  await expect(cards.first()).toContainText('step 37');

  await page.setViewportSize({ width: 390, height: 844 });
  await expectNoSidewaysScroll(page);
  await expect(cards.first()).toBeVisible();
});

/** Runs in the page: stores a long copy of the kept run with repeated steps and rollouts, newer than the original. */
async function lengthen({ steps, perStep }: { steps: number; perStep: number }): Promise<void> {
  type Row = Record<string, unknown>;
  const open = (name: string) =>
    new Promise<IDBDatabase>((resolve, reject) => {
      const request = indexedDB.open(`projected-grpo-lab.${name}`);
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  const read = (db: IDBDatabase, name: string) =>
    new Promise<Row[]>((resolve, reject) => {
      const request = db.transaction(name).objectStore(name).getAll();
      request.onsuccess = () => resolve(request.result as Row[]);
      request.onerror = () => reject(request.error);
    });
  const put = (db: IDBDatabase, name: string, entries: [string, unknown][]) =>
    new Promise<void>((resolve, reject) => {
      const transaction = db.transaction(name, 'readwrite');
      for (const [key, value] of entries) transaction.objectStore(name).put(value, key);
      transaction.oncomplete = () => resolve();
      transaction.onerror = () => reject(transaction.error);
    });
  const [experiments, runs, rollouts] = await Promise.all(['experiments', 'runs', 'rollouts'].map(open));
  const [experiment] = await read(experiments, 'experiments');
  const [run] = await read(runs, 'runs');
  const kept = (await read(rollouts, 'rollouts')) as unknown as Row[][];
  const id = 'long/route/41';
  const turnOf = (rollout: Row) => (rollout.turns as Row[])[0];
  const numbers = Array.from({ length: steps }, (_, i) => i + 1);
  const rows = run.rows as Row[];
  await put(
    rollouts,
    'rollouts',
    numbers.map((step) => {
      const source = kept[step % kept.length];
      const copies = Array.from({ length: perStep }, (_, i) => ({
        ...source[i % source.length],
        step,
        promptIndex: Math.floor(i / 8),
        sampleIndex: i % 8,
        turns: [
          { ...turnOf(source[i % source.length]), prompt: `${turnOf(source[0]).prompt} marker of step ${step}.` },
        ],
      }));
      return [`${id}/${String(step).padStart(7, '0')}`, copies] as [string, unknown];
    }),
  );
  // The record differs from the kept one, whose checksum therefore does not fit.
  const { __sha256: _, ...unsealed } = run;
  const longRun = {
    ...unsealed,
    id,
    experimentId: 'long',
    rows: numbers.map((step) => ({ ...rows[0], step })),
    timings: [],
  };
  await put(runs, 'runs', [[id, longRun]]);
  const createdAt = (experiment.createdAt as number) + 1000;
  await put(experiments, 'experiments', [
    ['long', { ...experiment, id: 'long', runIds: [id], createdAt, result: null }],
  ]);
}
