// Vite plugin that makes the built folder ready for any static host. It writes the list of the build's files with their hashes into
// service-worker.js, and the lab's headers in two forms: `_headers` (Netlify, Cloudflare Pages and others) and nginx.conf. docs/how-to/host.md
// says which host needs which. LAB_URL, the public address of the lab, sets the path at which the headers hold.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ISOLATION } from './isolation.mjs';
import { asHeader, WORKER_POLICY } from './policy.mjs';

const WORKER = 'service-worker.js';
const PLACEHOLDER = 'const BUILD = null;';
/** Larger files (the runtimes of ONNX and CPython) are cached when first used, since few visits need them. */
const MAX_BYTES_AT_FIRST = 2_000_000;

/** Whether the service worker caches a file when it is installed, as it does everything that an offline run of an embedded model needs. */
export const isKeptFirst = (path, bytes) =>
  bytes <= MAX_BYTES_AT_FIRST &&
  (path === 'index.html' ||
    path === 'favicon.svg' ||
    path === 'engines.json' ||
    path.startsWith('assets/') ||
    path.startsWith('models/') ||
    // The optimizer's steps of a demo are cached only when a basis is tried on them.
    (path.startsWith('results/demo/') && !path.endsWith('.safetensors')) ||
    /^results\/(index|headlines)\.json$/.test(path));

/** Files that the service worker serves: { path: [sha256 in base64, 1 if cached at installation] }, in the order of paths. */
export function listOf(folder) {
  const files = {};
  for (const path of readdirSync(folder, { recursive: true })
    .map((name) => name.replaceAll('\\', '/'))
    .sort()) {
    const isOwn =
      /^(index\.html|favicon\.svg|engines\.json|licences\.html|(assets|examples|instructions|models|results)\/.*)$/;
    if (!isOwn.test(path) || path.endsWith('.map') || !statSync(join(folder, path)).isFile()) continue;
    const bytes = readFileSync(join(folder, path));
    files[path] = [createHash('sha256').update(bytes).digest('base64'), isKeptFirst(path, bytes.length) ? 1 : 0];
  }
  return files;
}

/** The service worker's script with its list. The version is a hash of the list and of the script itself. */
export function workerOf(script, files) {
  if (!script.includes(PLACEHOLDER))
    throw new Error(`${WORKER} must have the line "${PLACEHOLDER}", which the build replaces.`);
  const json = JSON.stringify(files);
  const version = createHash('sha256').update(script).update(json).digest('hex').slice(0, 16);
  return script.replace(PLACEHOLDER, () => `const BUILD = { version: '${version}', files: ${json} };`);
}

const PLAIN = { 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' };
const OWN = { ...PLAIN, ...ISOLATION, 'cross-origin-resource-policy': 'same-origin' };

/** Headers by path below the lab's folder; '*' at the end matches anything. A document states its policy in its own head. */
const RULES = {
  '': { ...OWN, 'x-frame-options': 'DENY', 'content-security-policy': "frame-ancestors 'none'" },
  'index.html': { ...OWN, 'x-frame-options': 'DENY', 'content-security-policy': "frame-ancestors 'none'" },
  'embed.html': { ...PLAIN, ...ISOLATION, 'cross-origin-resource-policy': 'cross-origin' },
  'assets/*': { ...OWN, 'content-security-policy': asHeader(WORKER_POLICY) },
  [WORKER]: { ...OWN, 'cache-control': 'no-cache', 'content-security-policy': asHeader(WORKER_POLICY) },
};

/** Text of `_headers`, which Netlify and Cloudflare Pages read. `base`: path of the lab, `/` or `/lab/`. */
export const headersFile = (base) =>
  Object.entries(RULES)
    .map(([path, headers]) => [base + path, ...Object.entries(headers).map(([name, value]) => `  ${name}: ${value}`)])
    .map((lines) => `${lines.join('\n')}\n`)
    .join('\n');

/** Text of nginx.conf: locations to include in a `server` whose root has the folder at `base`. */
export const nginxFile = (base) =>
  [
    '# Include this file in a server block whose root holds the lab’s folder.',
    ...Object.entries(RULES)
      // nginx serves a folder as its index.html, with the headers of that path.
      .filter(([path]) => path !== '')
      .flatMap(([path, headers]) => [
        path.endsWith('*') ? `location ${base}${path.slice(0, -1)} {` : `location = ${base}${path} {`,
        ...Object.entries(headers).map(([name, value]) => `  add_header ${name} "${value}" always;`),
        '}',
      ]),
    '',
  ].join('\n');

/** The public address of the lab as a URL of a folder; null if none is given. Throws for anything else. */
export function labUrl(text) {
  if (text === undefined || text === '') return null;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username || url.password)
    throw new Error(
      `LAB_URL is ${JSON.stringify(text)}; give the http(s) address of the lab's folder, such as https://name.github.io/lab/`,
    );
  return url.href.endsWith('/') ? url.href : `${url.href}/`;
}

export function hostingPlugin({ url }) {
  let folder;
  let source;
  return {
    name: 'hosting',
    apply: 'build',
    configResolved(config) {
      folder = resolve(config.root, config.build.outDir);
      source = join(config.publicDir, WORKER);
    },
    closeBundle: {
      // The handler must run after everything is written, public/ included.
      order: 'post',
      sequential: true,
      handler() {
        const base = url === null ? '/' : new URL(url).pathname;
        const script = readFileSync(source, 'utf8');
        writeFileSync(join(folder, WORKER), workerOf(script, listOf(folder)));
        writeFileSync(join(folder, '_headers'), headersFile(base));
        writeFileSync(join(folder, 'nginx.conf'), nginxFile(base));
      },
    },
  };
}
