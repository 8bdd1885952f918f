// Shared by the campaigns on Slurm and through Redis: the sweep and its results from one process, launchers that are killed, a program of
// other code, and the checks of a sweep's folder at its end.
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { command, lastLines } from './campaign-process.mjs';
import { bundleOfOtherCode, OTHER_CODE } from './other-code.mjs';
import { at } from './project.mjs';
import { say } from './terminal.mjs';

/** Milliseconds within which the children of a killed launcher must have ended; src/cli/lifeline.ts gives them as long. */
const END_MS = 30_000;
const LIMIT_MS = 15 * 60_000;

const specOf = (runs, steps) => ({
  name: 'campaign',
  preset: 'smoke',
  arm: 'none',
  // There are steps between two checkpoints, so that a stopped worker has something to keep.
  overrides: { environment: 'arithmetic', steps, evalEvery: 0, finalEvalProblems: 4, checkpointEvery: 5 },
  axes: [{ option: 'lr', from: 0.001, to: 0.1, count: Math.max(1, runs / 2), scale: 'log' }],
  seeds: runs > 1 ? [41, 42] : [41],
});

export async function until(what, isSo) {
  for (const from = performance.now(); !(await isSo()); await setTimeout(100))
    if (performance.now() - from > LIMIT_MS) throw new Error(`${what} did not come about`);
}

/** Begins a sweep in `folder`; `expected` holds its results from one process. The caller removes `other.folder`. */
export async function beginSweep(bundle, folder, { runs, steps }) {
  mkdirSync(folder, { recursive: true });
  const [spec, out, alone] = ['sweep.json', 'out', 'alone'].map((name) => join(folder, name));
  writeFileSync(spec, JSON.stringify(specOf(runs, steps)));
  const sweep = async (...args) => {
    const { code, stdout, stderr } = await command(bundle, ['sweep', ...args]);
    if (code !== 0) throw new Error(`sweep ${args[0]}: exit ${code}: ${lastLines(stderr, 4)}`);
    return stdout;
  };
  const results = async (of) => {
    await sweep('collect', of);
    return readFileSync(join(of, 'results.jsonl'), 'utf8');
  };
  await sweep('run', spec, '--out', alone);
  const expected = await results(alone);
  say(`One process: ${expected.trim().split('\n').length} runs`);
  const other = await bundleOfOtherCode(bundle);
  return { bundle, folder, spec, out, runs, sweep, results, expected, other };
}

