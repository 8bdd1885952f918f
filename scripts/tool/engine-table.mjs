// `npm run engines` runs the journeys and kernel tests that show where the lab works, and writes their outcomes to public/engines.json (shown
// on the Device page), to the table between the marks of docs/engines.md, and to a small table between README's marks. Nothing in them is
// written by hand: a cell is the outcome of the test that it names, on this machine, on the stated day.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { findChromium } from './chromium.mjs';
import { ensureDependencies } from './dependencies.mjs';
import { findFirefox, findWebkit } from './engines.mjs';
import { buildPage } from './page.mjs';
import { at } from './project.mjs';
import { ask, Complaint, heading, run, say } from './terminal.mjs';

export const HELP = `npm run engines              runs the tests that say where the lab works, and writes docs/engines.md, README's table and public/engines.json
npm run engines -- --reports FILE …
                             writes them from reports of these tests that are there (Playwright’s and Vitest’s JSON, as npm test leaves them
                             in its cache), made on this machine today
npm run engines -- --tests   says which those are`;

const RUN = 'two steps of route on WebGPU, and the same first step on both kinds of CPU';
const PARALLEL = 'two long runs are trained side by side, and go on after a reload';
const FIREFOX = 'open, run, keep and share with a sealed sandbox in Firefox';
const WEBKIT = 'open, run, keep and share in WebKit';

/**
 * The cells of the table. `file` and `title` name the test that decides a cell (`title` null: all tests of the file); `shows` says what the test
 * does, and `short` says so in a word where that is not a run.
 */
export const CELLS = [
  {
    engine: 'Chrome, Edge',
    of: 'chromium',
    device: 'CPU',
    file: 'e2e/run.spec.ts',
    title: RUN,
    shows: 'a run on both kinds of CPU, kept and opened again',
  },
  {
    engine: 'Chrome, Edge',
    of: 'chromium',
    device: 'threads',
    file: 'e2e/parallel.spec.ts',
    title: PARALLEL,
    shows: 'two runs side by side, over a reload',
  },
  {
    engine: 'Chrome, Edge',
    of: 'chromium',
    device: 'WebGPU',
    file: 'e2e/run.spec.ts',
    title: RUN,
    short: 'run, software adapter',
    shows: 'a run on SwiftShader, a software adapter; its first step is the CPU’s to 1e-3',
  },
  {
    engine: 'Firefox',
    of: 'firefox',
    device: 'CPU',
    file: 'e2e/firefox.spec.ts',
    title: FIREFOX,
    shows: 'run, keep, share, and a sandbox without shared memory',
  },
  {
    engine: 'Firefox',
    of: 'firefox',
    device: 'threads',
    file: 'e2e/firefox.spec.ts',
    title: FIREFOX,
    shows: 'the run above, with threads that share memory',
  },
  {
    engine: 'Firefox',
    of: 'naga',
    device: 'WebGPU',
    file: 'src/kernels/webgpu/naga.test.ts',
    title: null,
    short: 'shaders compile',
    shows: 'its compiler (naga) takes every shader; no run, since without a GPU the browser offers no adapter',
  },
  {
    engine: 'Safari',
    of: 'webkit',
    device: 'CPU',
    file: 'e2e/webkit.spec.ts',
    title: WEBKIT,
    shows: 'run, keep, share in WebKitGTK, its engine on Linux',
  },
  {
    engine: 'Safari',
    of: 'webkit',
    device: 'threads',
    file: 'e2e/webkit.spec.ts',
    title: WEBKIT,
    shows: 'the run above on as many threads as the browser allows; where that is one, the Device page says why',
  },
  { engine: 'Safari', of: 'webkit', device: 'WebGPU', file: null, title: null, shows: 'WebKitGTK has no WebGPU' },
  {
    engine: 'Node (Dawn)',
    of: 'node',
    device: 'WebGPU',
    file: 'src/kernels/webgpu/default-limits.test.ts',
    title: null,
    short: 'kernels, software adapter',
    shows: 'every kernel on default limits without a feature, within 1e-4, on SwiftShader',
  },
  {
    engine: 'Node',
    of: 'node',
    device: 'CPU',
    file: 'src/kernels/cpu/fused.test.ts',
    title: null,
    short: 'kernels',
    shows: 'the fused kernels’ bits, with 1, 2, 3 and 8 threads',
  },
  {
    engine: 'Node',
    of: 'node',
    device: 'threads',
    file: 'src/kernels/cpu/threads/threads.test.ts',
    title: null,
    short: 'kernels',
    shows: 'every kernel’s bits with 1, 2, 3 and 8 threads',
  },
];

