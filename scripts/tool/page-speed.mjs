// `npm run bench -- page` measures the built page in a headless Chromium of this machine with nothing cached:
// - the findings: first paint, the ten sentences, a series' verdicts, a question's table, and the longest task until then;
// - a visit to the lab: a run of the smoke preset, its export and every view, with the longest task of each;
// - the demo (60 steps of two arms) while a pointer moves over its charts and the page is scrolled;
// - of both runs the seconds that the page estimated, and those that they took;
// - a scenario of a thousand events in the agents' view, played by four agents, stepped, played back and exported.
// It prints least, median and most of a few visits. The numbers are those of this machine, and no test asserts them.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleLargeScenario } from './bundle.mjs';
import { ensureChromium } from './chromium.mjs';
import { buildPage, DIST } from './page.mjs';
import { estimate, markShown, runOver, tableShown } from './page-parts.mjs';
import { serve } from './server.mjs';
import { ask, say } from './terminal.mjs';

const TIMES = 5;
/** The question with the most rows. */
const LARGEST = 'Q18';
/** Matches the names of durations that are printed in seconds: the page's estimate, and from Run to the end of the controls. */
const IN_SECONDS = /: (estimated|taken)$/;

export async function pageSpeed() {
  await buildPage();
  // The scenario is given as a file, since Playwright would decode a buffer within the page.
  const folder = mkdtempSync(join(tmpdir(), 'page-speed-'));
  const scenario = join(folder, 'large.json');
  writeFileSync(scenario, (await ask(process.execPath, [await bundleLargeScenario()], 60_000)) ?? '');
  const { chromium } = await import('@playwright/test');
  const { port, close } = await serve(DIST, { port: 0, strict: false });
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const browser = await chromium.launch({ executablePath: await ensureChromium(), args });
  const runs = [];
  try {
    for (let i = 0; i < TIMES; i++) {
      const base = `http://localhost:${port}/`;
      runs.push({
        ...(await opened(browser, base)),
        ...(await visited(browser, base)),
        ...(await watched(browser, base)),
        ...(await agents(browser, base, scenario)),
      });
    }
  } finally {
    await browser.close();
    await close();
    rmSync(folder, { recursive: true });
  }
  const names = Object.keys(runs[0]);
  printed(
    'ms',
    names.filter((name) => !IN_SECONDS.test(name)),
    runs,
    0,
  );
  printed(
    's',
    names.filter((name) => IN_SECONDS.test(name)),
    runs,
    1,
  );
  return 0;
}

function printed(unit, names, runs, digits) {
  const rows = names.map((name) => {
    const own = runs.map((run) => run[name]).sort((a, b) => a - b);
    return [name, ...[own[0], own[TIMES >> 1], own.at(-1)].map((value) => value.toFixed(digits))];
  });
  for (const [name, ...values] of [[unit, 'least', 'median', 'most'], ...rows])
    say(`  ${name.padEnd(44)}${values.map((text) => text.padStart(8)).join('')}`);
}

async function opened(browser, base) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.addInitScript(watchTasks);
  const all = async (selector, count) => {
    const shown = await page.waitForFunction(
      ([wanted, least]) => {
        const found = [...document.querySelectorAll(wanted)];
        return found.length >= least && found.every((one) => one.textContent) && performance.now();
      },
      [selector, count],
      { polling: 20, timeout: 120_000 },
    );
    return shown.jsonValue();
  };
  await page.goto(`${base}?view=questions`, { waitUntil: 'commit' });
  const sentences = await all('.ten > li', 10);
  const paint = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0);
  const ofOpening = await page.evaluate(() => window.longest);
  await page.goto(`${base}?view=questions&series=study`, { waitUntil: 'commit' });
  const verdicts = await all('details.question', 1);
  // A question that was repeated is inside a card of all its repetitions, which is opened too.
  const outer = page.locator('details', { has: page.locator(`details#${LARGEST}`) });
  for (let i = 0; i < (await outer.count()); i++) await outer.nth(i).evaluate((card) => card.setAttribute('open', ''));
  const click = await page.evaluate(() => performance.now());
  await page.locator(`details#${LARGEST} > summary`).click();
  await page.getByTestId(`statistics-${LARGEST}`).locator('summary').first().click();
  await page.locator(`details#${LARGEST} table:visible`).first().waitFor();
  const table = (await page.evaluate(() => performance.now())) - click;
  const longest = await page.evaluate(() => window.longest);
  await context.close();
  return {
    'first contentful paint': paint,
    'ten sentences on the screen': sentences,
    'every verdict of a series on the screen': verdicts,
    [`${LARGEST} opened: its table`]: table,
    'longest task until the sentences': ofOpening,
    'longest task of the series': longest,
  };
}

/** Runs in the page: keeps the length of the longest task so far in `window.longest`. */
function watchTasks() {
  window.longest = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration);
  }).observe({ type: 'longtask', buffered: true });
}

