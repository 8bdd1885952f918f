// Installs the tools that build the docs' site and check its spelling. They are a package of their own (docs/package.json), installed when
// first needed, so that the lab's installation has none of it.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { at } from './project.mjs';
import { Complaint, say } from './terminal.mjs';

export const VITEPRESS = at('docs', 'node_modules', 'vitepress', 'dist', 'node', 'index.js');

/** Installs the tools from their own lock file, once, and again when that has changed. */
export function ensureDocsTools() {
  const [lock, seen] = [at('docs', 'package-lock.json'), at('docs', 'node_modules', '.lock')];
  if (existsSync(VITEPRESS) && existsSync(seen) && readFileSync(seen, 'utf8') === readFileSync(lock, 'utf8')) return;
  say('Installing what builds the docs (once, about 150 MB) …');
  // `--include=dev`: after a build of the page in this process NODE_ENV is production, and npm would install nothing.
  const { status } = spawnSync('npm', ['ci', '--include=dev', '--no-audit', '--no-fund', '--prefer-offline'], {
    cwd: at('docs'),
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new Complaint('What builds the docs could not be installed. With a network: npm run docs');
  copyFileSync(lock, seen);
}
