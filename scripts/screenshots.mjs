// `npm run screenshots`: opens the built page as a person would and takes the first screen of every environment, wide and phone-narrow,
// light and dark, into .cache/screenshots; README shows two of them, from docs/screenshots. `npm run screenshots -- all` then runs the
// default experiment to its table and takes every view. With names of views (`npm run screenshots -- questions`) it takes only those.
import './tool/node-version.mjs';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { chromium } from '@playwright/test';
import { ensureChromium } from './tool/chromium.mjs';
import { buildPage, DIST } from './tool/page.mjs';
import { at } from './tool/project.mjs';
import { serve } from './tool/server.mjs';

const FOLDER = at('docs', 'screenshots');
const REST = at('.cache', 'screenshots');
/** README shows these pictures of the first environment. */
const IN_README = ['run-light', 'run-dark'];
const WIDE = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };
/** The folder lies beside the project and is no part of it: without it the lab's own model is shown, and no problem file. */
const MODEL = at('..', 'shared', 'models', 'minimind2-small');
const PROBLEMS = at('..', 'shared', 'data', 'leetcode_medhard_sample.jsonl');

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
/** Views that show nothing of a run, so that none has to be started for them. */
const WITHOUT_RUN = ['questions', 'sweeps', 'probe', 'models', 'problems', 'agents', 'device'];
const requested = process.argv.slice(2).filter((name) => name !== 'all');
const all = process.argv.includes('all');
const unknown = requested.filter((view) => !WITHOUT_RUN.includes(view));
if (unknown.length > 0) {
  console.error(`${unknown.join(', ')}: there are all, and alone ${WITHOUT_RUN.join(', ')}.`);
  process.exit(2);
}

await buildPage();
const { port, close } = await serve(DIST, { port: 0, strict: false });
const executablePath = await ensureChromium();
const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
const browser = await chromium.launch({ executablePath, args });
const page = await browser.newPage({ viewport: WIDE, colorScheme: 'light' });
for (const folder of [FOLDER, REST]) mkdirSync(folder, { recursive: true });

/** Finds a question's card by its letter and number, any other part by its name. */
const part = (target) =>
  /^[A-Z]\d+$/.test(target)
    ? page.locator(`details#${target}`)
    : page.getByRole('region', { name: target, exact: true });

const shoot = async (name, scheme, size, target) => {
  const isInReadme = IN_README.includes(name);
  const path = isInReadme ? `${FOLDER}/${name}.webp` : `${REST}/${name}.png`;
  await page.emulateMedia({ colorScheme: scheme });
  await page.setViewportSize(size);
  if (target) await part(target).scrollIntoViewIfNeeded();
  else await page.evaluate(() => scrollTo(0, 0));
  // Charts measure their box after the resize.
  await page.waitForTimeout(1500);
  if (target) {
    // The page's policy forbids a <style>, so a constructed style sheet is adopted.
    const sticky = await page.evaluateHandle(() => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync('.views, .rail, .run-bar { position: static !important } .notices { display: none }');
      document.adoptedStyleSheets.push(sheet);
      return sheet;
    });
    await part(target).screenshot({ path });
    await sticky.evaluate((sheet) => (sheet.disabled = true));
  } else if (isInReadme) writeFileSync(path, await asWebp(await page.screenshot()));
  else await page.screenshot({ path });
  console.log(relative(at(), path));
};

/** Encodes a picture as WebP, since the repository holds these and a PNG is three times as large. */
async function asWebp(png) {
  const encoder = await browser.newPage();
  const url = await encoder.evaluate(async (base64) => {
    const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${base64}`)).blob());
    const canvas = Object.assign(document.createElement('canvas'), { width: bitmap.width, height: bitmap.height });
    canvas.getContext('2d').drawImage(bitmap, 0, 0);
    return canvas.toDataURL('image/webp', 0.9);
  }, png.toString('base64'));
  await encoder.close();
  return Buffer.from(url.split(',')[1], 'base64');
}

/**
 * Takes the first screen of every environment, chosen by its card. The page is opened anew at each width, since that width decides what is
 * drawn and which card is in view.
 */
async function firstScreens() {
  for (const size of [WIDE, PHONE]) {
    await page.setViewportSize(size);
    await page.goto(`http://localhost:${port}/`);
    await page.getByRole('button', { name: 'Run', exact: true }).waitFor();
    const offer = page.getByRole('button', { name: 'No, thanks' });
    if (await offer.isVisible()) await offer.click();
    const cards = page.locator('.question-line');
    for (let i = 0; i < (await cards.count()); i++) {
      const name = await cards.nth(i).getByRole('radio').getAttribute('value');
      await cards.nth(i).getByRole('radio').check({ force: true });
      await page.locator('#watch .published .sample-said').waitFor();
      for (const scheme of ['light', 'dark']) {
        await shoot(`first-${name}${size === PHONE ? '-phone' : ''}-${scheme}`, scheme, size);
        if (i === 0 && size === WIDE) await shoot(`run-${scheme}`, scheme, size);
      }
    }
  }
  await page.setViewportSize(WIDE);
}

/** Uses a view, where it shows more after that, and takes its parts by themselves. */
const PARTS = {
  async compare() {
    // The first row is vanilla (the training run of route), the second is what route deploys.
    await page.getByRole('checkbox').nth(0).check();
    await page.getByRole('checkbox').nth(1).check();
  },
  async agents() {
    await page.getByRole('button', { name: 'Generate' }).click();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('region', { name: 'Verdict' }).waitFor();
  },
  async questions() {
    // The cards show what is published with this build.
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
  },
  async bases() {
    // Half of the pairs are held out; this basis is compared with the run's own, which is made of all pairs.
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
  },
  async models() {
    // The folder is chosen and its memory planned, but the model is not loaded.
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
  },
  async problems() {
    if (!existsSync(PROBLEMS)) return;
    await page.getByLabel('Problem file', { exact: true }).setInputFiles(PROBLEMS);
    await page.getByRole('list', { name: 'Problem files' }).waitFor();
  },
  async probe() {
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
  },
};

/** Runs the default experiment to its table and takes every view; or takes only the requested views, without a run. */
async function views() {
  await page.goto(`http://localhost:${port}/${requested.length > 0 ? '' : '?start'}`);
  if (requested.length === 0) await page.getByRole('table').waitFor({ timeout: 1_200_000 });
  for (const scheme of requested.length > 0 ? [] : ['light', 'dark']) {
    await shoot(`lab-${scheme}`, scheme, WIDE);
    await shoot(`phone-${scheme}`, scheme, PHONE);
    await shoot(`result-${scheme}`, scheme, WIDE, 'Result');
    await shoot(`rollouts-${scheme}`, scheme, WIDE, 'Rollouts');
  }
  for (const view of requested.length > 0 ? requested : VIEWS) {
    await page.goto(`http://localhost:${port}/?view=${view}`);
    await page.getByRole('heading', { level: 2 }).first().waitFor();
    await PARTS[view]?.();
    for (const scheme of ['light', 'dark']) {
      await shoot(`${view}-${scheme}`, scheme, WIDE);
      await shoot(`${view}-phone-${scheme}`, scheme, PHONE);
    }
  }
}

try {
  if (requested.length === 0) await firstScreens();
  if (requested.length > 0 || all) await views();
} finally {
  await browser.close();
  close();
}
