// `npm run campaign`: kills, flipped bits and full disks over run, study and probe, on the command line as a person has it. In full
// it writes docs/reliability.md; `npm run campaign -- flips` (or kills, disk) does a part, and leaves the file alone.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { disk, refusals } from './campaign-disk.mjs';
import { COMMANDS, kills, references } from './campaign-kills.mjs';
import { report } from './campaign-report.mjs';
import { ensureDependencies } from './dependencies.mjs';
import { at } from './project.mjs';
import { ask, Complaint, heading, say } from './terminal.mjs';

const PARTS = ['kills', 'flips', 'disk'];
const LIMIT_MS = 30 * 60_000;
export const HELP = `npm run campaign -- [PART …] [--kills 60] [--flips 400] [--seed 1]
Without names every part, and docs/reliability.md is written anew. Parts: ${PARTS.join(', ')}.`;

export async function main(args) {
  const { values, positionals: parts } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      kills: { type: 'string', default: '60' },
      flips: { type: 'string', default: '400' },
      seed: { type: 'string', default: '1' },
    },
  });
  const unknown = parts.filter((part) => !PARTS.includes(part));
  if (unknown.length) throw new Complaint(`There is no part ${unknown.join(', ')}. Parts: ${PARTS.join(', ')}.`);
  const [count, flips, seed] = ['kills', 'flips', 'seed'].map((name) => whole(name, values[name]));
  const wanted = (part) => parts.length === 0 || parts.includes(part);
  await ensureDependencies();
  const { bundleCli, bundleFlips } = await import('./bundle.mjs');
  const bundle = await bundleCli();
  const folder = mkdtempSync(join(tmpdir(), 'campaign-'));
  try {
    heading('Undisturbed');
    const undisturbed = await references(bundle, folder, Object.keys(COMMANDS));
    const found = { kills: [], flips: [], disk: null, refusals: [], settings: { count, flips, seed } };
    if (wanted('kills')) {
      heading(`Kills: ${count}`);
      found.kills = await kills(bundle, folder, undisturbed, { count, seed });
    }
    if (wanted('flips')) {
      heading(`Flipped bits: ${flips}`);
      found.flips = await flipped(await bundleFlips(), undisturbed, flips, seed);
    }
    if (wanted('disk')) {
      heading('Disks');
      found.disk = await disk(bundle, folder, undisturbed);
      if (found.disk.why) say(`Full disks were not tried: ${found.disk.why}.`);
      found.refusals = await refusals(bundle, folder, undisturbed);
    }
    const { text, faults } = report(found);
    console.log(text);
    if (parts.length === 0) writeFileSync(at('docs', 'reliability.md'), text);
    for (const fault of faults) say(`Fault: ${fault}`);
    return faults.length === 0 ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function flipped(bundle, undisturbed, count, seed) {
  const rows = [];
  const names = Object.keys(undisturbed);
  for (const name of names) {
    const share = String(Math.ceil(count / names.length));
    const output = await ask(
      process.execPath,
      [bundle, name, undisturbed[name].path, share, String(seed)],
      LIMIT_MS,
      'inherit',
    );
    if (output === null) throw new Complaint(`The flips over ${name} ended with an error that has no name.`);
    for (const row of JSON.parse(output)) rows.push({ command: name, ...row });
    say(
      `${name}: ${rows.filter(({ command }) => command === name).reduce((sum, row) => sum + row.unseen, 0)} read without a word`,
    );
  }
  return rows;
}

function whole(name, text) {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new Complaint(`--${name} ${text} is no whole number above 0.`);
}
