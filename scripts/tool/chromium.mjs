// Finds a Chromium, and installs one if there is none. The journeys of `npm test` use its headless shell if there is one: the same engine,
// with WebGPU, without the cost of an invisible window.
import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { at } from './project.mjs';
import { ask, Complaint, run, say } from './terminal.mjs';

/** Where a browser may be: names on PATH, full paths, and a build in the cache of `playwright install`. */
const FULL = {
  names: ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome'],
  elsewhere: [
    '/usr/lib/chromium/chromium',
    '/opt/google/chrome/chrome',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
    'C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe',
  ],
  build: 'chromium-',
  inBuild: [
    'chrome-linux64/chrome',
    'chrome-linux/chrome',
    'chrome-mac/Chromium.app/Contents/MacOS/Chromium',
    'chrome-win/chrome.exe',
    'chrome-win64/chrome.exe',
  ],
};
const SHELL = {
  names: ['chromium-headless-shell', 'chrome-headless-shell'],
  elsewhere: ['/usr/lib/chromium/chromium-headless-shell'],
  build: 'chromium_headless_shell-',
  inBuild: ['chrome-headless-shell-linux64/chrome-headless-shell', 'chrome-linux/headless_shell'],
};

/** Paths where Playwright may have installed a build, newest first. */
function playwrightBuilds({ build, inBuild }) {
  const cache =
    process.env.PLAYWRIGHT_BROWSERS_PATH ||
    { darwin: join(homedir(), 'Library/Caches/ms-playwright'), win32: join(homedir(), 'AppData/Local/ms-playwright') }[
      process.platform
    ] ||
    join(homedir(), '.cache/ms-playwright');
  if (!existsSync(cache)) return [];
  const number = (name) => Number(name.slice(build.length));
  return readdirSync(cache)
    .filter((name) => name.startsWith(build) && number(name) > 0)
    .sort((a, b) => number(b) - number(a))
    .flatMap((name) => inBuild.map((path) => join(cache, name, path)));
}

/** The first path whose program prints a version, or null. */
async function find(browser) {
  const onPath = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  const candidates = [
    ...browser.names.flatMap((name) => onPath.map((folder) => join(folder, name))),
    ...browser.elsewhere,
    ...playwrightBuilds(browser),
  ];
  for (const path of candidates) if (await works(path)) return path;
  return null;
}

/** Path of a Chromium, or null. CHROMIUM_PATH takes precedence; throws Complaint if it does not run. */
export async function findChromium() {
  const chosen = process.env.CHROMIUM_PATH;
  if (!chosen) return find(FULL);
  if (await works(chosen)) return chosen;
  throw new Complaint(`CHROMIUM_PATH is ${chosen}, which is not a Chromium that runs. Correct or unset it.`);
}

/**
 * The browser that runs the journeys: CHROMIUM_PATH, else the headless shell of the same version as `chromium` (an older one may lack WebGPU),
 * else `chromium`.
 */
export async function findForJourneys(chromium) {
  if (process.env.CHROMIUM_PATH) return chromium;
  const shell = await find(SHELL);
  return shell && (await versionOf(shell)) === (await versionOf(chromium)) ? shell : chromium;
}

const versionOf = async (path) => /\d+(\.\d+)+/.exec((await ask(path, ['--version'])) ?? '')?.[0];

/**
 * Whether the path is a browser that runs. Ubuntu's `chromium-browser` may be a stub that only refers to snap, so its version is asked for; on
 * Windows chrome.exe has no --version.
 */
async function works(path) {
  if (!existsSync(path)) return false;
  if (process.platform === 'win32') return true;
  return /Chrom(e|ium)/.test((await ask(path, ['--version'])) ?? '');
}

export async function ensureChromium() {
  const found = await findChromium();
  if (found) return found;
  const isRoot = process.getuid?.() === 0;
  if (isRoot && (await ask('apt-get', ['--version'])) !== null) {
    say('No Chromium found; installing the package `chromium` through apt-get …');
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    const quiet = { env, stdio: ['ignore', 'ignore', 'inherit'] };
    const install = ['install', '-y', '-qq', '--no-install-recommends'];
    const done =
      (await run('apt-get', ['update', '-qq'], quiet)) === 0 &&
      (await run('apt-get', [...install, 'chromium'], quiet)) === 0;
    const installed = done ? await findChromium() : null;
    // Not every distribution packages the shell; the journeys then use the full browser.
    const isShell = installed && (await ask('apt-get', [...install, 'chromium-headless-shell'], 300_000)) !== null;
    if (installed && !isShell) say('There is no package of its headless shell: the journeys take the browser itself.');
    if (installed) return installed;
    say('apt-get brought no Chromium that runs.');
  }
  say('No Chromium found; installing Playwright’s (`npx playwright install chromium`) …');
  const cli = at('node_modules', '@playwright', 'test', 'cli.js');
  await run(process.execPath, [cli, 'install', ...(isRoot ? ['--with-deps'] : []), 'chromium'], { cwd: at() });
  const installed = await findChromium();
  if (installed) return installed;
  throw new Complaint(
    'No Chromium could be installed. Install Chromium or Chrome yourself, or set CHROMIUM_PATH to one, then run the command again.',
  );
}