/**
 * The status of a cell: one failed test fails it, and a skipped test does not count.
 *
 * @param {readonly ('passed' | 'failed' | 'skipped')[]} outcomes
 */
export function verdictOf(outcomes) {
  if (outcomes.includes('failed')) return 'failed';
  return outcomes.includes('passed') ? 'passed' : 'not tested';
}

/** Outcomes by file and title from a report of Playwright. A test that passed at the second try counts as passed. */
export function ofPlaywright(report) {
  const found = [];
  const visit = (suite, file) => {
    for (const { title, tests } of suite.specs ?? [])
      for (const { status } of tests)
        found.push({
          file,
          title,
          outcome: status === 'skipped' ? 'skipped' : status === 'unexpected' ? 'failed' : 'passed',
        });
    for (const inner of suite.suites ?? []) visit(inner, file);
  };
  for (const suite of report.suites) visit(suite, `e2e/${suite.file}`);
  return found;
}

/** Outcomes by file and title from a report of Vitest. A file that could not be loaded counts as failed. */
export function ofVitest(report, root) {
  return report.testResults.flatMap(({ name, status, assertionResults }) => {
    const file = relative(root, name);
    if (assertionResults.length === 0)
      return [{ file, title: name, outcome: status === 'failed' ? 'failed' : 'skipped' }];
    return assertionResults.map(({ title, status: of }) => ({
      file,
      title,
      outcome: of === 'passed' ? 'passed' : of === 'failed' ? 'failed' : 'skipped',
    }));
  });
}

/** @param {{ file: string, title: string, outcome: 'passed' | 'failed' | 'skipped' }[]} outcomes */
export function rowsOf(outcomes, versions) {
  return CELLS.map(({ engine, of, device, file, title, shows }) => {
    const own = outcomes.filter((one) => one.file === file && (title === null || one.title === title));
    const status = file === null ? 'not there' : verdictOf(own.map(({ outcome }) => outcome));
    return { engine, version: versions[of] ?? null, device, status, shows, test: file };
  });
}

/** The table of docs/engines.md, between its marks. */
export function tableText({ date, machine, rows }) {
  if (rows.length === 0) return 'Not run yet: `npm run engines`.';
  const lines = rows.map(({ engine, version, device, status, shows, test }) => {
    const by = test === null ? '' : `\`${test}\``;
    return `| ${engine} | ${device} | ${status} | ${version ?? ''} | ${shows} | ${by} |`;
  });
  return [
    `Run on ${date}, on ${machine}.`,
    '',
    '| browser | device | outcome | version | what was done | test |',
    '| --- | --- | --- | --- | --- | --- |',
    ...lines,
  ].join('\n');
}

/** README's table: a line for each browser, a column for each device, and in a cell one word for the test that passed. */
export function smallTable({ date, rows }) {
  if (rows.length === 0)
    return 'Journeys run in Chromium, Firefox and WebKit; no outcome is written here yet (`npm run engines`).';
  const devices = [...new Set(CELLS.map(({ device }) => device))];
  const cellText = (engine, device) => {
    const cell = CELLS.find((one) => one.engine === engine && one.device === device);
    const status = rows.find((one) => one.engine === engine && one.device === device)?.status ?? 'not tested';
    return status === 'passed' ? (cell.short ?? 'run') : status;
  };
  const engines = [...new Set(CELLS.map(({ engine }) => engine))].filter((engine) => !engine.startsWith('Node'));
  return [
    `|tested ${date}|${devices.join('|')}|`,
    `|---|${'---|'.repeat(devices.length)}`,
    ...engines.map((engine) => `|${engine}|${devices.map((device) => cellText(engine, device)).join('|')}|`),
  ].join('\n');
}

