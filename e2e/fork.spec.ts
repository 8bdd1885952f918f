// A finished run is forked at a step, from its chart by mouse and by key, and from its rollouts. The fork is drawn beside its parent, and a fork
// without changes repeats the parent byte for byte.
import { expect, test } from '@playwright/test';
import { parseExperimentSpec } from '../src/experiments/config/spec.ts';
import {
  addressOf,
  downloaded,
  expectEveryLook,
  expectNoSidewaysScroll,
  expectSetting,
  ready,
  section,
  waitForTable,
} from './lab-page.ts';

test.use({ hasTouch: true });

test('a run is forked at a step, and drawn beside its parent', async ({ page }) => {
  const overrides = {
    steps: 6,
    warmupFrac: 0,
    evalEvery: 3,
    evalProblems: 4,
    finalEvalProblems: 4,
    problems: 8,
    pairs: 8,
  };
  const spec = parseExperimentSpec({ preset: 'smoke', arms: ['none'], seeds: [41], overrides, device: 'cpu' });
  await page.goto(await addressOf(spec));
  await ready(page);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await waitForTable(page);
  const parent = (await downloaded(page)).runs[0];

  // The menu of a step is closed by Escape, and opened again.
  const hack = page.getByTestId('chart-hack');
  await hack.scrollIntoViewIfNeeded();
  const field = (await hack.locator('.recharts-cartesian-grid').boundingBox())!;
  const at = { x: field.x + (field.width * 2) / 6, y: field.y + field.height / 2 };
  const menu = page.getByRole('dialog', { name: 'vanilla, seed 41, step 2' });
  await page.mouse.move(at.x - 4, at.y);
  await page.mouse.move(at.x, at.y);
  await page.mouse.click(at.x, at.y, { button: 'right' });
  await expect(menu.getByRole('button', { name: 'Open the rollouts' })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(menu).toHaveCount(0);
  // Both menu keys open it at the keyboard's cursor, and Escape returns there.
  await page.mouse.move(0, 0);
  const surface = hack.locator('svg.recharts-surface');
  for (const key of ['Shift+F10', 'ContextMenu']) {
    await surface.focus();
    await page.keyboard.press('ArrowRight');
    await expect(hack.locator('.hover')).toContainText('Enter opens');
    const [where] = /vanilla, seed 41, step \d/.exec((await hack.locator('.hover').textContent())!)!;
    await page.keyboard.press(key);
    await expect(page.getByRole('dialog', { name: where })).toBeInViewport({ ratio: 1 });
    await page.keyboard.press('Escape');
    await expect(surface).toBeFocused();
  }
  await surface.blur();
  // On a narrow screen a long press opens it.
  await page.setViewportSize({ width: 390, height: 844 });
  await hack.scrollIntoViewIfNeeded();
  const narrow = (await hack.locator('.recharts-cartesian-grid').boundingBox())!;
  const touchPoints = [{ x: narrow.x + (narrow.width * 2) / 6, y: narrow.y + narrow.height / 2 }];
  const finger = await page.context().newCDPSession(page);
  await finger.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints });
  await expect(menu.getByRole('button', { name: 'Fork here' })).toBeInViewport();
  await finger.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  await menu.getByRole('button', { name: 'Fork here' }).tap();
  await page.setViewportSize({ width: 1280, height: 900 });

  const form = page.getByRole('form', { name: 'Configure' });
  const note = form.getByText('Fork of vanilla, seed 41, at step 2.');
  await expect(note).toBeVisible();
  await expect(form.getByText('Nothing is changed: it repeats its parent.')).toBeVisible();
  await expectSetting(page, 'Steps', '6');

  // Settings that may not change are marked, and a refusal gives its reason.
  await form.getByRole('textbox', { name: 'Seeds' }).fill('42');
  await expect(page.getByText(/seed = 42, and its parent’s is 41/)).toBeVisible();
  await form.getByRole('textbox', { name: 'Seeds' }).fill('41');

  // The fork has two arms: one without a change, and one that erases from the next step on.
  await form.locator('label', { hasText: /^erase$/ }).click();
  await expect(form.getByText(/From step 3 on: vanilla → erase\. Without a change, vanilla repeats/)).toBeVisible();
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  // The fork's notice covers neither the header nor the bar of the run, and its text is not cut.
  const notice = page.locator('.notice');
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 900 });
    const [words, over, masthead, bar] = await Promise.all(
      [notice.locator('p'), notice, page.locator('.masthead'), page.locator('.run-bar').last()].map(
        async (part) => (await part.boundingBox())!,
      ),
    );
    expect(words.width).toBeGreaterThan(100);
    expect(over.y).toBeGreaterThan(masthead.y + masthead.height);
    if (width === 390) expect(over.y + over.height).toBeLessThan(bar.y);
  }
  await expect(section(page, 'Watch').getByText(/fork of vanilla at step 2/)).toBeVisible();
  // The form is an ordinary one again, and a link back to the fork opens it.
  await expect(note).toHaveCount(0);
  await notice.getByRole('button', { name: 'Back to the fork' }).click();
  await expect(note).toBeVisible();
  await form.getByRole('button', { name: 'Do not fork' }).click();
  const since = section(page, 'Watch').getByRole('region', { name: 'Since step 2, paired' });
  await expect(since).toBeVisible({ timeout: 240_000 });
  await expect(since.getByText(/From step 3 on: vanilla → erase\./)).toBeVisible();
  await expect(since.getByRole('rowheader', { name: 'erase: Solve, mean of 4 paired steps' })).toBeVisible();

  // The link back stands beside the result, after the notice has gone; adding seeds to a fork would be refused.
  const headline = section(page, 'Headline');
  await expect(headline.getByText(/^Solve untrained .* → after; parent \d+%$/)).toBeVisible();
  await expect(headline.getByRole('button', { name: 'More seeds' })).toHaveCount(0);
  await headline.getByRole('button', { name: 'Back to the fork' }).click();
  await expect(note).toBeVisible();
  await expect(form.getByText(/From step 3 on: vanilla → erase\./)).toBeVisible();

  // The sentence gives the parent's values beside the fork's.
  await expect(section(page, 'Watch').locator('.headline').first()).toContainText(/From step 3 on,? .*parent/);

  const { runs } = await downloaded(page);
  const [same, erased] = ['none', 'erase'].map((arm) => runs.find((run) => run.spec.arm === arm)!);
  expect(same.rows).toEqual(parent.rows);
  expect(same.evals).toEqual(parent.evals);
  expect(erased.rows.slice(0, 2)).toEqual(parent.rows.slice(0, 2));
  expect(erased.rows[3]).not.toEqual(parent.rows[3]);
  expect(erased.spec.fork).toMatchObject({ run: parent.id, step: 2 });
  // The parent’s line is drawn beside the fork’s, which begins at the forked step.
  const lines = hack.getByRole('list', { name: 'Lines of Hack' });
  await expect(lines.getByRole('button', { name: /parent: vanilla$/ })).toBeVisible();

  await expectEveryLook(page);

  // The rollouts offer the same: a step of the fork is forked again.
  await page.setViewportSize({ width: 390, height: 844 });
  await expectNoSidewaysScroll(page);
  await section(page, 'Rollouts').getByRole('button', { name: 'Fork at step 6' }).click();
  await expect(form.getByText(/Fork of (vanilla|erase), seed 41, at step 6\./)).toBeVisible();
  await expectSetting(page, 'Steps', '12');
  await expectNoSidewaysScroll(page);
  await form.getByRole('button', { name: 'Do not fork' }).click();
  await expect(form.getByText(/Fork of/)).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Run', exact: true })).toBeEnabled();
});
