// Finds the other engines that have journeys (e2e/webkit.spec.ts, e2e/firefox.spec.ts): WebKitGTK, Safari's engine on Linux, with its
// WebDriver and a virtual screen, and Firefox, which needs neither. They are installed by apt if possible; otherwise their journeys are
// skipped, with a message.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ask, run, say } from './terminal.mjs';

const DRIVER = '/usr/bin/WebKitWebDriver';
const SCREEN = '/usr/bin/Xvfb';
/** Path of the browser below a folder of /usr/lib that is named after the machine's architecture. */
const BROWSER = 'webkit2gtk-4.1/MiniBrowser';
/** Debian's path comes first, since Ubuntu's `firefox` may be a stub that only refers to snap. */
const FIREFOX = ['/usr/bin/firefox-esr', '/usr/lib/firefox/firefox'];

/** Paths of the programs that the journey starts, or null. */
export function findWebkit() {
  if (!existsSync(DRIVER) || !existsSync(SCREEN)) return null;
  const browser = readdirSync('/usr/lib')
    .map((folder) => join('/usr/lib', folder, BROWSER))
    .find((path) => existsSync(path));
  return browser ? { driver: DRIVER, screen: SCREEN, browser } : null;
}

/** Path of Firefox, or null. */
export const findFirefox = () => FIREFOX.find((path) => existsSync(path)) ?? null;

const ENGINES = [
  { name: 'WebKit', find: findWebkit, packages: ['webkit2gtk-driver', 'xvfb'] },
  { name: 'Firefox', find: findFirefox, packages: ['firefox-esr'] },
];

/** Installs missing engines. It never fails: a machine without them runs every other journey. */
export async function ensureEngines() {
  const missing = ENGINES.filter(({ find }) => find() === null);
  if (missing.length === 0) return;
  if (process.platform === 'linux' && process.getuid?.() === 0 && (await ask('apt-get', ['--version'])) !== null) {
    const quiet = {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      stdio: ['ignore', 'ignore', 'inherit'],
    };
    await run('apt-get', ['update', '-qq'], quiet);
    for (const { name, packages } of missing) {
      say(`No ${name} found; installing ${packages.join(' and ')} through apt-get …`);
      await run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], quiet);
    }
  }
  for (const { name, find, packages } of missing) {
    if (find() === null) {
      say(`The journey in ${name} is skipped: install ${packages.join(' and ')} (Debian, Ubuntu) for it.`);
    }
  }
}
