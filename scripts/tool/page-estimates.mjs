// `npm run bench -- estimates` compares the duration that the built page estimates before a run with the duration from Run to its end, for
// every environment with each given preset. Each run is a visit of its own, so that the estimate learns nothing from earlier runs. The numbers
// are those of this machine, and no test asserts them.
import { ensureChromium } from './chromium.mjs';
import { buildPage, DIST } from './page.mjs';
import { estimate, runOver, tableShown } from './page-parts.mjs';
import { serve } from './server.mjs';
import { say } from './terminal.mjs';

/** @param presets names of presets; each is run in every environment that has a card. */
export async function pageEstimates(presets) {
  await buildPage();
  const { chromium } = await import('@playwright/test');
  const { port, close } = await serve(DIST, { port: 0, strict: false });
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const browser = await chromium.launch({ executablePath: await ensureChromium(), args });
  say(['environment', 'preset', 'estimated, s', 'taken, s', 'ratio'].map((name) => name.padEnd(16)).join(''));
  try {
    for (let card = 0, cards = 1; card < cards; card++)
      for (const preset of presets) {
        const row = await measured(browser, `http://localhost:${port}/`, { card, preset });
        cards = row.cards;
        const { name, estimated, taken } = row;
        say(
          [name, preset, estimated.toFixed(1), taken.toFixed(1), (taken / estimated).toFixed(2)]
            .map((text) => text.padEnd(16))
            .join(''),
        );
      }
  } finally {
    await browser.close();
    await close();
  }
  return 0;
}

async function measured(browser, address, { card, preset }) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.goto(address);
  const cards = page.locator('.question-line');
  await cards.first().waitFor();
  const name = await cards.nth(card).getByRole('radio').getAttribute('value');
  await cards.nth(card).getByRole('radio').check({ force: true });
  await page.getByRole('button', { name: 'All settings' }).click();
  await page.getByLabel('Preset').selectOption(preset);
  await page.getByRole('button', { name: 'Done' }).click();
  const estimated = await estimate(page);
  const begun = await page.evaluate(() => performance.now());
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await tableShown(page);
  const taken = ((await runOver(page)) - begun) / 1000;
  const result = { name, estimated, taken, cards: await cards.count() };
  await context.close();
  return result;
}
