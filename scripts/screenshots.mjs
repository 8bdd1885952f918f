// `npm run screenshots`: opens the built page as a person would, runs the default experiment to its table, and takes pictures of it:
// wide and phone-narrow, light and dark. Every figure in them was computed by that run, or is a published one and says so. Sixteen
// of them are the project's own, in docs/screenshots; `npm run screenshots -- all` takes the others too, into .cache/screenshots.
// With names of views (`npm run screenshots -- questions`) only theirs, without the run.
import './tool/node-version.mjs';
import { existsSync, mkdirSync } from 'node:fs';
import { relative } from 'node:path';
import { chromium } from '@playwright/test';
import { ensureChromium } from './tool/chromium.mjs';
import { buildPage, DIST } from './tool/page.mjs';
import { at } from './tool/project.mjs';
import { serve } from './tool/server.mjs';

const FOLDER = at('docs', 'screenshots');
const REST = at('.cache', 'screenshots');
/** What the project keeps: at most sixteen, 3 MB in all. */
const KEPT = [
  ...['first-light', 'first-dark', 'first-phone-light', 'first-phone-dark'],
  ...['lab-light', 'lab-dark', 'phone-light', 'phone-dark'],
  ...['result-light', 'rollouts-dark', 'questions-light', 'questions-phone-dark'],
  ...['q2-light', 'compare-light', 'bases-dark', 'device-light'],
];
const WIDE = { width: 1440, height: 1000 };
const PHONE = { width: 390, height: 844 };
/** Beside the project, and not part of it: without them the lab's own model is shown, and no problem file. */
const MODEL = at('..', 'shared', 'models', 'minimind2-small');
const PROBLEMS = at('..', 'shared', 'data', 'leetcode_medhard_sample.jsonl');

/** Takes minutes of training, for pictures that are not kept. */
const LONG = ['probe'];
const VIEWS = [
  'compare',
  'questions',
  'arena',
  'sweeps',
  'kept',
  'pools',
  'bases',
  'probe',
  'models',
  'problems',
  'playground',
  'agents',
  'device',
];
/** Show nothing of the run. */
const ALONE = ['questions', 'sweeps', 'probe', 'models', 'problems', 'agents', 'device'];
const asked = process.argv.slice(2).filter((name) => name !== 'all');
const all = process.argv.includes('all');
const unknown = asked.filter((view) => !ALONE.includes(view));
if (unknown.length > 0) {
  console.error(`${unknown.join(', ')}: there are all, and alone ${ALONE.join(', ')}.`);
  process.exit(2);
}

await buildPage();
const { port, close } = await serve(DIST, { port: 0, strict: false });
const executablePath = await ensureChromium();
const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
const browser = await chromium.launch({ executablePath, args });
const page = await browser.newPage({ viewport: WIDE, colorScheme: 'light' });
for (const folder of [FOLDER, REST]) mkdirSync(folder, { recursive: true });

/** A question's card by its letter and number, any other part by its name. */
const part = (target) =>
  /^[A-Z]\d+$/.test(target)
    ? page.locator(`details#${target}`)
    : page.getByRole('region', { name: target, exact: true });

const shoot = async (name, scheme, size, target) => {
  const isKept = KEPT.includes(name);
  if (!isKept && !all && asked.length === 0) return;
  const path = `${isKept ? FOLDER : REST}/${name}.png`;
  await page.emulateMedia({ colorScheme: scheme });
  await page.setViewportSize(size);
  if (target) await part(target).scrollIntoViewIfNeeded();
  else await page.evaluate(() => scrollTo(0, 0));
  // Charts measure their box after the resize.
  await page.waitForTimeout(1500);
  if (target) {
    // Not a <style>, which the page's policy forbids.
    const sticky = await page.evaluateHandle(() => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync('.views, .rail, .run-bar { position: static !important } .notices { display: none }');
      document.adoptedStyleSheets.push(sheet);
      return sheet;
    });
    await part(target).screenshot({ path });
    await sticky.evaluate((sheet) => (sheet.disabled = true));
  } else await page.screenshot({ path });
  console.log(relative(at(), path));
};

