// `npm run check` is for use while working. It checks lint and types of the whole project, and runs the unit tests nearest to the changed
// files, as many as fit into the budget by their last durations. It names the rest, which `npm test` runs.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { graphOf } from './layers.mjs';
import { at, CACHE, ROOT } from './project.mjs';
import { Complaint, heading, run, say } from './terminal.mjs';

/** Summed seconds of the chosen test files; since two run at once, they take about half as long. */
const BUDGET = 60;
/** Assumed seconds of a test file that has not been timed here. */
const UNTIMED_SECONDS = 3;
const TIMES = join(CACHE, 'unit-times.json');

export const HELP = `npm run check -- [--base REV] [--budget SECONDS]
Lint, types, and the unit tests nearest to what differs from REV (default: HEAD; the last commit where nothing is uncommitted).
Tests are taken in order of their distance to a changed file, in imports, until their times of last time fill the budget
(default: ${BUDGET}). Journeys in a browser are left to npm test.`;

export async function main(args) {
  const { base, budget } = parse(args);
  const changed = changedSince(base);
  if (changed.length === 0) say('Nothing has changed.');
  const bin = (...parts) => at('node_modules', ...parts);
  const node = (script, ...more) => run(process.execPath, [script, ...more], { cwd: ROOT });
  heading('Lint and types');
  // They run in parallel, since each leaves a core idle for long.
  const [biome, layers, keys, types, packages] = await Promise.all([
    node(bin('@biomejs', 'biome', 'bin', 'biome'), 'check', '--error-on-warnings', '.'),
    node(at('scripts', 'check-layers.mjs')),
    node(at('scripts', 'check-keys.mjs')),
    node(bin('typescript', 'bin', 'tsc'), '--noEmit'),
    node(bin('typescript', 'bin', 'tsc'), '--noEmit', '-p', 'packages'),
  ]);
  const failed = Object.entries({ biome, layers, keys, types, 'package types': packages }).filter(
    ([, code]) => code !== 0,
  );
  if (failed.length > 0) {
    say(`Failed: ${failed.map(([name]) => name).join(', ')}.`);
    return 1;
  }
  const { chosen, left } = choose(nearestTests(sources(), changed), knownTimes(), budget);
  heading(`Tests of ${changed.length} changed file${changed.length === 1 ? '' : 's'}`);
  if (left.length > 0) {
    const seconds = left.reduce((sum, one) => sum + one.seconds, 0).toFixed(0);
    say(`${left.length} test files further off (about ${seconds} s) are left to npm test, ${left[0].path} first.`);
  }
  if (chosen.length === 0) {
    say('No unit test imports what has changed.');
    return 0;
  }
  return node(bin('vitest', 'vitest.mjs'), 'run', ...chosen.map(({ path }) => path));
}

function parse(args) {
  let base = null;
  let budget = BUDGET;
  for (let i = 0; i < args.length; i += 2) {
    const [flag, value] = args.slice(i, i + 2);
    if (flag === '--base' && value) base = value;
    else if (flag === '--budget' && Number(value) > 0) budget = Number(value);
    else throw new Complaint(`"${args.slice(i, i + 2).join(' ')}" is not understood.\n${HELP}`);
  }
  return { base, budget };
}

/** Files of the project that differ from `base`, and untracked ones. */
function changedSince(base) {
  const git = (...args) => {
    const { status, stdout, stderr } = spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' });
    if (status !== 0) throw new Complaint(`git ${args.join(' ')}: ${stderr?.trim() || 'git is not there'}`);
    return stdout.split('\n').filter(Boolean);
  };
  const uncommitted = [...git('diff', '--name-only', 'HEAD'), ...git('ls-files', '--others', '--exclude-standard')];
  if (base === null) return uncommitted.length > 0 ? uncommitted : git('diff', '--name-only', 'HEAD~1');
  return [...new Set([...uncommitted, ...git('diff', '--name-only', base)])];
}

function sources() {
  const { stdout } = spawnSync('git', ['ls-files', '-co', '--exclude-standard', '*.ts', '*.tsx', '*.mjs', '*.mts'], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 1e8,
  });
  const paths = stdout.split('\n').filter((path) => path && existsSync(at(path)));
  return new Map(paths.map((path) => [path, readFileSync(at(path), 'utf8')]));
}

const isTest = (path) => /\.test\.(ts|mjs)$/.test(path) && !path.startsWith('e2e/');

/** Test files that import one of `changed`, directly or through others, nearest first. `files` maps path to text. */
export function nearestTests(files, changed) {
  const importers = new Map();
  for (const [path, targets] of graphOf(files))
    for (const target of targets) importers.set(target, [...(importers.get(target) ?? []), path]);
  const distance = new Map(changed.filter((path) => files.has(path)).map((path) => [path, 0]));
  for (const queue = [...distance.keys()]; queue.length > 0; ) {
    const path = queue.shift();
    for (const importer of importers.get(path) ?? [])
      if (!distance.has(importer)) {
        distance.set(importer, distance.get(path) + 1);
        queue.push(importer);
      }
  }
  return [...distance.keys()].filter(isTest);
}

/** Chooses those tests, in order, whose seconds fit into the budget together; the first is always chosen. */
export function choose(tests, times, budget) {
  const chosen = [];
  const left = [];
  let spent = 0;
  for (const path of tests) {
    const seconds = times[path] ?? UNTIMED_SECONDS;
    if (spent + seconds <= budget || chosen.length === 0) {
      chosen.push({ path, seconds });
      spent += seconds;
    } else left.push({ path, seconds });
  }
  return { chosen, left };
}

function knownTimes() {
  return existsSync(TIMES) ? JSON.parse(readFileSync(TIMES, 'utf8')) : {};
}

/** Stores the durations of vitest's report for the next check. Returns all known durations, longest first. */
export function keepTimes({ testResults }) {
  const times = knownTimes();
  for (const { name, startTime, endTime } of testResults)
    times[relative(ROOT, name)] = Math.round(endTime - startTime) / 1000;
  mkdirSync(CACHE, { recursive: true });
  writeFileSync(TIMES, JSON.stringify(times));
  return Object.entries(times).sort(([, a], [, b]) => b - a);
}
