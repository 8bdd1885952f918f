// The house's rules as a check: which folder of src/ may import which (docs/architecture.md), where React may appear, where
// Node's own modules may; no circle of files, type-only ones neither. Run by `npm run lint` through
// scripts/check-layers.mjs.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';

const LEAVES = ['lib', 'rng', 'stats', 'text'];

/** Package of packages/ → the packages it may import; none may import src/. Layers from environments upwards may import all. */
const PACKAGES = { base: [], 'python-sandbox': ['base'], are: ['base'] };
const SCOPE = '@projected-grpo-lab/';
/** Layers that may import base alone. */
const PLAIN = ['lib', 'rng', 'stats', 'text', 'kernels', 'engine', 'storage', 'algorithms'];
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
  findings: ['experiments', 'environments', ...LEAVES],
  lab: ['experiments', ...BELOW_EXPERIMENTS],
  store: ['lab', 'findings', 'share', 'experiments', ...BELOW_EXPERIMENTS],
  ui: ['store', 'lab', 'findings', 'share', 'experiments', ...BELOW_EXPERIMENTS],
  cli: ['lab', 'share', 'experiments', ...BELOW_EXPERIMENTS],
};

/**
 * Rooms of a layer, of a package, or of a folder within (`environments/code`), from the lowest up: a file may import its own room and
 * those before it. `a|b` are rooms side by side, neither of which imports the other. `*` is every room without a name here, side by side:
 * a topic, which no other topic may import; a room that several topics share has a name before it, and what puts topics together has one
 * after it. `.` is what is in the folder itself, but for files that are named as rooms (a registry, which is above what it registers). A
 * folder that is not here has no order within, as long as its files and sub-folders import each other in no circle (`roomCircles`).
 */
export const ROOMS = {
  kernels: 'contract . *',
  algorithms: '. *',
  storage: '. onnx|peft models *',
  environments:
    '. exit drawn.ts pretraining.ts tokenizer.ts entry.ts code|cat * lookup|datasets pair-sets.ts|registry.ts',
  experiments:
    'methods config records judge|parallel|step exit|pools objectives bases loop cat|characters environments analysis kinds runs sweep',
  engine: '. weights|episodes passes rollout|adapters|objectives decoder|memory',
  lab: 'protocol records equipment estimate work * kinds handlers .',
  store: '. form|glossary runs|share charts kinds * page',
  ui: 'styles|lab-context.ts parts charts compare|device|environments|models share inspect|keep method first learn questions * .',
  cli: '. grade files model run sweep instructions.ts|* commands.ts reference-pages.ts main.ts',
  'packages/are':
    '. events notifications validation.ts|wait.ts environment.ts scenario apps|verifier agents|generate language augment cli',
  'packages/are/agents': '. react given.ts',
  'packages/are/generate': '. templates forms generate.ts',
  'packages/are/verifier': '. * judged-run.ts',
  'environments/code': 'types.ts families . *',
  'experiments/config': 'stages.ts options settings.ts arms . contradictions spec.ts experiment-of.ts',
  'cli/sweep': '. queue run.ts submit.ts sweep.ts',
};

/** Folder → its places from the lowest up, each the rooms that stand side by side there. */
const PLACES = new Map(
  Object.entries(ROOMS).map(([folder, order]) => [folder, order.split(' ').map((place) => place.split('|'))]),
);

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

/** `testing.ts` and `testing/` hold what several tests share, `.cases.ts` a kernel family's; no product file may import them. */
const isTestPath = (path) => /(\.test|\.cases|\/testing)\.tsx?$|\/testing\//.test(path);

