// Where the project is, and what its sources are: a hash over them says whether a build is stale.
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
/** From public/ the models alone: their bytes are part of the hash that the bundle carries (code-hash.mjs). */
const CLI = [
  ...['package.json', 'package-lock.json', 'src', 'packages', 'shaders', 'public/models'],
  ...['scripts/tool/bundle.mjs', 'scripts/tool/code-hash.mjs', 'scripts/tool/environment-plugin.mjs'],
];
const BENCH = [...CLI, 'bench'];
/** APIs are pages of the site too, from the sources' types and comments. */
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

/** Hex sha-256 over paths and contents (a file of more than a megabyte counts by size and time). */
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
 * Runs `build` unless `name`'s sources, `more` and `setting` are those of the last successful build and `output` exists. Returns whether
 * it built. `setting`: text of the environment that the output depends on.
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
