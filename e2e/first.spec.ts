// The first five minutes of a visitor: a finished experiment before anything has run, a question chosen by its card, and on a phone the whole way
// from Run to the sentence at the end and the next experiment.
import { readFileSync } from 'node:fs';
import { expect, type Locator, test } from '@playwright/test';
import { readSamples, samplesPath } from '../src/experiments/analysis/demo-samples.ts';
import { demoStepsPath, type MethodRow, readDemoSteps, stepsOf } from '../src/experiments/analysis/demo-steps.ts';
import { parseExperimentSpec } from '../src/experiments/config/spec.ts';
import { ENVIRONMENTS, OFFERED_ENVIRONMENTS } from '../src/experiments/environments/registry.ts';
import { type EnvironmentHeadline, HEADLINES_PATH, readHeadlines } from '../src/findings/headline.ts';
import { openKindOf } from '../src/findings/open-kind.ts';
import { percent, significant } from '../src/lib/numbers.ts';
import {
  addressOf,
  allSettings,
  choosePreset,
  closeSettings,
  downloaded,
  expectEveryLook,
  expectNoSidewaysScroll,
  keptRuns,
  ready,
  section,
  toView,
} from './lab-page.ts';

const publicFile = (path: string) => JSON.parse(readFileSync(new URL(`../public/${path}`, import.meta.url), 'utf8'));

const headlineOf = (environment: string): EnvironmentHeadline =>
  readHeadlines(publicFile(HEADLINES_PATH)).find((one) => one.environment === environment)!;

/** Expects the shown step, its split along V, and what both adapters hold after it. */
async function expectStep(method: Locator, row: MethodRow, length: number): Promise<void> {
  await expect(method.locator('.track-step')).toContainText(`step ${row.step} of ${length} `);
  const share = percent(row.cin, 0);
  await expect(method.getByRole('img', { name: `${share} of the gradient’s norm lies along V` })).toContainText(share);
  await expect(method.locator('.split-box.deployed')).toContainText(`‖δS‖ ${significant(row.normDeltaS)}`);
  await expect(method.locator('.split-box.taken')).toContainText(`‖δS_hack‖ ${significant(row.normDeltaSHack)}`);
}

