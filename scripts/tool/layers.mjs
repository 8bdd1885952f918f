// Checks the architecture's rules: which folder of src/ may import which (docs/architecture.md), where React and Node's own modules may be
// imported, and that files import each other in no circle, not even by types. `npm run lint` runs it through scripts/check-layers.mjs.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';

const LEAVES = ['lib', 'rng', 'stats', 'text'];

/** The packages that each package of packages/ may import; none may import src/. Layers from environments upwards may import all. */
const PACKAGES = { base: [], 'python-sandbox': ['base'], are: ['base'] };
const SCOPE = '@projected-grpo-lab/';
/** Layers that may import only the package base. */
const BASE_ONLY = ['lib', 'rng', 'stats', 'text', 'kernels', 'engine', 'storage', 'algorithms'];
const BELOW_EXPERIMENTS = ['storage', 'algorithms', 'environments', 'engine', 'kernels', ...LEAVES];

/** The folders that each folder of src/ may import besides itself, all of them below it. */
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
 * Rooms (sub-folders or files) of a layer, of a package, or of a folder within (`environments/code`), from the lowest up: a file may import its
 * own room and those before it. In `a|b` neither room may import the other. `*` stands for every room that is not named, and none of these may
 * import another: each is a topic. Rooms that several topics share are named before it, and rooms that combine topics after it. `.` stands for
 * the folder's own files, except those named as rooms (such as a registry, which stands above what it registers). A folder that is not listed
 * has no order, as long as its files and sub-folders import each other in no circle (`roomCircles`).
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

/** The places of each folder from the lowest up; a place lists the rooms that may not import each other. */
const PLACES = new Map(
  Object.entries(ROOMS).map(([folder, order]) => [folder, order.split(' ').map((place) => place.split('|'))]),
);

const REACT = /^(react|react-dom|recharts)(\/|$)/;
const IMPORT =
  /(?:^|[\s;}])(?:import|export)\s[^'"`;]*?from\s*['"]([^'"]+)['"]|(?:^|[\s;}])import\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)|new URL\(\s*['"](\.[^'"]+\.tsx?)['"]/gm;

/** Everything that a source imports, with its line. Comments are blanked first. */
export function importsOf(source) {
  const code = source.replace(/\/\*[\s\S]*?\*\/|(^|[\s;])\/\/[^\n]*/g, (comment) => comment.replace(/[^\n]/g, ' '));
  return [...code.matchAll(IMPORT)].map((match) => {
    const specifier = match[1] ?? match[2] ?? match[3] ?? match[4];
    return { specifier, line: code.slice(0, match.index + match[0].length).split('\n').length };
  });
}

/** Whether a file belongs to tests: `testing.ts` and `testing/` are shared by several, `.cases.ts` by those of a kernel family. */
const isTestPath = (path) => /(\.test|\.cases|\/testing)\.tsx?$|\/testing\//.test(path);

/** Returns a sentence for each broken rule. `path` is relative to the repository, with forward slashes. */
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
      else if (BASE_ONLY.includes(own) && name !== 'base') say(line, `src/${own} may not import ${specifier}`);
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

/** Yields the rules that an import of another file of the repository breaks. */
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

/** The path of a folder that ROOMS names, such as `src/ui/keep/`. */
const pathOf = (folder) => `${folder.replace(/^packages\/[^/]+/, '$&/src').replace(/^(?!packages\/)/, 'src/')}/`;

/** The room of a path below a folder: a sub-folder, a file that is named in the folder's order, or '.'. */
const roomOf = (folder, path, isNamed) => {
  const [first, ...rest] = path.slice(pathOf(folder).length).split('/');
  return rest.length > 0 || isNamed(first) ? first : '.';
};

/** Yields the orders of rooms that an import within a layer or a package breaks, for each folder that holds both files. */
function* betweenRooms(path, target) {
  for (const [folder, order] of PLACES) {
    const within = pathOf(folder);
    if (!path.startsWith(within) || !target.startsWith(within)) continue;
    const named = (room) => order.findIndex((place) => place.includes(room));
    const placeOf = (room) => (named(room) < 0 ? named('*') : named(room));
    const [from, to] = [path, target].map((one) => roomOf(folder, one, (room) => named(room) >= 0));
    const unknown = [from, to].find((room) => placeOf(room) < 0);
    if (unknown) yield `${folder}/${unknown} has no place in ROOMS (scripts/tool/layers.mjs)`;
    else if (from !== to && placeOf(to) >= placeOf(from))
      yield `${folder}: ${from} may not import ${to}, which stands above or beside it`;
  }
}

/** Checks a file of a package, which may import only its own files and the packages that PACKAGES lists for it. */
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

/** Maps each path to the paths of `sources` that it imports, for types too. */
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
 * Returns a sentence for each circle of files: each strongly connected component (Tarjan) gives the shortest path from its first file back to
 * itself. `sources` maps path to text.
 */
export function circlesOf(sources) {
  return circlesIn(graphOf(sources))
    .map(
      ({ way, size }) =>
        `${way[0]}: a circle of ${size} file(s): ${way.join(' → ')}. Move what both need into a file of its own.`,
    )
    .sort();
}

/** Returns the size of each strongly connected component, and the shortest path from its first node back to itself. */
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
 * Returns a sentence for each circle between the parts of a folder (its own files together, and each sub-folder) that has no order in ROOMS.
 * Two folders that import each other cannot be read one after the other, even if no two files import each other. `sources` maps path to text.
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
