// `npm test` runs lint, types, unit and kernel tests, and journeys in a browser; in CI the research's tests too. It stops at the first stage
// that fails.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { keepTimes } from './check.mjs';
import { ensureChromium, findForJourneys } from './chromium.mjs';
import { ensureDependencies } from './dependencies.mjs';
import { ensureEngines } from './engines.mjs';
import { at, CACHE } from './project.mjs';
import { Complaint, heading, run, say } from './terminal.mjs';

const bin = (...parts) => [process.execPath, at('node_modules', ...parts)];
const exec = ([command, ...first], args, env = {}) =>
  run(command, [...first, ...args], { cwd: at(), env: { ...process.env, ...env } });
const unitJson = join(CACHE, 'unit.json');
const researchJson = join(CACHE, 'research.json');
const e2eJson = join(CACHE, 'e2e.json');

const STAGES = {
  lint: {
    title: 'Lint, layers and keys (biome, check-layers, check-keys)',
    run: async () =>
      (await exec(bin('@biomejs', 'biome', 'bin', 'biome'), ['check', '--error-on-warnings', '.'])) ||
      (await exec([process.execPath, at('scripts', 'check-layers.mjs')], [])) ||
      exec([process.execPath, at('scripts', 'check-keys.mjs')], []),
  },
  types: {
    title: 'Types (tsc)',
    // The packages are checked more strictly, by a configuration of their own.
    run: async () =>
      (await exec(bin('typescript', 'bin', 'tsc'), ['--noEmit'])) ||
      exec(bin('typescript', 'bin', 'tsc'), ['--noEmit', '-p', 'packages']),
  },
  unit: {
    title: 'Unit and kernel tests (vitest)',
    run: () =>
      exec(bin('vitest', 'vitest.mjs'), [
        'run',
        '--reporter=default',
        '--reporter=json',
        `--outputFile.json=${unitJson}`,
      ]),
    count: () => {
      const report = readJson(unitJson);
      if (report) printSlowest(keepTimes(report));
      return countsOf(report);
    },
  },
  research: {
    title: 'Research: every published sheet judged again, and its tests (vitest)',
    inCi: true,
    run: () =>
      exec(bin('vitest', 'vitest.mjs'), [
        'run',
        '--config=vitest.research.config.ts',
        '--reporter=default',
        '--reporter=json',
        `--outputFile.json=${researchJson}`,
      ]),
    count: () => countsOf(readJson(researchJson)),
  },
  e2e: {
    title: 'Docs and journeys in a browser (vitepress, cspell, playwright)',
    run: async (chromium) => {
      const { buildPage } = await import('./page.mjs');
      const { buildSite } = await import('./site.mjs');
      const { checkSpelling } = await import('./spelling.mjs');
      await buildPage();
      // Without a network the docs' tools may be missing, which is reported. A build that fails or an unknown word is a failure.
      await buildSite()
        .then(checkSpelling)
        .catch((error) => {
          if (!(error instanceof Complaint)) throw error;
          say(`Skipped: the docs’ site and its spelling. ${error.message}`);
        });
      await ensureEngines();
      const browser = await findForJourneys(chromium);
      if (browser !== chromium) say(`Journeys in Chromium’s headless shell: ${browser}`);
      // A failed journey is tried once more and, if it then passes, named at the end, so that a race is seen but does not fail the stage.
      return exec(bin('@playwright', 'test', 'cli.js'), ['test', '--retries=1', '--reporter=list,json'], {
        CHROMIUM_PATH: browser,
        PLAYWRIGHT_JSON_OUTPUT_NAME: e2eJson,
      });
    },
    count: () => {
      const { expected, flaky, unexpected, skipped } = readJson(e2eJson)?.stats ?? {};
      return { passed: (expected ?? 0) + (flaky ?? 0), failed: unexpected ?? 0, skipped: skipped ?? 0 };
    },
  },
};

export const HELP = `npm test -- [STAGE …]
Without names every stage, until one fails; research, which asks of published rows what the lab is no part of, under CI alone. Stages: ${Object.keys(STAGES).join(', ')}.`;

/** Runs the stages that the arguments name, by default all of them. */
export async function main(args) {
  const unknown = args.filter((arg) => !(arg in STAGES));
  if (unknown.length)
    throw new Complaint(`Unknown stage ${unknown.join(', ')}. Stages: ${Object.keys(STAGES).join(', ')}.`);
  const names = Object.keys(STAGES).filter((name) =>
    args.length === 0 ? !STAGES[name].inCi || process.env.CI : args.includes(name),
  );
  await ensureDependencies();
  // Unit tests need it too: its software Vulkan driver is the WebGPU adapter of a machine without a GPU.
  const needsChromium = names.includes('unit') || names.includes('e2e');
  const chromium = needsChromium ? await ensureChromium() : null;
  if (chromium) say(`Chromium: ${chromium}`);
  mkdirSync(CACHE, { recursive: true });
  for (const file of [unitJson, researchJson, e2eJson]) rmSync(file, { force: true });

  const total = { passed: 0, failed: 0, skipped: 0 };
  let failedStage = null;
  const seconds = [];
  for (const name of names) {
    heading(STAGES[name].title);
    const started = Date.now();
    const code = await STAGES[name].run(chromium);
    seconds.push(`${name} ${((Date.now() - started) / 1000).toFixed(0)} s`);
    const counts = STAGES[name].count?.() ?? { passed: 0, failed: 0, skipped: 0 };
    for (const key of Object.keys(total)) total[key] += counts[key];
    if (code !== 0) {
      failedStage = name;
      break;
    }
  }
  const rest = failedStage ? names.slice(names.indexOf(failedStage) + 1) : [];
  heading('Result');
  say(seconds.join(', '));
  if (failedStage) say(`Stage ${failedStage} failed${rest.length ? `; not run: ${rest.join(', ')}` : ''}.`);
  const flaky = flakyOf(readJson(e2eJson) ?? {});
  if (flaky.length)
    say(`Flaky, passed only at the second try (a race in the page or in the journey): ${flaky.join('; ')}.`);
  const skipped = total.skipped ? `, ${total.skipped} skipped` : '';
  console.log(`${total.passed} passed, ${total.failed} failed${skipped}`);
  return failedStage ? 1 : 0;
}

/** Prints the slowest test files, which are worth shortening first. */
function printSlowest(times) {
  const slowest = times.slice(0, 10).map(([path, seconds]) => `${path} ${seconds.toFixed(0)} s`);
  say(`Slowest: ${slowest.join(', ')}.`);
}

/** Counts of vitest's report; all are 0 if it wrote none (null). */
const countsOf = (report) => ({
  passed: report?.numPassedTests ?? 0,
  failed: report?.numFailedTests ?? 0,
  skipped: report?.numPendingTests ?? 0,
});

/** Returns `file:line title` of each journey that failed and then passed, from Playwright's report. */
export function flakyOf({ suites = [] }) {
  return suites.flatMap(({ specs = [], suites: inner }) => [
    ...specs
      .filter(({ tests }) => tests.some(({ status }) => status === 'flaky'))
      .map(({ file, line, title }) => `${file}:${line} ${title}`),
    ...flakyOf({ suites: inner }),
  ]);
}

function readJson(path) {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null;
}
