// WebKitGTK, Safari's engine on Linux, for the journey in it (e2e/webkit.spec.ts): its WebDriver, a browser for it, and a screen that
// nobody sees. Installed by apt where that can be; where it cannot, the journey is skipped, and says so.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ask, run, say } from './terminal.mjs';

const PACKAGES = ['webkit2gtk-driver', 'xvfb'];
const DRIVER = '/usr/bin/WebKitWebDriver';
const SCREEN = '/usr/bin/Xvfb';
/** Below a folder named by the machine's architecture. */
const BROWSER = 'webkit2gtk-4.1/MiniBrowser';

/** Paths of what the journey starts, or null. */
export function findWebkit() {
  if (!existsSync(DRIVER) || !existsSync(SCREEN)) return null;
  const browser = readdirSync('/usr/lib')
    .map((folder) => join('/usr/lib', folder, BROWSER))
    .find((path) => existsSync(path));
  return browser ? { driver: DRIVER, screen: SCREEN, browser } : null;
}

/** Never fails: a machine without WebKit runs every other journey. */
export async function ensureWebkit() {
  if (findWebkit()) return;
  if (process.platform === 'linux' && process.getuid?.() === 0 && (await ask('apt-get', ['--version'])) !== null) {
    say(`No WebKitGTK found; installing ${PACKAGES.join(' and ')} through apt-get …`);
    const quiet = {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      stdio: ['ignore', 'ignore', 'inherit'],
    };
    await run('apt-get', ['update', '-qq'], quiet);
    await run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...PACKAGES], quiet);
    if (findWebkit()) return;
  }
  say(`The journey in WebKit is skipped: install ${PACKAGES.join(' and ')} (Debian, Ubuntu) for it.`);
}
