// Adds a user's own environment from a file such as examples/week.ts: a Vite plugin appends it to the registry at each build, so that command
// line, workers and page have it like the others. `npm run lab -- run --environment FILE` names the file, or the variable LAB_ENVIRONMENT for
// everything else (`LAB_ENVIRONMENT=examples/week.ts npm run dev`).
import { existsSync, readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { importsOf } from './layers.mjs';
import { at, ROOT } from './project.mjs';
import { Complaint } from './terminal.mjs';

const REGISTRY = at('src', 'environments', 'registry.ts');
const IS_FILE = /\.[cm]?[jt]s$/;

/** Absolute path of the file that the arguments, or else the variable, name; null if neither does. Throws Complaint if the file is missing. */
export function ownEnvironment(args = [], env = process.env) {
  const flag = args.findIndex((arg) => arg === '--environment' || arg.startsWith('--environment='));
  const value = flag < 0 ? undefined : (args[flag].split('=')[1] ?? args[flag + 1]);
  const named = value !== undefined && IS_FILE.test(value) ? value : env.LAB_ENVIRONMENT;
  if (!named) return null;
  const path = resolve(named);
  if (!existsSync(path)) throw new Complaint(`There is no file ${named}. Name a file like examples/week.ts.`);
  return path;
}

/** The file and its imports outside the lab's sources, whose change makes a build stale. Relative to the project, with forward slashes. */
export function filesOf(environment) {
  if (environment === null) return [];
  const found = new Set();
  const own = (path) => relative(ROOT, path).replaceAll('\\', '/');
  for (const queue = [environment]; queue.length > 0; ) {
    const path = queue.pop();
    if (found.has(own(path)) || /^(src|packages)\//.test(own(path)) || !existsSync(path)) continue;
    found.add(own(path));
    for (const { specifier } of importsOf(readFileSync(path, 'utf8')))
      if (specifier.startsWith('.')) queue.push(resolve(dirname(path), specifier));
  }
  return [...found];
}

/** `environment`: absolute path of the file, or null. */
export function environmentPlugin(environment = ownEnvironment()) {
  return {
    name: 'environment',
    transform(code, id) {
      if (environment === null || resolve(id) !== REGISTRY) return null;
      const from = relative(dirname(REGISTRY), environment).replaceAll('\\', '/');
      return { code: `${code}\nexport { default as OWN } from ${JSON.stringify(from)};\n`, map: null };
    },
  };
}
