// Computes one hash over the code that decides a run; the bundled command line carries it. It covers the sources that a run's worker and a
// sweep's plan import (without comments and types), all shaders, the packages that these name, and the embedded models. Equal checkouts have
// equal hashes on every machine; the page, the other commands and the docs are not part of it.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { importsOf } from './layers.mjs';
import { ROOT } from './project.mjs';

/** The modules that train a run, and those that list a sweep's runs with their keys and defaults. */
export const ENTRIES = [
  'src/cli/run/embedded-host.ts',
  'src/experiments/runs/runner.ts',
  'src/experiments/sweep/plan.ts',
];
const SCOPE = '@projected-grpo-lab/';
/** Not hashed: every record has the package's version beside the hash. */
const EXCLUDED = 'package.json';

const filesBelow = (root, folder) =>
  existsSync(join(root, folder))
    ? readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(root.length).replaceAll('\\', '/').replace(/^\//, ''))
    : [];

/** Resolves an import to a file of the project; null for a third-party package. */
function targetOf(path, specifier) {
  const name = specifier.replace(/\?.*$/, '');
  if (name.startsWith('.')) return posix.normalize(posix.join(dirname(path), name));
  if (!name.startsWith(SCOPE)) return null;
  const [own, ...rest] = name.slice(SCOPE.length).split('/');
  return `packages/${own}/src/${rest.join('/')}`;
}

/** Maps the path of each imported file to its contents. Sources are printed anew, without comments and types. */
async function reached(root, more) {
  const { minifySync, transformWithOxc } = await import('vite');
  const found = new Map();
  for (const queue = [...ENTRIES, ...more]; queue.length > 0; ) {
    const path = queue.pop();
    if (found.has(path) || path === EXCLUDED || !existsSync(join(root, path))) continue;
    const bytes = readFileSync(join(root, path));
    if (!/\.tsx?$/.test(path)) {
      found.set(path, bytes);
      continue;
    }
    const { code } = await transformWithOxc(bytes.toString(), path, { sourcemap: false });
    found.set(path, minifySync(path, code, { compress: false, mangle: false }).code);
    for (const { specifier } of importsOf(code)) {
      const target = targetOf(path, specifier);
      if (target !== null) queue.push(target);
    }
  }
  return found;
}

/** Returns 16 hex digits. `more`: further files that decide runs, such as those of a user's environment. */
export async function codeHash(root = ROOT, more = []) {
  const found = await reached(root, more);
  for (const path of ['shaders', 'public/models'].flatMap((folder) => filesBelow(root, folder)))
    found.set(path, readFileSync(join(root, path)));
  const code = [...found]
    .filter(([path]) => /\.tsx?$/.test(path))
    .map(([, text]) => text)
    .join('\n');
  const packages = Object.entries(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).dependencies)
    .filter(([name]) => !name.startsWith(SCOPE) && code.includes(name))
    .map(([name, version]) => `${name}@${version}`);
  const hash = createHash('sha256').update(packages.sort().join());
  for (const [path, contents] of [...found].sort(([a], [b]) => (a < b ? -1 : 1)))
    hash.update(`\0${path}\0`).update(contents);
  return hash.digest('hex').slice(0, 16);
}
