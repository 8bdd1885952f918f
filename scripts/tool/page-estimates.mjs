// `npm run bench -- estimates`: what the built page says that a run will take, before it is started, against what it then takes from Run to
// its end: every environment with every preset that an embedded model can train, each in a visit of its own, with nothing learnt from runs
// before. Figures are the machine's, and nothing asserts them.
import { ensureChromium } from './chromium.mjs';
import { buildPage, DIST } from './page.mjs';
import { estimate, runOver, tableShown } from './page-parts.mjs';
import { serve } from './server.mjs';
import { say } from './terminal.mjs';

/** @param presets by name, each in every environment that has a card. */
export async function pageEstimates(presets) {
  await buildPage();
  const { chromium } = await import('@playwright/test');
  const { port, close } = await serve(DIST, { port: 0, strict: false });
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const browser = await chromium.launch({ executablePath: await ensureChromium(), args });
  say(['environment', 'preset', 'said, s', 'taken, s', 'taken / said'].map((name) => name.padEnd(16)).join(''));
  try {
    for (let card = 0, cards = 1; card < cards; card++)
      for (const preset of presets) {
        const row = await measured(browser, `http://localhost:${port}/`, { card, preset });
        cards = row.cards;
        const { name, said, taken } = row;
        say(
          [name, preset, said.toFixed(1), taken.toFixed(1), (taken / said).toFixed(2)]
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
  const said = await estimate(page);
  const begun = await page.evaluate(() => performance.now());
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await tableShown(page);
  const taken = ((await runOver(page)) - begun) / 1000;
  const result = { name, said, taken, cards: await cards.count() };
  await context.close();
  return result;
}
