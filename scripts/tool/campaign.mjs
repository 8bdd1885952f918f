// `npm run campaign` tests the lab under faults: kills, flipped bits and full disks for `run` and `probe` on the command line, archives of
// every environment, lost devices and two tabs in a browser. Without names it writes docs/explanation/reliability.md;
// `npm run campaign -- flips` (or kills, rows, disk) runs one part, and leaves the file alone unless `--write` puts that part's sections into
// it. `npm run campaign -- soak --hours N` gives random commands for N hours; `slurm` and `redis` disturb a sweep on a Slurm of one node and on
// a Redis; `scale` measures 200 workers at one queue. These three write no file.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { disk, refusals } from './campaign-disk.mjs';
import { COMMANDS, kills, references } from './campaign-kills.mjs';
import { inThePage } from './campaign-page.mjs';
import { command, lastLines } from './campaign-process.mjs';
import { redisReport, throughRedis } from './campaign-redis.mjs';
import { report, withSections } from './campaign-report.mjs';
import { rowKills } from './campaign-rows.mjs';
import { scale, scaleReport } from './campaign-scale.mjs';
import { onSlurm, slurmReport } from './campaign-slurm.mjs';
import { soak } from './campaign-soak.mjs';
import { ensureDependencies } from './dependencies.mjs';
import { at } from './project.mjs';
import { ask, Complaint, heading, say } from './terminal.mjs';

const PARTS = ['kills', 'flips', 'rows', 'archives', 'disk', 'loss', 'tabs', 'soak', 'slurm', 'redis', 'scale'];
/** Parts that run only when named: soak takes as long as it is given, the others need a scheduler or a server. */
const ONLY_NAMED = ['soak', 'slurm', 'redis', 'scale'];
/** Parts that need the folders of undisturbed commands. */
const ON_FOLDERS = ['kills', 'flips', 'disk'];
const LIMIT_MS = 30 * 60_000;
export const HELP = `npm run campaign -- [PART …] [--kills 60] [--flips 400] [--seed 1] [--hours 1] [--write]
Without names every part but ${ONLY_NAMED.join(', ')}, and docs/explanation/reliability.md is written anew; with names, --write puts their sections
into it. Parts: ${PARTS.join(', ')}.`;

export async function main(args) {
  const { values, positionals: parts } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      kills: { type: 'string', default: '60' },
      flips: { type: 'string', default: '400' },
      seed: { type: 'string', default: '1' },
      hours: { type: 'string', default: '1' },
      write: { type: 'boolean', default: false },
    },
  });
  const unknown = parts.filter((part) => !PARTS.includes(part));
  if (unknown.length) throw new Complaint(`There is no part ${unknown.join(', ')}. Parts: ${PARTS.join(', ')}.`);
  const [count, flips, seed] = ['kills', 'flips', 'seed'].map((name) => whole(name, values[name]));
  const hours = Number(values.hours);
  if (!(hours > 0 && hours <= 1000))
    throw new Complaint(`--hours ${values.hours} is no number above 0 and up to 1000.`);
  const wanted = (part) => (parts.length === 0 ? !ONLY_NAMED.includes(part) : parts.includes(part));
  await ensureDependencies();
  const { bundleArchives, bundleCli, bundleFlips } = await import('./bundle.mjs');
  const bundle = await bundleCli();
  const folder = mkdtempSync(join(tmpdir(), 'campaign-'));
  try {
    const alone = {
      slurm: async () => slurmReport(await onSlurm(bundle, folder, { seed })),
      redis: async () => redisReport(await throughRedis(bundle, folder)),
      scale: async () => scaleReport(await scale(folder)),
    };
    for (const [part, run] of Object.entries(alone)) {
      if (!wanted(part)) continue;
      heading(part);
      const { text, faults } = await run();
      console.log(text);
      for (const fault of faults) say(`Fault: ${fault}`);
      if (parts.length === 1) return faults.length === 0 ? 0 : 1;
    }
    heading('Undisturbed');
    const undisturbed = await references(bundle, folder, ON_FOLDERS.some(wanted) ? Object.keys(COMMANDS) : []);
    const found = {
      kills: [],
      flips: [],
      rows: null,
      archives: [],
      disk: null,
      refusals: [],
      page: null,
      soak: null,
      settings: { count, flips, seed },
    };
    if (wanted('kills')) {
      heading(`Kills: ${count}`);
      found.kills = await kills(bundle, folder, undisturbed, { count, seed });
    }
    if (wanted('flips')) {
      heading(`Flipped bits: ${flips}`);
      const files = await filesOf(bundle, join(folder, 'files'));
      found.flips = await flipped(await bundleFlips(), { ...undisturbed, files }, flips, seed);
    }
    if (wanted('rows')) {
      heading(`Rows: ${count} kills`);
      found.rows = await rowKills(bundle, folder, { count, flips: Math.ceil(flips / 10), seed });
    }
    if (wanted('archives')) {
      heading('Archives');
      found.archives = await archives(await bundleArchives(), Math.ceil(flips / 20), seed);
    }
    if (wanted('disk')) {
      heading('Disks');
      found.disk = await disk(bundle, folder, undisturbed);
      if (found.disk.why) say(`Full disks were not tried: ${found.disk.why}.`);
      found.refusals = await refusals(bundle, folder, undisturbed);
    }
    const inPage = ['loss', 'tabs'].filter(wanted);
    if (inPage.length > 0) {
      heading('In the page');
      found.page = await inThePage(inPage);
    }
    if (wanted('soak')) {
      heading(`Random commands for ${hours} hours`);
      found.soak = await soak(bundle, { hours, seed });
    }
    const { text, faults } = report(found);
    console.log(text);
    const page = at('docs', 'explanation', 'reliability.md');
    if (parts.length === 0) writeFileSync(page, text);
    else if (values.write) writeFileSync(page, withSections(readFileSync(page, 'utf8'), text));
    for (const fault of faults) say(`Fault: ${fault}`);
    return faults.length === 0 ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Makes the files that a user gives to the lab: models, and a pool in both forms. */
async function filesOf(bundle, path) {
  for (const model of ['tiny-coder', 'tiny-hacker'])
    cpSync(at('public', 'models', model), join(path, model), { recursive: true });
  for (const name of ['pool.jsonl', 'pool.jsonl.gz']) {
    const args = ['pool', '--from', 'templates', '--problems', '8', '--out', join(path, name)];
    const { code, stderr } = await command(bundle, args);
    if (code !== 0) throw new Complaint(`${name} was not made: ${lastLines(stderr, 4)}`);
  }
  return { path };
}

async function archives(bundle, flips, seed) {
  const output = await ask(process.execPath, [bundle, String(flips), String(seed)], LIMIT_MS, 'inherit');
  if (output === null) throw new Complaint('The archives ended with an error that has no name.');
  return JSON.parse(output);
}

async function flipped(bundle, undisturbed, count, seed) {
  const rows = [];
  const names = Object.keys(undisturbed);
  for (const name of names) {
    const share = String(Math.ceil(count / names.length));
    const args = [bundle, name, undisturbed[name].path, share, String(seed)];
    const output = await ask(process.execPath, args, LIMIT_MS, 'inherit');
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