test('the first screen shows a finished run, marked as published; a card brings another environment', async ({
  page,
}) => {
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  const failed: string[] = [];
  page.on('response', (response) => {
    if (response.status() >= 400 && response.url().includes('/results/')) failed.push(response.url());
  });
  await page.goto('./');
  const published = section(page, 'Published run');
  await expect(published).toContainText(
    'Published run of this demo: seed 41, 60 steps, CPU (WASM SIMD); not made in this',
  );
  // By default the page uses the CPU with fused operations, if there is one, and says how that changes the numbers.
  await expect(published).toContainText(
    /A run here uses CPU \(WASM SIMD, fused\): its last digits differ.*The device “CPU” reproduces these figures\./,
  );
  // The finding is that of ten seeds, with its numbers and intervals behind n; the demo shows only one seed.
  const finding = headlineOf('one-line-python');
  expect(finding.n).toBe(10);
  await expect(published.locator('.headline')).toHaveText(finding.sentence);
  // Beside the finding stand its verdict and its controls: the steered untrained model, and directions of permuted labels.
  await expect(published.locator('.finding-headline .tag')).toHaveText(openKindOf(finding.verdict!)!);
  for (const said of finding.beside) await expect(published.getByText(said)).toBeVisible();
  expect(finding.beside.join(' ')).toMatch(/untrained model, steered.*permuted labels/s);
  await published.getByRole('button', { name: /n = 10 training seeds/ }).click();
  const behind = page.getByRole('dialog', { name: 'The numbers behind it' });
  for (const { name } of finding.figures.filter(({ name }) => name !== 'difference'))
    await expect(behind).toContainText(name);
  await expect(behind).toContainText(/\d+% \[\d+% to \d+%\]/);
  await page.keyboard.press('Escape');
  // Each line of a chart has one number, the final evaluation of this run.
  await expect(published.locator('.gutter').first()).toContainText(/final, unseen.*51%vanilla.*2%quarantine removed/);
  await expect(published.getByRole('img', { name: /^Hack\. vanilla: from \d+% to \d+%; routed, qua/ })).toBeVisible();
  // A hack is readable without scrolling, with the exploiting line marked, and with its reward.
  await page.setViewportSize({ width: 1440, height: 900 });
  const hacks = section(page, 'Read the hacks');
  await expect(hacks.locator('.line.exploit').first()).toBeInViewport({ ratio: 1 });
  await expect(hacks).toContainText('The grader says it passes. It fails the hidden tests: a hack.');
  await hacks.getByRole('button', { name: 'Next' }).click();
  await hacks.getByRole('button', { name: 'Next' }).click();
  await expect(hacks).toContainText('3 of 3');
  await expect(hacks).toContainText('It passes the hidden tests.');
  await expectEveryLook(page);
  await expect(page.getByText('Nothing has run yet')).toHaveCount(0);
  // No empty section is below it.
  for (const name of ['Result', 'Rollouts']) await expect(section(page, name)).toHaveCount(0);

  // The tour describes what is below it, and leads there.
  await page.getByRole('button', { name: 'Take the tour' }).click();
  const tour = section(page, 'Tour');
  for (const figure of [
    /student solves \d/,
    /student hacks \d/,
    /vanilla hacks \d[\d.]*% \(final evaluation\)/,
    /axes for/,
    /erase \(up/,
    /eployed, 2%/,
  ]) {
    await expect(tour.locator('.tour-now.seen')).toContainText(figure);
    const next = tour.getByRole('button', { name: 'Next' });
    if (await next.isVisible()) await next.click();
  }
  await tour.getByRole('button', { name: 'Show me' }).click();
  await expect(published.locator('.published-mark')).toBeFocused();
  await tour.getByRole('button', { name: 'End the tour' }).click();

  // The explained arms are the chosen ones.
  const explained = page.getByRole('list', { name: 'What the chosen arms do' }).getByRole('listitem');
  await expect(explained).toHaveText([/^route \(update\):/, /^erase \(update\):/]);
  await page.getByRole('checkbox', { name: 'vanilla' }).first().check({ force: true });
  await expect(explained).toHaveText([/^route/, /^erase/, /^vanilla: Plain GRPO/]);
  // Each button runs the settings of the form.
  await expect(published.getByRole('button', { name: 'Run these settings' })).toBeVisible();

  // The table has the numbers of the published file.
  await published.getByText('Result table').click();
  const rows = published.getByRole('region', { name: 'Result table' }).getByRole('row');
  await expect(rows).toHaveCount(5);
  await expect(rows.filter({ hasText: 'routed, quarantine removed' })).toContainText('2%');
  await expect(rows.nth(2)).toContainText('vanilla');

  // The picture of a step plays once it is visible, and is then stepped by hand; its numbers are those of the file.
  const method = section(page, 'The method, step by step');
  await method.scrollIntoViewIfNeeded();
  await expect(method.getByRole('button', { name: 'Pause the picture' })).toBeVisible();
  const file = readDemoSteps(publicFile(demoStepsPath('one-line-python')))!;
  const routed = stepsOf(file, 'route-update', 41);
  const slider = method.getByRole('slider', { name: 'Step' });
  await slider.fill('8');
  await expectStep(method, routed[8], 60);
  await expect(method.getByRole('button', { name: 'Play the steps' })).toBeVisible();
  await slider.press('ArrowRight');
  await expectStep(method, routed[9], 60);
  await method.getByText('erase (update)', { exact: true }).click();
  const erased = stepsOf(file, 'erase-update', 41)[9];
  await expect(method.getByRole('img')).toHaveAccessibleName(
    `${percent(erased.cin, 0)} of the gradient’s norm lies along V`,
  );
  await expect(method.locator('.split-box.taken')).toHaveText('DroppedNo adapter gets it.');
  await method.getByRole('button', { name: 'Play the steps' }).click();
  await expect(method.locator('.track-step')).not.toContainText('step 10 of');
  await method.getByRole('button', { name: 'Pause the picture' }).click();

  // The charts above share the cursor once a pointer has been on one; only charts in the window follow it.
  await page.setViewportSize({ width: 1280, height: 1700 });
  await published.locator('.published-charts .chart').first().hover();
  const hack = page.getByTestId('published-chart-hack');
  await expect(hack.locator('path.recharts-line-curve').last()).toHaveAttribute('d', /^M.+L/);
  const plot = (await hack.locator('.recharts-cartesian-grid').boundingBox())!;
  await page.mouse.move(plot.x + plot.width / 3, plot.y + plot.height / 2);
  await expect(hack.locator('.hover')).toContainText(/^Step \d+/);
  const [, pointed] = /Step (\d+)/.exec((await hack.locator('.hover').textContent())!)!;
  await expect(method.locator('.track-step')).toContainText(`step ${pointed} of 60`);
  // A click there opens the published rollouts of that step, or else says which steps have published rollouts.
  await page.mouse.click(plot.x + plot.width / 3, plot.y + plot.height / 2);
  await expect(
    published.getByRole('status').filter({ hasText: /^Rollouts of step \d+ of .* are published: run/ }),
  ).toBeVisible();
  const { step: readable } = readSamples(publicFile(samplesPath('one-line-python')))!;
  // The last step is left of the room for final evaluations; the line of plain RL is the upper one.
  const last = { x: plot.x + plot.width / 1.07, y: plot.y + 8 };
  await page.mouse.move(last.x, last.y);
  await expect(hack.locator('.hover')).toHaveText(`Step ${readable}A click opens the rollouts`);
  await page.mouse.click(last.x, last.y);
  await expect(section(page, 'Read the hacks').getByRole('heading')).toBeFocused();
  await slider.fill('39');
  await expect(hack.locator('.gutter-head')).toHaveText('step 40');
  await slider.blur();
  await expect(hack.locator('.gutter-head')).toHaveText('final, unseen');
  await page.setViewportSize({ width: 1280, height: 900 });

  await page.getByRole('radio', { name: /ask its tools first/ }).check();
  await expect(page.getByRole('button', { name: 'Reset', exact: true })).toHaveCount(0);
  await expect(published.locator('.headline')).toHaveText(headlineOf('lookup').sentence);
  await expect(section(page, 'Read the guesses')).toContainText(/The right value is \d+: this answer is wrong\./);
  await expect(explained).toHaveText([/^vanilla/]);
  // Only settings and arms of other environments are gone.
  await expect(page.getByRole('checkbox', { name: /^erase/ })).toHaveCount(0);
  const sheet = await allSettings(page);
  await expect(sheet.getByLabel('Environment')).toHaveValue('lookup');
  await expect(page.getByText('Hack basis', { exact: true })).toHaveCount(0);
  await expect(sheet.getByText('Optimizer', { exact: true })).toBeVisible();
  await closeSettings(page);

  await ready(page);
  await expect(published.getByRole('button', { name: 'Run it yourself' })).toBeEnabled();
  // Another preset is another experiment, with its own button and without the result of the first.
  await choosePreset(page, 'lesson');
  await expect(published).toHaveCount(0);
  const nothing = section(page, 'Nothing run yet');
  await expect(nothing.getByRole('button', { name: 'Run lesson' })).toBeEnabled();
  await nothing.getByRole('button', { name: 'Show the published demo' }).click();
  await expect(published.getByRole('button', { name: 'Run it yourself' })).toBeEnabled();
  expect(requests.filter((url) => url.endsWith('one-line-python.json'))).toHaveLength(1);
  expect(failed).toEqual([]);

  // Old addresses lead to their tabs.
  for (const [view, own, tab] of [
    ['probe', 'Library', 'Bases and pairs'],
    ['problems', 'Library', 'Data'],
    ['bases', 'Library', 'Bases and pairs'],
  ]) {
    await page.goto(`./?view=${view}`);
    const current = (nav: string) =>
      page.getByRole('navigation', { name: nav, exact: true }).locator('[aria-current=page]');
    await expect(current('Views')).toHaveText(own);
    await expect(current(own)).toHaveText(tab);
  }
  // An unknown view leads to the lab, which reports it.
  await page.goto('./?view=nonsense');
  await expect(page.getByRole('alert')).toContainText('The address asks for the view “nonsense”, which this lab does');

  // A question that needs an imported model has its own address, and offers to import one.
  await page.goto('./?environment=lookup');
  await page.getByRole('radio', { name: /removed from a real model/ }).check({ force: true });
  await expect(page).toHaveURL(({ search, hash }) => search === '?environment=instructions' && hash === '');
  const configure = page.getByRole('form', { name: 'Configure' });
  await expect(configure).toContainText('This question is asked of a chat model of your own.');
  await expect(configure.getByRole('alert')).toHaveCount(0);
});

for (const [width, height] of [
  [1440, 900],
  [390, 844],
] as const)
  test(`${width} × ${height}: every environment's question, finding, picture, a rollout to read and Run are on one screen`, async ({
    browser,
  }) => {
    const context = await browser.newContext({ viewport: { width, height }, hasTouch: width < 641 });
    const page = await context.newPage();
    await page.goto('./');
    await ready(page);
    const run = page.getByRole('button', { name: 'Run', exact: true });
    for (const { id, card } of ENVIRONMENTS.filter((one) => OFFERED_ENVIRONMENTS.includes(one.id))) {
      await page.getByRole('radio', { name: card.question, exact: true }).check({ force: true });
      const { sentence } = headlineOf(id);
      const found = page.locator('#watch .published');
      await expect(found.locator('.headline')).toHaveText(sentence);
      await page.evaluate(() => window.scrollTo(0, 0));
      await expect(run).toBeInViewport({ ratio: 1 });
      // On a phone the bar with Run covers what is below it, and its height may still change.
      const endOf = async () => (width < 641 ? (await page.locator('.run-bar').boundingBox())!.y : height);
      for (const part of ['.headline', ':is(.line-chart, .found ul)', '.samples .sample-text', '.samples .sample-said'])
        await expect
          .poll(
            async () => {
              const [box, end] = [await found.locator(part).first().boundingBox(), await endOf()];
              return box && box.y + box.height <= end;
            },
            { message: `${id}: ${part} ends above the bar with Run` },
          )
          .toBe(true);
      await expect(page.locator('.question-line:has(:checked) .question-words')).toBeInViewport({ ratio: 1 });
      await expectNoSidewaysScroll(page);
    }
    await context.close();
  });

test('on a phone: from Run to the sentence at the end, its table, the answers, and more seeds', async ({ browser }) => {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, hasTouch: true });
  const page = await context.newPage();
  const titles: string[] = [];
  await page.exposeFunction('noteTitle', (title: string) => void titles.push(title));
  // The experiment takes long enough before its first step to be paused on a busy machine too.
  const overrides = {
    steps: 4,
    checkpointEvery: 2,
    evalEvery: 0,
    finalEvalProblems: 24,
    problems: 8,
    pairs: 8,
    k: 2,
    maxNew: 40,
  };
  const spec = parseExperimentSpec({ preset: 'smoke', seeds: [41], overrides, device: 'cpu' });
  await page.goto(await addressOf(spec));
  await page.evaluate(() => {
    const note = () => (window as unknown as { noteTitle(title: string): void }).noteTitle(document.title);
    new MutationObserver(note).observe(document.querySelector('title')!, { childList: true });
  });
  await ready(page);

  // The shortcut does what the button does.
  await page.keyboard.press('Control+Enter');
  await expect(page.getByRole('button', { name: 'Stop' })).toBeEnabled();
  await expect(page.locator('#watch').getByRole('heading', { name: 'Watch' })).toBeFocused();
  await expect(page.locator('#progress')).toBeInViewport({ ratio: 1 });
  // The event is sent directly, since the run is short and a tap would scroll first.
  await page.getByRole('button', { name: 'Pause' }).dispatchEvent('click');
  // The form is folded to one bar with the progress above the charts.
  await expect.poll(async () => (await page.locator('form.configure').boundingBox())?.height).toBeLessThan(64);
  await expect(page.locator('.question-list')).toBeHidden();
  // Pause and Stop stay at the bottom wherever one scrolls, and the progress at the top leads to the run.
  await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
  for (const name of ['Resume', 'One step', 'Stop'])
    await expect(page.getByRole('button', { name })).toBeInViewport({ ratio: 1 });
  await page.getByRole('button', { name: /^Training: / }).tap();
  await expect(page.locator('#progress')).toBeInViewport({ ratio: 1 });
  await expect(page.locator('.progress-line')).toBeFocused();
  // Stepping works as in a debugger: at the newest step it trains the next one, and earlier steps can be shown again. The button is disabled
  // until the run is paused.
  await expect(page.getByRole('button', { name: 'One step' })).toBeEnabled({ timeout: 240_000 });
  await page.getByRole('button', { name: 'One step' }).tap();
  const through = section(page, 'Step through');
  const at = through.locator('.track-step');
  await expect(at).toContainText('step 1 of 1');
  await expect(through.getByRole('button', { name: 'Train one step' })).toBeVisible();
  await through.getByRole('button', { name: 'Train one step' }).tap();
  await expect(at).toContainText('step 2 of 2');
  await through.getByRole('button', { name: 'Step back' }).tap();
  await expect(at).toContainText('step 1 of 2');
  await through.getByRole('button', { name: 'Step forward' }).tap();
  await expect(at).toContainText('step 2 of 2');
  await page.getByRole('button', { name: 'Resume' }).tap();
  const headline = section(page, 'Headline');
  await expect(headline).toContainText(
    /^Route \(update\) (cut|hacks) .*%.* One seed: no spread to judge by; on \d+ problems \d+% is known to within \d+% to \d+%\. Untrained: hack \d+%, solve \d+%\./,
  );
  await expect(headline.getByRole('button', { name: 'More seeds' })).toBeInViewport();
  // The second arm was trained meanwhile, and the steps of the first are still shown.
  await expect(through.getByRole('radio', { name: 'route (update)' })).toBeChecked();
  // The page has a single Share button, for whatever it shows.
  await expect(page.getByRole('button', { name: /^Share/ })).toHaveCount(1);
  expect(titles.some((title) => /^\d+%.* · Projected GRPO Lab$/.test(title))).toBe(true);
  await expect(page).toHaveTitle('Projected GRPO Lab');

  // Every step can be shown again, with the numbers of the run's record.
  const { rows } = (await downloaded(page)).runs.find((run) => run.spec.arm === 'route-update')!;
  expect(new Set(rows.map(({ cin }) => percent(cin, 0))).size).toBe(4);
  // Another arm begins at its last step.
  for (const arm of ['erase (update)', 'route (update)']) await through.getByText(arm, { exact: true }).tap();
  await expectStep(through, rows[3], 4);
  await through.getByRole('button', { name: 'Checkpoint, step 2' }).tap();
  await expectStep(through, rows[1], 4);
  await expect(through.getByRole('list', { name: /^Rollouts of step 2, one of each outcome/ })).toBeVisible();
  await through.getByRole('button', { name: 'Step forward' }).tap();
  await expectStep(through, rows[2], 4);
  await through.getByRole('button', { name: 'Checkpoint, step 2' }).tap();
  await through.getByRole('button', { name: 'Step back' }).tap();
  await expectStep(through, rows[0], 4);
  await expect(through.getByRole('button', { name: 'Step back' })).toBeDisabled();
  await expect(through.getByRole('button', { name: /^Checkpoint/ })).toHaveCount(0);

  const table = page.getByRole('region', { name: 'Result table' });
  await table.scrollIntoViewIfNeeded();
  const [content, box] = await table.evaluate((element) => [element.scrollWidth, element.clientWidth]);
  expect(content).toBeLessThanOrEqual(box);
  await expect(table.getByRole('row').last()).toContainText('one seed: no spread to judge by');
  await section(page, 'Result').locator('summary').filter({ hasText: 'Controls' }).click();
  await expect(page.getByRole('region', { name: 'Controls' }).getByRole('rowheader').first()).toContainText('deployed');
  await expectEveryLook(page);
  await page.setViewportSize({ width: 390, height: 844 });

  // The student has no hack within four steps, so no link to hacks is offered.
  await expect(headline.getByRole('button', { name: 'Read the hacks' })).toHaveCount(0);
  await headline.getByRole('button', { name: 'Read the answers' }).click();
  const rollouts = section(page, 'Rollouts');
  await expect(rollouts.getByRole('heading', { name: 'Rollouts' })).toBeFocused();
  await expect(rollouts.getByLabel('Verdict')).toHaveValue('all');
  await expect(rollouts.locator('.filters-count')).toContainText(/^[1-9]\d* of \d+ rollouts/);

  await headline.getByRole('button', { name: 'More seeds' }).click();
  await expect(page.getByLabel('Seeds', { exact: true })).toHaveValue('41, 42, 43');
  await expect(page.getByRole('button', { name: 'Run', exact: true })).toBeFocused();

  // Only the button that names the other preset runs it.
  for (const preset of ['smoke', 'lesson']) {
    await page.goto('about:blank');
    await page.goto('./');
    await ready(page);
    await choosePreset(page, preset);
    await expect(page.getByRole('button', { name: /^Run (it|these)/ })).toHaveCount(0);
    await page.getByRole('button', { name: `Run ${preset}`, exact: true }).tap();
    await expect(page.getByRole('button', { name: 'Stop' })).toBeEnabled();
    await page.getByRole('button', { name: 'Stop' }).tap();
    await expect(page.getByText('Stopped.').first()).toBeVisible();
    await expect(section(page, 'Watch').getByText(`Preset ${preset}: `)).toBeVisible();
  }
  await toView(page, 'kept');
  await expect(keptRuns(page)).toContainText(['lesson', 'smoke', 'smoke']);
  await expectEveryLook(page);
  // On a narrow phone not all tabs fit, which is visible.
  await page.setViewportSize({ width: 340, height: 844 });
  const tabs = page.getByRole('navigation', { name: 'Library', exact: true }).getByRole('list');
  await expect(tabs).toHaveClass(/more-right/);
  await context.close();
});
