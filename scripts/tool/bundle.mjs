// Makes TypeScript run in Node: bundles an entry with Vite's SSR build (so that `?raw` shaders, `?url` assets and workers mean the same as
// in the page) into node_modules/.cache. Packages stay outside the bundle. A bundle's folder is named by the hash of its sources, so a
// change of the sources never touches a bundle that a running process still loads from.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { codeHash } from './code-hash.mjs';
import { environmentPlugin, filesOf } from './environment-plugin.mjs';
import { at, CACHE, hashSources, ROOT, SOURCES } from './project.mjs';

/** Bundles kept per entry. */
const KEPT = 6;

/** Path of the bundle of src/cli/main.ts. `environment`: path of a user's own environment, which the bundle then contains. */
export function bundleCli(environment = null) {
  return bundle('cli', at('src/cli/main.ts'), { environment });
}

/** Path of the bundle of the agents' own command line (packages/are/bin). */
export function bundleAre() {
  return bundle('are', at('packages/are/src/cli/main.ts'));
}

/** Path of the bundle that flips bits of kept files and reads them, for `npm run campaign`. */
export function bundleFlips() {
  return bundle('flips', at('src/cli/testing/flips.ts'));
}

/** Path of the bundle that exports and imports a kept run of every environment, for `npm run campaign`. */
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

/** Path of the GPU report's bundle. It contains its packages, except Dawn, since it is carried to other machines. */
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
      // The address of a `?url` asset is resolved against the bundle, not against the folder that the process was started in.
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
    // Another process may have finished the same bundle meanwhile; that one is kept.
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

/** Returns Node's flag that allows V8's heap three quarters of the machine's memory, at least 2 GiB. */
export function heapFlag(totalBytes) {
  return `--max-old-space-size=${Math.max(2048, Math.floor((totalBytes / 2 ** 20) * 0.75))}`;
}
