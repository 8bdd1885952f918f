// The campaign in a browser: programs of e2e/campaign on the built page, which put faults into it from outside. Each writes down what
// came of it, a line a fault; a program that fails is a fault itself.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureChromium } from './chromium.mjs';
import { buildPage } from './page.mjs';
import { at } from './project.mjs';
import { run, say } from './terminal.mjs';

const PROGRAMS = { loss: 'device-loss', tabs: 'two-tabs' };

/** Rows by part, and what did not hold. */
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
