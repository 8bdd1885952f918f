// Runs the experiment of a share URL through the page in headless Chromium. Only the part of the URL after # is used: it is opened on this
// project's page, served on this machine, so that nothing is fetched from the network and the build is known.
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { ensureDependencies } from './dependencies.mjs';
import { DIST } from './page.mjs';

const HELP = `npm run e2e:run -- --spec URL [--json FILE] [--timeout MINUTES]

Opens a share URL in headless Chromium on the built page, runs its experiment and prints the result table.

  --spec URL         a link made by the page's Share, or the part of one after #
  --json FILE        writes spec, runs (rows, evaluations), table and verdicts there
  --timeout MINUTES  how long the experiment may take (default 60)

Exit code 0: ran to its table. 1: refused, failed or timed out. 2: bad arguments.
`;

/** Returns the `hash` of a link, or a `problem` if it has no experiment. */
export function hashOf(link) {
  const at = link.indexOf('#');
  const hash = at >= 0 ? link.slice(at + 1) : link;
  return /^\d+\.[\w-]+$/.test(hash)
    ? { hash }
    : { problem: `--spec ${JSON.stringify(link.slice(0, 80))} has no experiment after #.` };
}

/** Returns the parsed arguments, or a `problem`. */
export function readArgs(args) {
  let values;
  try {
    ({ values } = parseArgs({
      args,
      options: {
        spec: { type: 'string' },
        json: { type: 'string' },
        timeout: { type: 'string', default: '60' },
        help: { type: 'boolean', short: 'h' },
      },
    }));
  } catch (error) {
    return { problem: error.message };
  }
  if (values.help) return { help: true };
  if (!values.spec) return { problem: 'Give a share URL: --spec URL' };
  const minutes = Number(values.timeout);
  if (!(minutes > 0 && minutes <= 10_000))
    return { problem: `--timeout ${values.timeout} is not a number of minutes.` };
  const { hash, problem } = hashOf(values.spec);
  return problem ? { problem } : { hash, json: values.json ?? null, minutes };
}

/** Formats the cells of a table as lines with aligned columns. */
export function columns(rows) {
  const widths = rows[0].map((_, i) => Math.max(...rows.map((row) => (row[i] ?? '').length)));
  return rows.map((row) =>
    row
      .map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i])))
      .join('  ')
      .trimEnd(),
  );
}

export async function main(args) {
  const options = readArgs(args);
  if (options.help) {
    process.stdout.write(HELP);
    return 0;
  }
  if (options.problem) {
    process.stderr.write(`${options.problem}\n\n${HELP}`);
    return 2;
  }
  await ensureDependencies();
  const { buildPage } = await import('./page.mjs');
  const { serve } = await import('./server.mjs');
  const { ensureChromium } = await import('./chromium.mjs');
  const { chromium } = await import('@playwright/test');
  await buildPage();
  const { port, close } = await serve(DIST, { port: 5180, strict: false });
  const browser = await chromium.launch({
    executablePath: await ensureChromium(),
    args: ['--enable-unsafe-webgpu', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
  });
  try {
    return await drive(
      await browser.newPage({ acceptDownloads: true }),
      `http://localhost:${port}/#${options.hash}`,
      options,
    );
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    return 1;
  } finally {
    await browser.close();
    close();
  }
}

async function drive(page, url, { json, minutes }) {
  const region = (name) => page.getByRole('region', { name, exact: true });
  await page.goto(url);
  const shared = region('Shared run');
  const run = page.getByRole('button', { name: 'Run', exact: true });
  // The text is read without waiting, since the element may be missing or may go.
  const textOf = async (selector) =>
    (await page.evaluate((css) => document.querySelector(css)?.textContent ?? '', selector))
      .replace(/\s+/g, ' ')
      .trim();
  const refuse = async () => {
    const complaint = await textOf('[role=alert]');
    if (complaint) throw new Error(complaint);
  };
  const patience = Date.now() + 180_000;
  while (!((await run.isVisible()) && (await run.isEnabled()))) {
    await refuse();
    if (Date.now() > patience) throw new Error('The page did not become ready within three minutes.');
    await page.waitForTimeout(250);
  }
  await refuse();
  await page.getByText('Loading the shared run').waitFor({ state: 'hidden' });
  const start = (await shared.isVisible()) ? shared.getByRole('button', { name: 'Run it here' }) : run;
  await start.click();

  // The table is complete only when it is no longer busy: the arms' rows come before those of their controls.
  const table = region('Result').locator('[aria-busy=false]').getByRole('table');
  const end = Date.now() + minutes * 60_000;
  let lastProgress = '';
  while (!(await table.isVisible())) {
    await refuse();
    if (Date.now() > end) throw new Error(`Not done after ${minutes} minutes. Allow more: --timeout MINUTES`);
    const text = await textOf('.progress-text');
    if (text && text !== lastProgress) process.stderr.write(`${text}\n`);
    lastProgress = text || lastProgress;
    await page.waitForTimeout(500);
  }

  const cells = await table
    .locator('tr')
    .evaluateAll((rows) =>
      rows.map((row) => [...row.children].slice(0, -1).map((cell) => cell.textContent.replace(/\s+/g, ' ').trim())),
    );
  for (const line of columns(cells)) process.stdout.write(`${line}\n`);
  let reproduction = null;
  if (await shared.isVisible()) {
    await page.getByTestId('reproduction').waitFor({ timeout: 30_000 });
    reproduction = await textOf('[data-testid=reproduction]');
    process.stdout.write(`\n${reproduction}\n`);
  }
  if (json !== null) {
    const arriving = page.waitForEvent('download');
    await region('Result').getByRole('button', { name: 'JSON' }).click();
    const record = JSON.parse(readFileSync(await (await arriving).path(), 'utf8'));
    writeFileSync(json, `${JSON.stringify({ ...record, reproduction }, null, 1)}\n`);
    process.stderr.write(`Written: ${json}\n`);
  }
  return 0;
}
