// Checks two rules about outside data: keys of files, links and archives never become properties by a plain assignment (`record[key] = value`
// with the key `__proto__` sets a prototype), and JSON is parsed to a bounded depth. `npm run lint` runs it through scripts/check-keys.mjs. The
// check reads text, not types: a record is a variable that its declaration calls one.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

const RECORD = String.raw`(?:Readonly<\s*)?(?:Partial<\s*)?(?:Record<\s*string\b|\{\s*(?:readonly\s+)?\[\w+:\s*string\])`;
/** Matches `const x: Record<string, …>`, and `x: { [key: string]: … }` or `x?: …` as a parameter or a member. */
const DECLARED = new RegExp(String.raw`([\w$#]+)\s*[?!]?\s*:\s*${RECORD}`, 'g');
/** Matches `const x = {}` and `x = … as Record<string, …>`. */
const MADE = new RegExp(
  String.raw`\b(?:const|let|var)\s+([\w$]+)\s*=\s*\{\s*\}|([\w$]+)\s*=\s*[^=;\n]*\bas\s+${RECORD}`,
  'g',
);
const ALIAS = /\b(?:const|let|var)\s+([\w$]+)\s*=\s*([\w$]+)\s*;/g;
/** Matches the declaration of a member that is a record. A member of the same name counts as a record in every file. */
const MEMBER = new RegExp(String.raw`^\s*(?:readonly\s+)?([\w$#]+)\??\s*:\s*${RECORD}`, 'gm');
const WRITE = /(\.?)([\w$#]+)!?\[((?:[^[\]]|\[[^[\]]*\])+)\]!?\s*(?:\?\?|\|\||&&|[+\-*/])?=(?![=>])/g;
/** Matches a literal key; a constant in capitals counts as one. */
const LITERAL = /^\s*(?:'[^']*'|"[^"]*"|-?\d+|[A-Z][A-Z\d_]*)\s*$/;
/** Exempt files: their keys are names of kernels' parameters or of functions of the sandbox's own WebAssembly, and setOwn checks its key. */
const EXEMPT = /^(?:(?:src\/kernels|packages\/python-sandbox\/src)\/|packages\/base\/src\/own\.ts$)/;

const blanked = (text) => text.replace(/[^\n]/g, ' ');
/** Replaces comments by blanks, so that the numbers of lines stay. */
function withoutComments(source) {
  return source.replace(/\/\*[\s\S]*?\*\/|(^|[\s;{}(,])\/\/[^\n]*/g, blanked);
}

/** Names of members that hold records, over all files. */
export function recordMembers(sources) {
  const names = new Set();
  for (const source of sources) for (const [, name] of withoutComments(source).matchAll(MEMBER)) names.add(name);
  return names;
}

/** Returns a sentence for each broken rule. `path` is relative to the repository, with forward slashes. */
export function checkKeys(path, source, members = new Set()) {
  const code = withoutComments(source);
  const lineOf = (index) => code.slice(0, index).split('\n').length;
  const problems = [];
  const own = new Set();
  for (const [, name] of code.matchAll(DECLARED)) own.add(name);
  for (const [, made, cast] of code.matchAll(MADE)) own.add(made ?? cast);
  for (const [, name, of] of code.matchAll(ALIAS)) if (own.has(of)) own.add(name);
  for (const match of EXEMPT.test(path) ? [] : code.matchAll(WRITE)) {
    const [, dot, name, key] = match;
    if (LITERAL.test(key) || !(dot ? members.has(name) || own.has(name) : own.has(name))) continue;
    const line = lineOf(match.index);
    problems.push(
      `${path}:${line}: ${name}[${key.trim()}] = … may set a prototype; use setOwn (packages/base) or a Map`,
    );
  }
  // The command line reads its own files, which carry a checksum; all other JSON may come from outside.
  if (path !== 'packages/base/src/json.ts' && !path.startsWith('src/cli/'))
    for (const match of code.matchAll(/\bJSON\.parse\(/g))
      problems.push(`${path}:${lineOf(match.index)}: JSON.parse has no bound; use parseJsonText (packages/base)`);
  return problems;
}

export function checkTreeKeys(root) {
  const files = ['src', 'packages']
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => !/node_modules/.test(entry.parentPath ?? entry.path))
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .map((path) => [relative(root, path).split(sep).join('/'), readFileSync(path, 'utf8')])
    .filter(([name]) => !/\.test\.tsx?$|\/testing[./]|^src\/kernels\/cpu\/wasm\//.test(name));
  const members = recordMembers(files.map(([, source]) => source));
  return files.flatMap(([name, source]) => checkKeys(name, source, members)).sort();
}