/** Starts `npm run lab -- …` as a person does: a process whose child is the program. The stderr of both is in `text`. */
export function launch(args) {
  const child = spawn(process.execPath, [at('scripts', 'lab.mjs'), ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  child.text = '';
  child.stderr.on('data', (chunk) => (child.text += chunk));
  return child;
}

/** Sends SIGKILL to a launcher alone; returns how many processes it had started, and how many of them outlived it. */
export async function killLauncher({ pid }) {
  const started = descendantsOf(pid);
  process.kill(pid, 'SIGKILL');
  const left = await notGone(started);
  for (const one of left) process.kill(one, 'SIGKILL');
  return { started: started.length, left: left.length };
}

/** Returns those of the processes that still run after END_MS. */
export async function notGone(pids) {
  for (const from = performance.now(); ; await setTimeout(100)) {
    const left = pids.filter(isRunning);
    if (left.length === 0 || performance.now() - from > END_MS) return left;
  }
}

/** Whether a process runs; a zombie does not. */
const isRunning = (pid) =>
  !/^(Z.*)?$/.test(
    spawnSync('ps', ['-o', 'stat=', '-p', String(pid)])
      .stdout.toString()
      .trim(),
  );

function descendantsOf(pid) {
  const all = spawnSync('ps', ['-e', '-o', 'pid=,ppid=']).stdout.toString().trim().split('\n');
  const pairs = all.map((line) => line.trim().split(/\s+/).map(Number));
  const found = [pid];
  // The loop also visits the children that it appends.
  for (const parent of found) found.push(...pairs.filter(([, of]) => of === parent).map(([child]) => child));
  return found.slice(1);
}

/** Returns, for each worker that was stopped, the step that it was in and the one that it kept. */
export const stopsIn = (texts) =>
  texts.flatMap((text) =>
    [...text.matchAll(/stopped in step (\d+) of \d+; checkpoint at step (\d+)/g)].map(([, step, kept]) => ({
      step: Number(step),
      kept: Number(kept),
    })),
  );

/** Examines the folder when all runs should be there, and returns what `sweepFaults` judges. */
export async function endSweep({ bundle, folder, spec, out, runs, sweep, results, expected, other }) {
  const exported = async (of) => {
    const to = join(folder, `tables-${of === out ? 'out' : 'mixed'}`);
    const { code } = await command(bundle, ['tables', of, '--out', to]);
    if (code !== 0) return { folders: 0, names: 0, csv: '' };
    const csv = readFileSync(join(to, 'steps.csv'), 'utf8');
    const [head, ...rows] = csv.trim().split('\n');
    const column = head.split(',').indexOf('run');
    const names = new Set(rows.map((row) => cellsOf(row)[column]));
    return { folders: readdirSync(join(to, 'tensorboard')).length, names: names.size, csv };
  };
  const { setApart } = JSON.parse(await sweep('status', out, '--json'));
  const isSame = (await results(out)) === expected;
  const { folders, names } = await exported(out);
  // A copy of the folder lacks one run; a program of other code then makes it.
  const mixed = join(folder, 'mixed');
  cpSync(out, mixed, { recursive: true });
  rmSync(join(mixed, 'runs', readdirSync(join(mixed, 'runs'))[0]));
  const refused = await command(other.bundle, ['sweep', 'run', spec, '--out', mixed]);
  const allowed = await command(other.bundle, ['sweep', 'run', spec, '--out', mixed, '--other-code']);
  await sweep('collect', mixed);
  const words = /Runs were made by different code/;
  const reported = {
    status: words.test(await sweep('status', mixed)),
    report: words.test(await sweep('report', mixed)),
    rows: readFileSync(join(mixed, 'results.csv'), 'utf8').includes(OTHER_CODE),
    tables: (await exported(mixed)).csv.includes(OTHER_CODE),
  };
  return {
    of: runs,
    runs: readdirSync(join(out, 'runs')).length,
    setApart: setApart.length,
    isSame,
    exported: { folders, names },
    mixed: {
      isRefused: refused.code === 2 && /was begun with code/.test(refused.stderr),
      isAllowed: allowed.code === 0,
      silent: Object.keys(reported).filter((where) => !reported[where]),
    },
  };
}

/** Cells of a row of CSV; a quoted cell may contain commas. */
const cellsOf = (row) => [...row.matchAll(/(?:^|,)("(?:[^"]|"")*"|[^,]*)/g)].map(([, cell]) => cell);

/** Returns a sentence for each fault. `stops`: from `stopsIn`; `launchers`: results of `killLauncher`. */
export function sweepFaults({ of, runs, setApart, isSame, exported, mixed, stops, launchers }) {
  return [
    ...(runs === of ? [] : [`${of - runs} of ${of} runs are missing`]),
    ...(isSame ? [] : ['the results are not those of one process']),
    ...(setApart === 0 ? [] : [`${setApart} runs were set apart`]),
    ...(exported.folders === of ? [] : [`${exported.folders} of ${of} runs were exported for TensorBoard`]),
    ...(exported.names === of ? [] : [`${exported.names} of ${of} runs have a name of their own in steps.csv`]),
    ...(mixed.isRefused ? [] : ['a folder that other code began was gone on with unasked']),
    ...(mixed.isAllowed ? [] : ['--other-code did not go on with a folder']),
    ...mixed.silent.map((where) => `${where} did not tell that other code made a run`),
    ...stops
      .filter(({ step, kept }) => kept !== step - 1)
      .map(({ step, kept }) => `a worker stopped in step ${step} kept step ${kept}`),
    ...launchers.flatMap(({ started, left }) => [
      ...(started > 0 ? [] : ['a launcher was killed before it had started anything']),
      ...(left === 0 ? [] : [`${left} of ${started} processes outlived their launcher`]),
    ]),
  ];
}

export function sweepText({ of, setApart, isSame, exported, stops, launchers }) {
  const below = launchers.reduce((sum, { started }) => sum + started, 0);
  return `${stops.length} stopped workers kept their last whole step; ${launchers.length} launchers were killed, and the ${below} processes below them ended; ${setApart} runs set apart; ${exported.folders} of ${of} runs exported under names of their own; other code refused, and told where it was allowed. ${isSame ? 'Every byte is' : 'The results are not'} that of one process.`;
}
