// TypeScript for Node: bundles an entry with Vite's SSR build (so that `?raw` shaders, `?url` assets and workers mean the
// same as in the page) into node_modules/.cache. Packages stay outside the bundle. A bundle is under the hash of its
// sources: a change of the sources never touches a bundle that a running process still loads from.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { codeHash } from './code-hash.mjs';
import { environmentPlugin, filesOf } from './environment-plugin.mjs';
import { at, CACHE, hashSources, ROOT, SOURCES } from './project.mjs';

/** Bundles kept per entry. */
const KEPT = 6;

/** Path of the bundle of src/cli/main.ts; `environment`: the file of one of a person's own, which it has too. */
export function bundleCli(environment = null) {
  return bundle('cli', at('src/cli/main.ts'), { environment });
}

/** Path of the bundle of the agents' own command (packages/are/bin). */
export function bundleAre() {
  return bundle('are', at('packages/are/src/cli/main.ts'));
}

/** Flips bits of what a command kept, and reads it: for `npm run campaign`. */
export function bundleFlips() {
  return bundle('flips', at('src/cli/testing/flips.ts'));
}

/** Exports and takes in a kept run of every environment: for `npm run campaign`. */
export function bundleArchives() {
  return bundle('archives', at('src/cli/testing/archives.ts'));
}

/** Path of the bundle of research/main.ts. */
export function bundleResearch() {
  return bundle('research', at('research/main.ts'));
}

export function bundleBench() {
  return bundle('bench', at('bench/main.ts'));
}

/** With its packages in it, but for Dawn: it is carried to other machines. */
export function bundleGpu() {
  return bundle('gpu', at('bench/gpu/main.ts'), { ssr: { noExternal: true, external: ['webgpu'] } });
}

export function bundleFuzz() {
  return bundle('fuzz', at('fuzz/main.ts'));
}

export function bundleRandomQwen() {
  return bundle('random-qwen', at('bench/random-qwen.ts'));
}

export function bundleLargeScenario() {
  return bundle('large-scenario', at('bench/large-scenario.ts'));
}

async function bundle(name, entry, { ssr, environment = null } = {}) {
  const folder = join(CACHE, name);
  const outDir = join(folder, hashSources([...SOURCES[name], ...filesOf(environment)]).slice(0, 16));
  const output = join(outDir, 'main.js');
  if (existsSync(output)) return output;
  const part = `${outDir}.part-${process.pid}`;
  const { build } = await import('vite');
  try {
    await build({
      root: ROOT,
      configFile: false,
      logLevel: 'warn',
      publicDir: false,
      ssr,
      define: { __CODE_HASH__: JSON.stringify(await codeHash(ROOT, filesOf(environment))) },
      plugins: [environmentPlugin(environment)],
      worker: { format: 'es' },
      // A `?url` asset is beside the bundle, wherever the process was started.
      experimental: {
        renderBuiltUrl: (filename) => ({
          runtime: `new URL(${JSON.stringify(`./${filename}`)}, import.meta.url).href`,
        }),
      },
      build: {
        ssr: true,
        ssrEmitAssets: true,
        target: 'node20',
        sourcemap: true,
        minify: false,
        outDir: part,
        emptyOutDir: true,
        rolldownOptions: { input: { main: entry }, output: { entryFileNames: '[name].js' } },
      },
    });
    mkdirSync(folder, { recursive: true });
    // Another process may have finished the same bundle meanwhile; then its stays.
    if (!existsSync(output)) renameSync(part, outDir);
  } finally {
    rmSync(part, { recursive: true, force: true });
  }
  prune(folder);
  return output;
}

function prune(folder) {
  const byAge = readdirSync(folder)
    .map((name) => ({ path: join(folder, name), time: statSync(join(folder, name)).mtimeMs }))
    .sort((a, b) => b.time - a.time);
  for (const { path } of byAge.slice(KEPT)) rmSync(path, { recursive: true, force: true });
}

/** Memory for V8's heap in MiB: three quarters of the machine's, at least 2 GiB. */
export function heapFlag(totalBytes) {
  return `--max-old-space-size=${Math.max(2048, Math.floor((totalBytes / 2 ** 20) * 0.75))}`;
}
