// The layering rule as a check: which folder of src/ may import which (docs/architecture.md), where React may appear, and
// where Node's own modules may. Run by `npm run lint` through scripts/check-layers.mjs.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';

const LEAVES = ['lib', 'rng', 'stats', 'text'];
const BELOW_EXPERIMENTS = ['storage', 'algorithms', 'environments', 'engine', 'kernels', ...LEAVES];

/** Folder of src/ → the folders it may import besides itself. Only downwards. */
export const MAY_IMPORT = {
  lib: [],
  rng: LEAVES,
  stats: LEAVES,
  text: LEAVES,
  kernels: LEAVES,
  engine: ['kernels', ...LEAVES],
  storage: ['engine', 'kernels', ...LEAVES],
  algorithms: ['engine', 'kernels', ...LEAVES],
  environments: ['engine', 'kernels', ...LEAVES],
  experiments: BELOW_EXPERIMENTS,
  share: ['experiments', ...LEAVES],
  lab: ['experiments', ...BELOW_EXPERIMENTS],
  store: ['lab', 'share', 'experiments', ...BELOW_EXPERIMENTS],
  ui: ['store', 'lab', 'share', 'experiments', ...BELOW_EXPERIMENTS],
  cli: ['lab', 'share', 'experiments', ...BELOW_EXPERIMENTS],
};

const REACT = /^(react|react-dom|recharts)(\/|$)/;
const IMPORT =
  /(?:^|[\s;}])(?:import|export)\s[^'"`;]*?from\s*['"]([^'"]+)['"]|(?:^|[\s;}])import\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)|new URL\(\s*['"](\.[^'"]+\.tsx?)['"]/gm;

/** Everything that a source text imports, by line. Comments are blanked first. */
export function importsOf(source) {
  const code = source.replace(/\/\*[\s\S]*?\*\/|(^|[\s;])\/\/[^\n]*/g, (comment) => comment.replace(/[^\n]/g, ' '));
  return [...code.matchAll(IMPORT)].map((match) => {
    const specifier = match[1] ?? match[2] ?? match[3] ?? match[4];
    return { specifier, line: code.slice(0, match.index + match[0].length).split('\n').length };
  });
}

/** `path` is relative to the repository, with forward slashes. Returns sentences, one per broken rule. */
export function checkFile(path, source) {
  const problems = [];
  const [top, layer] = path.split('/');
  if (top !== 'src' || !/\.tsx?$/.test(path)) return problems;
  // `testing.ts` and `testing/` hold what several tests share; no product file may import them.
  const isTest = /(\.test|\/testing)\.tsx?$|\/testing\//.test(path);
  const isNode = /\.node(\.test)?\.ts$/.test(path) || layer === 'cli' || isTest;
  const isRoot = path.split('/').length === 2;
  const own = isRoot ? 'ui' : layer;
  const say = (line, what) => problems.push(`${path}:${line}: ${what}`);
  const allowed = MAY_IMPORT[own] && [...MAY_IMPORT[own], ...(isTest ? ['storage'] : [])];
  if (!allowed) {
    say(1, `src/${layer} is no layer (known: ${Object.keys(MAY_IMPORT).join(', ')})`);
    return problems;
  }
  if (path.endsWith('.tsx') && own !== 'ui') say(1, 'JSX belongs under src/ui');
  for (const { specifier, line } of importsOf(source)) {
    if (specifier.startsWith('node:')) {
      if (!isNode) say(line, `${specifier} is only for src/cli, scripts, tests and *.node.ts`);
    } else if (!specifier.startsWith('.')) {
      if (REACT.test(specifier) && own !== 'ui') say(line, `${specifier} is only for src/ui`);
    } else {
      const target = posix.normalize(posix.join(dirname(path), specifier.replace(/\?.*$/, '')));
      const [targetTop, targetLayer] = target.split('/');
      if (!isTest && /\/testing(\/|\.ts$)/.test(target)) say(line, `${specifier} is only for tests`);
      if (/\.node(\.ts)?$/.test(target) && !isNode)
        say(line, `${specifier} runs in Node alone; nothing else may import it`);
      if (targetTop === 'src' && !/\.(tsx?|css|json|svg|wasm)$/.test(target))
        say(line, `${specifier} lacks its extension`);
      if (targetTop !== 'src' || targetLayer === own) continue;
      if (isRoot && !target.startsWith('src/ui') && !allowed.includes(targetLayer))
        say(line, `src/main may not import ${specifier}`);
      else if (!isRoot && !allowed.includes(targetLayer))
        say(line, `src/${layer} may not import src/${targetLayer} (${specifier})`);
    }
  }
  return problems;
}

export function checkTree(root) {
  const problems = [];
  for (const entry of readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.tsx?$/.test(entry.name)) continue;
    const path = join(entry.parentPath ?? entry.path, entry.name);
    const name = relative(root, path).split(sep).join('/');
    // AssemblyScript has its own module resolution, without extensions.
    if (name.startsWith('src/kernels/cpu/wasm/')) continue;
    problems.push(...checkFile(name, readFileSync(path, 'utf8')));
  }
  return problems.sort();
}
