// Finds a full Chromium (not the headless shell, which has no WebGPU), and installs one where there is none.
import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { at } from './project.mjs';
import { ask, Complaint, run, say } from './terminal.mjs';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome'];
const ELSEWHERE = [
  '/usr/lib/chromium/chromium',
  '/opt/google/chrome/chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe',
];

/** Builds that `playwright install` has put into its cache, newest first. */
function playwrightBuilds() {
  const cache =
    process.env.PLAYWRIGHT_BROWSERS_PATH ||
    { darwin: join(homedir(), 'Library/Caches/ms-playwright'), win32: join(homedir(), 'AppData/Local/ms-playwright') }[
      process.platform
    ] ||
    join(homedir(), '.cache/ms-playwright');
  if (!existsSync(cache)) return [];
  const inner = [
    'chrome-linux64/chrome',
    'chrome-linux/chrome',
    'chrome-mac/Chromium.app/Contents/MacOS/Chromium',
    'chrome-win/chrome.exe',
    'chrome-win64/chrome.exe',
  ];
  return readdirSync(cache)
    .filter((name) => /^chromium-\d+$/.test(name))
    .sort((a, b) => Number(b.slice(9)) - Number(a.slice(9)))
    .flatMap((name) => inner.map((path) => join(cache, name, path)));
}

/** A path that answers `--version`, or null. CHROMIUM_PATH wins. */
export async function findChromium() {
  const chosen = process.env.CHROMIUM_PATH;
  if (chosen) {
    if (await works(chosen)) return chosen;
    throw new Complaint(`CHROMIUM_PATH is ${chosen}, which is not a Chromium that runs. Correct or unset it.`);
  }
  const onPath = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  const candidates = [
    ...NAMES.flatMap((name) => onPath.map((folder) => join(folder, name))),
    ...ELSEWHERE,
    ...playwrightBuilds(),
  ];
  for (const path of candidates) if (await works(path)) return path;
  return null;
}

/** Ubuntu's `chromium-browser` may be a stub that only talks about snap; on Windows chrome.exe has no --version. */
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
    const done =
      (await run('apt-get', ['update', '-qq'], quiet)) === 0 &&
      (await run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium'], quiet)) === 0;
    const installed = done ? await findChromium() : null;
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