try {
  if (asked.length === 0) {
    // Before anything has run: the published demo.
    await page.goto(`http://localhost:${port}/`);
    await page.getByRole('button', { name: 'No, thanks' }).waitFor();
    await page.getByRole('button', { name: 'Run', exact: true }).waitFor();
    for (const scheme of ['light', 'dark']) {
      await shoot(`first-${scheme}`, scheme, WIDE);
      await shoot(`first-phone-${scheme}`, scheme, PHONE);
    }
    await page.setViewportSize(WIDE);
  }
  await page.goto(`http://localhost:${port}/${asked.length > 0 ? '' : '?start'}`);
  if (asked.length === 0) await page.getByRole('table').waitFor({ timeout: 1_200_000 });
  await page.getByRole('button', { name: 'No, thanks' }).click();
  for (const scheme of asked.length > 0 ? [] : ['light', 'dark']) {
    await shoot(`lab-${scheme}`, scheme, WIDE);
    await shoot(`phone-${scheme}`, scheme, PHONE);
    await shoot(`result-${scheme}`, scheme, WIDE, 'Result');
    await shoot(`rollouts-${scheme}`, scheme, WIDE, 'Rollouts');
  }
  for (const view of asked.length > 0 ? asked : VIEWS.filter((name) => all || !LONG.includes(name))) {
    await page.goto(`http://localhost:${port}/?view=${view}`);
    await page.getByRole('heading', { level: 2 }).first().waitFor();
    if (view === 'compare') {
      // Vanilla (route's training run) against what it deploys.
      await page.getByRole('checkbox').nth(0).check();
      await page.getByRole('checkbox').nth(1).check();
    }
    if (view === 'agents') {
      await page.getByRole('button', { name: 'Generate' }).click();
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      await page.getByRole('region', { name: 'Verdict' }).waitFor();
    }
    if (view === 'questions') {
      // Whatever is published with this build; a question that nobody has run says so.
      await part('H1').waitFor();
      await page.waitForFunction(() => !document.body.textContent.includes('reading …'));
      for (const id of ['H1', 'Q2', 'Q18']) await page.locator(`details#${id} > summary`).click();
      for (const scheme of ['light', 'dark'])
        for (const [name, target] of [
          ['h1', 'H1'],
          ['q2', 'Q2'],
          ['q18', 'Q18'],
        ]) {
          await shoot(`${name}-${scheme}`, scheme, WIDE, target);
          await shoot(`${name}-phone-${scheme}`, scheme, PHONE, target);
        }
      for (const id of ['H1', 'Q2', 'Q18']) await page.locator(`details#${id} > summary`).click();
    }
    if (view === 'bases') {
      // Half of the pairs held out; set against the run's own basis, of all of them.
      const form = page.getByRole('form', { name: 'Extract a basis' });
      await page.getByRole('list', { name: 'Pairs of the set' }).waitFor();
      await form.getByLabel('Held-out pairs').fill('12');
      await form.getByRole('button', { name: 'Extract the basis' }).click();
      await page.getByText('is extracted').waitFor();
      const likeness = page.getByRole('region', { name: 'Cosine between two bases' });
      await likeness.getByLabel('First basis').selectOption({ index: 1 });
      await likeness.getByLabel('Second basis').selectOption({ index: 2 });
      await likeness.getByRole('table').first().waitFor();
      for (const scheme of ['light', 'dark'])
        for (const [name, target] of [
          ['axes', 'Axes'],
          ['likeness', 'Cosine between two bases'],
        ]) {
          await shoot(`${name}-${scheme}`, scheme, WIDE, target);
          await shoot(`${name}-phone-${scheme}`, scheme, PHONE, target);
        }
    }
    if (view === 'models') {
      // Chosen and planned, not loaded.
      await page
        .getByLabel('Model folder')
        .setInputFiles(existsSync(MODEL) ? MODEL : at('public', 'models', 'tiny-coder'));
      await page.getByRole('table', { name: 'Memory plan' }).waitFor();
      for (const scheme of ['light', 'dark']) {
        await shoot(`models-load-${scheme}`, scheme, WIDE, 'Load another');
        await shoot(`models-load-phone-${scheme}`, scheme, PHONE, 'Load another');
      }
      await page
        .getByRole('article')
        .getByRole('button', { name: /^Close / })
        .click();
    }
    if (view === 'problems' && existsSync(PROBLEMS)) {
      await page.getByLabel('Problem file', { exact: true }).setInputFiles(PROBLEMS);
      await page.getByRole('list', { name: 'Problem files' }).waitFor();
    }
    if (view === 'probe') {
      await page.getByRole('button', { name: 'Run the probe' }).click();
      await page.getByTestId('probe-heat').waitFor({ timeout: 600_000 });
      await page.getByRole('button', { name: 'Train T5', exact: true }).click();
      await page.getByTestId('probe-ratios').waitFor({ timeout: 1_200_000 });
      for (const scheme of ['light', 'dark'])
        for (const [name, target] of [
          ['verdicts', 'Verdicts'],
          ['cosines', 'Cosines'],
          ['trainings', 'Trainings'],
        ]) {
          await shoot(`${name}-${scheme}`, scheme, WIDE, target);
          await shoot(`${name}-phone-${scheme}`, scheme, PHONE, target);
        }
    }
    for (const scheme of ['light', 'dark']) {
      await shoot(`${view}-${scheme}`, scheme, WIDE);
      await shoot(`${view}-phone-${scheme}`, scheme, PHONE);
    }
  }
} finally {
  await browser.close();
  close();
}
