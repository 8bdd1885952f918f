// Runs the campaign in a browser: the programs of e2e/campaign inject faults into the built page from outside. Each writes a line of JSON for
// each fault that it tried; a program that fails is itself reported as a fault.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureChromium } from './chromium.mjs';
import { buildPage } from './page.mjs';
import { at } from './project.mjs';
import { run, say } from './terminal.mjs';

const PROGRAMS = { loss: 'device-loss', tabs: 'two-tabs' };

/** Returns the rows of the programs, and a sentence for each program that failed. */
export async function inThePage(parts) {
  const browser = await ensureChromium();
  await buildPage();
  const folder = mkdtempSync(join(tmpdir(), 'campaign-page-'));
  try {
    const file = join(folder, 'rows.jsonl');
    const faults = [];
    for (const part of parts) {
      const program = `e2e/campaign/${PROGRAMS[part]}.spec.ts`;
      const cli = at('node_modules', '@playwright', 'test', 'cli.js');
      const env = { ...process.env, CHROMIUM_PATH: browser, CAMPAIGN_ROWS: file };
      const args = [cli, 'test', program, '--workers', '1', '--reporter', 'line'];
      if ((await run(process.execPath, args, { cwd: at(), env })) !== 0) faults.push(`${program} did not hold`);
    }
    const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
    const rows = lines.filter((line) => line !== '').map((line) => JSON.parse(line));
    say(`in the page: ${rows.length} faults tried, ${rows.filter(({ equal }) => !equal).length} with other numbers`);
    return { rows, faults };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
