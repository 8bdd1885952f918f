// Installs the dependencies from the lock file, if the installed ones differ from it.
import { existsSync, readFileSync } from 'node:fs';
import { at, ROOT } from './project.mjs';
import { Complaint, run, say } from './terminal.mjs';

/** Null if node_modules matches the lock file, else a sentence that says why not. */
export function whatIsMissing(root = ROOT) {
  const lock = JSON.parse(readFileSync(`${root}/package-lock.json`, 'utf8'));
  const installedPath = `${root}/node_modules/.package-lock.json`;
  if (!existsSync(installedPath)) return 'no dependencies are installed';
  const installed = JSON.parse(readFileSync(installedPath, 'utf8'));
  for (const [path, wanted] of Object.entries(lock.packages)) {
    if (path === '' || wanted.link) continue;
    const found = installed.packages[path];
    // Binaries for other platforms are optional and not installed here.
    if (!found && wanted.optional) continue;
    if (found?.version !== wanted.version || !existsSync(`${root}/${path}`)) {
      const isThere = found && existsSync(`${root}/${path}`);
      return `${path.replace('node_modules/', '')} is ${isThere ? `${found.version}, not ${wanted.version}` : 'missing'}`;
    }
  }
  return null;
}

export async function ensureDependencies() {
  const reason = whatIsMissing();
  if (!reason) return;
  say(`Installing dependencies from the lock file (${reason}) …`);
  const args = ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error'];
  // Under `npm start` npm_execpath is npm's own script, which needs no shell on any platform.
  const npm = process.env.npm_execpath;
  const code = npm?.endsWith('.js')
    ? await run(process.execPath, [npm, ...args], { cwd: at() })
    : await run('npm', args, { cwd: at(), shell: process.platform === 'win32' });
  if (code !== 0) {
    throw new Complaint(
      `npm ci failed with exit code ${code}. Check the connection to the npm registry, then run the command again.`,
    );
  }
}