export const START = '<!-- engines -->';
export const END = '<!-- /engines -->';

/** Replaces what stands between the marks of `text` by a table. */
export function withTable(text, table) {
  const [from, to] = [text.indexOf(START), text.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`No ${START} … ${END}.`);
  return `${text.slice(0, from + START.length)}\n\n${table}\n\n${text.slice(to)}`;
}

/** Pages with a table, and the function that makes it. */
export const PAGES = { 'docs/engines.md': tableText, 'README.md': smallTable };

const firstNumber = (text) => /\d+(\.\d+)+/.exec(text ?? '')?.[0] ?? null;

async function versionsHere(chromium) {
  const version = async (command, args = ['--version']) =>
    command === null ? null : firstNumber(await ask(command, args));
  const deno = await version(process.env.LAB_DENO ?? 'deno').catch(() => null);
  // The browser prints its version only on a screen, so the package manager is asked.
  const webkit = findWebkit() && (await ask('dpkg-query', ['-W', 'libwebkit2gtk-4.1-0']));
  return {
    chromium: await version(chromium).then((found) => found && `Chromium ${found}`),
    firefox: await version(findFirefox()).then((found) => found && `Firefox ${found}`),
    webkit: webkit && `WebKitGTK ${firstNumber(webkit)}`,
    naga: deno && `Deno ${deno}`,
    node: `Node ${process.versions.node}`,
  };
}

export async function main(args) {
  const files = [...new Set(CELLS.flatMap(({ file }) => file ?? []))];
  if (args.includes('--tests')) {
    console.log(files.join('\n'));
    return 0;
  }
  await ensureDependencies();
  const chromium = await findChromium();
  if (args[0] === '--reports') return writeTables(args.slice(1).flatMap(outcomesOf), await versionsHere(chromium));
  if (args.length > 0) {
    say(HELP);
    return 2;
  }
  await buildPage();
  const folder = mkdtempSync(join(tmpdir(), 'lab-engines-'));
  try {
    const journeys = join(folder, 'journeys.json');
    const kernels = join(folder, 'kernels.json');
    const env = { ...process.env, PLAYWRIGHT_JSON_OUTPUT_NAME: journeys, CHROMIUM_PATH: chromium ?? '' };
    const quiet = { env, stdio: ['ignore', 'ignore', 'inherit'] };
    heading('Journeys');
    const specs = files.filter((file) => file.startsWith('e2e/'));
    const ran = await run('npx', ['playwright', 'test', ...specs, '--reporter=json', '--retries=1'], quiet);
    // Exit code 1 means that tests failed. With any other the run was cut off, and its report does not cover every test.
    if (ran > 1) throw new Complaint(`The journeys were cut off (exit code ${ran}); nothing is written.`);
    heading('Kernels');
    const units = files.filter((file) => !file.startsWith('e2e/'));
    await run('npx', ['vitest', 'run', ...units, '--reporter=json', `--outputFile=${kernels}`], quiet);
    return writeTables([journeys, kernels].flatMap(outcomesOf), await versionsHere(chromium));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Reads a report of either runner. */
function outcomesOf(path) {
  const report = JSON.parse(readFileSync(path, 'utf8'));
  return report.suites ? ofPlaywright(report) : ofVitest(report, at());
}

/** Writes all tables, and returns exit code 1 if a cell failed. */
function writeTables(outcomes, versions) {
  const { arch, platform } = process;
  const found = {
    schema: 1,
    date: new Date().toISOString().slice(0, 10),
    machine: `${platform} ${arch}, without a GPU`,
    rows: rowsOf(outcomes, versions),
  };
  writeFileSync(at('public', 'engines.json'), `${JSON.stringify(found, null, 1)}\n`);
  for (const [page, table] of Object.entries(PAGES))
    writeFileSync(at(page), withTable(readFileSync(at(page), 'utf8'), table(found)));
  for (const { engine, device, status } of found.rows) say(`${engine}, ${device}: ${status}`);
  return found.rows.some(({ status }) => status === 'failed') ? 1 : 0;
}
