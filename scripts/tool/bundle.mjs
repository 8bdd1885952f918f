// TypeScript for Node: bundles an entry with Vite's SSR build (so that `?raw` shaders, `?url` assets and workers mean the
// same as in the page) into node_modules/.cache, when its sources changed. Packages stay outside the bundle.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { at, buildIfStale, CACHE, ROOT } from './project.mjs';

/** Path of the bundle of src/cli/main.ts (and whatever Node entries it starts beside it). */
export function bundleCli() {
  return bundle('cli', { main: at('src/cli/main.ts') });
}

export function bundleBench() {
  return bundle('bench', { main: at('bench/main.ts') });
}

async function bundle(name, input) {
  const outDir = join(CACHE, name);
  const output = join(outDir, 'main.js');
  await buildIfStale(name, output, async () => {
    const { build } = await import('vite');
    rmSync(outDir, { recursive: true, force: true });
    await build({
      root: ROOT,
      configFile: false,
      logLevel: 'warn',
      publicDir: false,
      worker: { format: 'es' },
      // A `?url` asset lies beside the bundle, wherever the process was started.
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
        outDir,
        emptyOutDir: true,
        rolldownOptions: { input, output: { entryFileNames: '[name].js' } },
      },
    });
  });
  return output;
}

/** Memory for V8's heap in MiB: three quarters of the machine's, at least 2 GiB. */
export function heapFlag(totalBytes) {
  return `--max-old-space-size=${Math.max(2048, Math.floor((totalBytes / 2 ** 20) * 0.75))}`;
}
