// Paths of the project, and the sources of each build: a hash over them tells whether the build is stale.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const CACHE = join(ROOT, 'node_modules', '.cache', 'projected-grpo-lab');
export const at = (...parts) => join(ROOT, ...parts);

const PAGE = [
  ...[
    'index.html',
    'embed.html',
    'vite.config.ts',
    'package-lock.json',
    'tsconfig.json',
    'src',
    'packages',
    'shaders',
    'public',
  ],
  ...['scripts/licences', 'scripts/tool/policy.mjs', 'scripts/tool/licences.mjs', 'scripts/tool/isolation.mjs'],
  ...readdirSync(join(ROOT, 'scripts/tool'))
    .filter((name) => name.endsWith('-plugin.mjs'))
    .map((name) => `scripts/tool/${name}`),
];
/** Of public/ only the models belong here, since their bytes are part of the hash that the bundle carries (code-hash.mjs). */
const CLI = [
  ...['package.json', 'package-lock.json', 'src', 'packages', 'shaders', 'public/models'],
  ...['scripts/tool/bundle.mjs', 'scripts/tool/code-hash.mjs', 'scripts/tool/environment-plugin.mjs'],
];
const BENCH = [...CLI, 'bench'];
/** The site's API pages are made of the sources' types and comments, so those belong here too. */
const SITE = [
  ...['docs', 'packages', 'tsconfig.json'],
  ...['engine', 'kernels', 'algorithms', 'rng', 'text', 'storage'].map((name) => `src/${name}`),
  ...['policy.mjs', 'policy-plugin.mjs', 'site.mjs', 'site-api.mjs', 'site-links.mjs', 'site-paths.mjs'].map(
    (name) => `scripts/tool/${name}`,
  ),
];
export const SOURCES = {
  site: SITE,
  page: PAGE,
  cli: CLI,
  research: [...CLI, 'research'],
  are: CLI,
  flips: CLI,
  archives: CLI,
  bench: BENCH,
  gpu: BENCH,
  fuzz: [...CLI, 'fuzz'],
  'random-qwen': BENCH,
  'large-scenario': BENCH,
};

/** Hex SHA-256 over paths and contents; of a file above a megabyte, size and modification time are hashed instead. */
export function hashSources(paths) {
  const hash = createHash('sha256');
  const add = (path) => {
    const full = at(path);
    if (!existsSync(full)) return;
    const info = statSync(full);
    if (info.isDirectory()) {
      for (const name of readdirSync(full).sort()) if (name !== 'node_modules') add(`${path}/${name}`);
    } else if (!/\.test\.\w+$/.test(path) && !/^bench\/RESULTS/.test(path)) {
      hash.update(`${path}\0${info.size}\0`);
      hash.update(info.size > 1e6 ? String(info.mtimeMs) : readFileSync(full));
    }
  };
  for (const path of paths) add(path);
  return hash.digest('hex');
}

/**
 * Runs `build` unless `output` exists and the sources of `name`, the files `more` and `setting` equal those of the last successful build. Returns
 * whether it built. `setting`: the text of an environment variable that the output depends on.
 */
export async function buildIfStale(name, output, build, { more = [], setting = '' } = {}) {
  const stamp = join(CACHE, `${name}.stamp`);
  const now = hashSources([...SOURCES[name], ...more]) + setting;
  if (existsSync(output) && existsSync(stamp) && readFileSync(stamp, 'utf8') === now) return false;
  await build();
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, now);
  return true;
}