/** Visits the lab as a newcomer would, and measures the longest task of each part of the visit (0: none of 50 ms). */
async function visited(browser, base) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.addInitScript(watchTasks);
  const { tasks, part } = parts(page);
  await page.goto(base);
  const run = page.getByRole('button', { name: 'Run', exact: true });
  const ready = await page.waitForFunction(
    () =>
      [...document.querySelectorAll('button')].some((one) => one.textContent === 'Run' && !one.disabled) &&
      performance.now(),
    null,
    { polling: 20 },
  );
  const runnable = await ready.jsonValue();
  await page.getByRole('contentinfo').getByText('Student:').waitFor();
  const opened = await page.evaluate(() => performance.now());
  const paint = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0);
  await part('load of the lab');
  await page.getByRole('button', { name: 'All settings' }).click();
  await page.getByLabel('Preset').selectOption('smoke');
  await page.getByRole('button', { name: 'Done' }).click();
  const estimated = await estimate(page);
  const begun = await page.evaluate(() => performance.now());
  await run.click();
  const toTable = (await tableShown(page)) - begun;
  const taken = (await runOver(page)) - begun;
  await part('a run to its end');
  const tab = (name) =>
    page.getByRole('navigation', { name: 'Views', exact: true }).getByRole('link', { name, exact: true }).click();
  for (const name of ['Findings', 'Playground', 'Library']) {
    await tab(name);
    await part(name);
  }
  const saved = page.waitForEvent('download');
  await page
    .getByRole('button', { name: /^Export / })
    .first()
    .click();
  await saved;
  await part('export of a run');
  await context.close();
  return {
    'first contentful paint, with a finished run': paint,
    'Run can be pressed': runnable,
    'the lab is open': opened,
    ...tasks,
    'smoke: Run to the table': toTable,
    'smoke: estimated': estimated,
    'smoke: taken': taken / 1000,
  };
}

/** Measures the demo from Run to its table while the pointer moves. */
async function watched(browser, base) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.addInitScript(watchTasks);
  const { tasks, part } = parts(page);
  await page.goto(base);
  await page.getByRole('contentinfo').getByText('Student:').waitFor();
  await part('load before the demo');
  const estimated = await estimate(page);
  const begun = await page.evaluate(() => performance.now());
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  const marked = markShown(page);
  const over = tableShown(page);
  const table = page.getByRole('region', { name: 'Result' }).getByRole('table').first();
  const done = () =>
    page.evaluate(() => Math.max(0, ...[...document.querySelectorAll('progress')].map((bar) => bar.position)));
  let isLate = false;
  for (let round = 0; !(await table.isVisible()); round++) {
    for (let i = 0; i < 12; i++) {
      // The pointer goes from chart to chart, on another path each round.
      await page.mouse.move(420 + ((83 * i + 17 * round) % 960), 300 + ((57 * i) % 500), { steps: 4 });
      await page.waitForTimeout(100);
    }
    await page.mouse.wheel(0, round % 4 < 2 ? 260 : -260);
    if (!isLate && (await done()) > 0.5) {
      isLate = true;
      await part('the demo’s first half, pointer on its charts');
    }
  }
  const toTable = (await over) - begun;
  const taken = (await runOver(page)) - begun;
  await part(isLate ? 'its second half' : 'the demo, pointer on its charts');
  await context.close();
  const toMark = (await marked) - begun;
  return {
    ...tasks,
    'demo: Run to the first mark': toMark,
    'demo: Run to the table': toTable,
    'demo: estimated': estimated,
    'demo: taken': taken / 1000,
  };
}

/** Collects the longest task of each part of a visit, by its name. */
function parts(page) {
  const tasks = {};
  const part = async (name) => {
    // Work that the last action began may go on after what was waited for.
    await page.waitForTimeout(700);
    tasks[`longest task: ${name}`] = await page.evaluate(() => {
      const { longest } = window;
      window.longest = 0;
      return longest;
    });
  };
  return { tasks, part };
}

/** Measures a long scenario in the agents' view: opened, played by each agent, stepped through, played back, exported. */
async function agents(browser, base, scenario) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.addInitScript(watchTasks);
  const { tasks, part } = parts(page);
  await page.goto(`${base}?view=agents`);
  await page.getByRole('region', { name: 'Agents' }).waitFor();
  await part('load of the agents’ view');
  await page.getByLabel('A scenario or trace (are_simulation_v1)').setInputFiles(scenario);
  await page.getByRole('region', { name: 'Scenario' }).waitFor();
  await part('a scenario of 1,000 events is opened');
  await page.getByLabel('Actions').fill('400');
  for (const agent of ['oracle', 'oracle-mistake', 'random', 'silent']) {
    await page.getByLabel('Who acts').selectOption(agent);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    // The button is disabled while a run is computed.
    await page.waitForFunction(() => !document.querySelector('.are-form button[type=submit]').disabled);
    await page.getByText(/turns ended/).waitFor();
    await part(`${agent} plays it`);
    if (agent !== 'oracle') continue;
    for (let step = 0; step < 10; step++) await page.getByRole('button', { name: 'Step back' }).click();
    await part('ten steps back');
    await page.getByRole('slider').fill('500');
    await part('a jump to the middle');
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export the trace' }).click();
    await saved;
    await part('export of the trace');
    await page.getByText('100×', { exact: true }).click();
    await page.getByRole('button', { name: 'Play', exact: true }).click();
    await page.waitForTimeout(3000);
    await part('played back at 100×');
    await page.getByText('at once', { exact: true }).click();
  }
  await context.close();
  return tasks;
}