/** `path` is relative to the repository, with forward slashes. Returns sentences, one per broken rule. */
export function checkFile(path, source) {
  const problems = [];
  const [top, layer] = path.split('/');
  if (!/\.tsx?$/.test(path)) return problems;
  if (top === 'packages') return checkPackageFile(path, source);
  if (top !== 'src') return problems;
  const isTest = isTestPath(path);
  const isNode = /\.node(\.test)?\.ts$/.test(path) || layer === 'cli' || isTest;
  const isRoot = path.split('/').length === 2;
  const own = isRoot ? 'ui' : layer;
  const say = (line, what) => problems.push(`${path}:${line}: ${what}`);
  const allowed = MAY_IMPORT[own] && [...MAY_IMPORT[own], ...(isTest ? ['storage'] : [])];
  if (!allowed) {
    say(1, `src/${layer} is no layer (known: ${Object.keys(MAY_IMPORT).join(', ')})`);
    return problems;
  }
  const importer = { own, layer, allowed, isTest, isNode, isRoot };
  if (path.endsWith('.tsx') && own !== 'ui') say(1, 'JSX belongs under src/ui');
  for (const { specifier, line } of importsOf(source)) {
    if (specifier.startsWith('node:')) {
      if (!isNode) say(line, `${specifier} is only for src/cli, scripts, tests and *.node.ts`);
    } else if (specifier.startsWith(SCOPE)) {
      const name = specifier.slice(SCOPE.length).split('/')[0];
      if (!(name in PACKAGES)) say(line, `${specifier} is no package of packages/`);
      else if (PLAIN.includes(own) && name !== 'base') say(line, `src/${own} may not import ${specifier}`);
      if (/\.node(\.ts)?$|\/cli\//.test(specifier.slice(SCOPE.length)) && !isNode)
        say(line, `${specifier} runs in Node alone; nothing else may import it`);
    } else if (!specifier.startsWith('.')) {
      if (REACT.test(specifier) && own !== 'ui') say(line, `${specifier} is only for src/ui`);
    } else {
      for (const problem of wrongRelative(path, importer, specifier)) say(line, problem);
    }
  }
  return problems;
}

/** What is wrong with an import of another file of the repository. */
function* wrongRelative(path, { own, layer, allowed, isTest, isNode, isRoot }, specifier) {
  const target = posix.normalize(posix.join(dirname(path), specifier.replace(/\?.*$/, '')));
  const [targetTop, targetLayer] = target.split('/');
  if (!isTest && /\/testing(\/|\.ts$)|\.cases\.ts$/.test(target)) yield `${specifier} is only for tests`;
  if (/\.node(\.ts)?$/.test(target) && !isNode) yield `${specifier} runs in Node alone; nothing else may import it`;
  if (targetTop !== 'src') return;
  if (!/\.(tsx?|js|css|json|svg|txt|wasm)$/.test(target)) yield `${specifier} lacks its extension`;
  if (targetLayer === own) {
    if (!isTest) for (const problem of betweenRooms(path, target)) yield `${problem} (${specifier})`;
  } else if (isRoot ? !target.startsWith('src/ui') && !allowed.includes(targetLayer) : !allowed.includes(targetLayer))
    yield isRoot
      ? `src/main may not import ${specifier}`
      : `src/${layer} may not import src/${targetLayer} (${specifier})`;
}

/** `src/ui/keep/`, where it begins a path; `folder` as ROOMS calls it. */
const pathOf = (folder) => `${folder.replace(/^packages\/[^/]+/, '$&/src').replace(/^(?!packages\/)/, 'src/')}/`;

/** The part of a folder that a path below it is in: a sub-folder, a file that is named in its order, or '.'. */
const partOf = (folder, path, isNamed) => {
  const [first, ...rest] = path.slice(pathOf(folder).length).split('/');
  return rest.length > 0 || isNamed(first) ? first : '.';
};

/** What is wrong with an import within a layer or a package, by the order of each folder that both files are in. */
function* betweenRooms(path, target) {
  for (const [folder, order] of PLACES) {
    const within = pathOf(folder);
    if (!path.startsWith(within) || !target.startsWith(within)) continue;
    const named = (room) => order.findIndex((place) => place.includes(room));
    const placeOf = (room) => (named(room) < 0 ? named('*') : named(room));
    const [from, to] = [path, target].map((one) => partOf(folder, one, (room) => named(room) >= 0));
    const unknown = [from, to].find((room) => placeOf(room) < 0);
    if (unknown) yield `${folder}/${unknown} has no place in ROOMS (scripts/tool/layers.mjs)`;
    else if (from !== to && placeOf(to) >= placeOf(from))
      yield `${folder}: ${from} may not import ${to}, which stands above or beside it`;
  }
}

/** A package stands by itself: it imports what it lists and the packages below it, and nothing of the lab. */
function checkPackageFile(path, source) {
  const problems = [];
  const [, name] = path.split('/');
  const isNode = /\.node(\.test)?\.ts$|\.test\.ts$|\/testing\/|\/src\/cli\//.test(path);
  for (const { specifier, line } of importsOf(source)) {
    const say = (what) => problems.push(`${path}:${line}: ${what}`);
    const target = specifier.startsWith('.') ? posix.normalize(posix.join(dirname(path), specifier)) : null;
    if (target !== null && !target.startsWith(`packages/${name}/`)) say(`${specifier} leaves the package`);
    if (target !== null && !isTestPath(path))
      for (const problem of betweenRooms(path, target)) say(`${problem} (${specifier})`);
    if (specifier.startsWith('node:') && !isNode) say(`${specifier} is only for tests, *.node.ts and a package's cli/`);
    if (specifier.startsWith(SCOPE) && !PACKAGES[name]?.includes(specifier.slice(SCOPE.length).split('/')[0]))
      say(`packages/${name} may not import ${specifier}`);
    if (REACT.test(specifier)) say(`${specifier} is only for src/ui`);
  }
  return problems;
}

/** Path → paths of `sources` that it imports, types too. */
export function graphOf(sources) {
  return new Map(
    [...sources].map(([path, source]) => [
      path,
      [
        ...new Set(
          importsOf(source)
            .filter(({ specifier }) => specifier.startsWith('.'))
            .map(({ specifier }) => posix.normalize(posix.join(dirname(path), specifier.replace(/\?.*$/, ''))))
            .filter((target) => sources.has(target)),
        ),
      ],
    ]),
  );
}

/**
 * Circles of files, each once as a sentence with its way round: Tarjan's strongly connected components, and in each the shortest
 * way from its first file back to itself. `sources`: path → text.
 */
export function circlesOf(sources) {
  return circlesIn(graphOf(sources))
    .map(
      ({ way, size }) =>
        `${way[0]}: a circle of ${size} file(s): ${way.join(' → ')}. Move what both need into a file of its own.`,
    )
    .sort();
}

/** Returns, for each strongly connected component, its size and the shortest way round from its first. */
function circlesIn(graph) {
  const [index, low, stack, found] = [new Map(), new Map(), [], []];
  const visit = (path) => {
    index.set(path, index.size);
    low.set(path, index.get(path));
    stack.push(path);
    for (const next of graph.get(path)) {
      if (!index.has(next)) visit(next);
      if (stack.includes(next)) low.set(path, Math.min(low.get(path), low.get(next)));
    }
    if (low.get(path) === index.get(path)) found.push(stack.splice(stack.indexOf(path)));
  };
  for (const path of [...graph.keys()].sort()) if (!index.has(path)) visit(path);
  return found
    .filter((members) => members.length > 1 || graph.get(members[0]).includes(members[0]))
    .map((members) => ({ way: wayRound(graph, [...members].sort()[0], new Set(members)), size: members.length }));
}

/**
 * Circles between the parts of a folder (its own files together, and each sub-folder), where ROOMS gives it no order: two folders that
 * import each other can't be read one after the other, even where no two files do. `sources`: path → text.
 */
export function roomCircles(sources) {
  const folders = new Map();
  for (const [path, targets] of graphOf(new Map([...sources].filter(([path]) => !isTestPath(path)))))
    for (const target of targets) {
      const [from, to] = [path.split('/'), target.split('/')];
      const shared = from.findIndex((part, i) => part !== to[i]);
      const folder = from.slice(0, shared).join('/');
      const [a, b] = [from, to].map((parts) => (parts.length > shared + 1 ? parts[shared] : '.'));
      const known = folders.get(folder) ?? new Map();
      folders.set(folder, known.set(a, [...(known.get(a) ?? []), ...(a === b ? [] : [b])]).set(b, known.get(b) ?? []));
    }
  const ordered = new Set([...PLACES.keys()].map((folder) => pathOf(folder).slice(0, -1)));
  return [...folders]
    .filter(([folder]) => !ordered.has(folder) && folder !== 'src' && folder !== 'packages')
    .flatMap(([folder, graph]) =>
      circlesIn(graph).map(
        ({ way }) =>
          `${folder}: its parts import each other: ${way.join(' → ')}. Move what both need, or give it an order in ROOMS.`,
      ),
    )
    .sort();
}

function wayRound(graph, start, members) {
  const cameFrom = new Map();
  for (const queue = [start]; queue.length > 0; ) {
    const path = queue.shift();
    for (const next of graph.get(path)) {
      if (next === start) {
        const way = [start];
        for (let at = path; at !== start; at = cameFrom.get(at)) way.splice(1, 0, at);
        return [...way, start];
      }
      if (!members.has(next) || cameFrom.has(next)) continue;
      cameFrom.set(next, path);
      queue.push(next);
    }
  }
  return [start];
}

export function checkTree(root) {
  const problems = [];
  const sources = new Map();
  const roots = ['src', 'packages'].filter((name) => existsSync(join(root, name)));
  const entries = roots.flatMap((name) => readdirSync(join(root, name), { recursive: true, withFileTypes: true }));
  for (const entry of entries) {
    if (!entry.isFile() || !/\.tsx?$/.test(entry.name)) continue;
    const path = join(entry.parentPath ?? entry.path, entry.name);
    const name = relative(root, path).split(sep).join('/');
    if (name.includes('/node_modules/')) continue;
    // AssemblyScript has its own module resolution, without extensions.
    if (name.startsWith('src/kernels/cpu/wasm/')) continue;
    const source = readFileSync(path, 'utf8');
    sources.set(name, source);
    problems.push(...checkFile(name, source));
  }
  return [...problems.sort(), ...circlesOf(sources), ...roomCircles(sources)];
}
