// Configures the page's build. The base is relative, so that the built lab can be served from any path (a project page, a file server). Vite's own
// servers isolate the page, as the lab's does (isolation.mjs).
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { environmentPlugin } from './scripts/tool/environment-plugin.mjs';
import { examplePlugin } from './scripts/tool/example-plugin.mjs';
import { hostingPlugin, labUrl } from './scripts/tool/hosting-plugin.mjs';
import { ISOLATION } from './scripts/tool/isolation.mjs';
import { licencesPlugin } from './scripts/tool/licences-plugin.mjs';
import { policyPlugin } from './scripts/tool/policy-plugin.mjs';
import { shaderPlugin } from './scripts/tool/shader-plugin.mjs';
import { hooksPlugin, wordsPlugin } from './scripts/tool/words-plugin.mjs';
import { workerEntryPlugin } from './scripts/tool/worker-entry-plugin.mjs';

/** Entries of the build, with their documents. */
const ENTRIES = { index: 'src/ui/main.tsx', embed: 'src/ui/embed/main.tsx' };

/** Looks up a module of the build. */
interface Modules {
  getModuleInfo(id: string): { importedIds: readonly string[] } | null;
}

/** The modules that an entry needs before anything runs: its imports, their imports, and so on. */
function startOf(entry: string, modules: Modules): Set<string> {
  const found = new Set<string>();
  for (const queue = [entry]; queue.length > 0; ) {
    const id = queue.pop() as string;
    if (found.has(id)) continue;
    found.add(id);
    queue.push(...(modules.getModuleInfo(id)?.importedIds ?? []));
  }
  return found;
}

let starts: Record<keyof typeof ENTRIES, Set<string>> | null = null;

/**
 * The modules of the page's start are one file, and those that an embedded post needs as well are another: sixty small files compress worse, and
 * each waits for another. The entries themselves are separate files, since importing from a file runs all of it.
 */
function startChunk(id: string, modules: Modules): string | null {
  const [page, embed] = [ENTRIES.index, ENTRIES.embed].map((path) => fileURLToPath(new URL(path, import.meta.url)));
  if (id === page || id === embed) return null;
  starts ??= { index: startOf(page, modules), embed: startOf(embed, modules) };
  if (!starts.index.has(id)) return null;
  return starts.embed.has(id) ? 'shared' : 'start';
}

/** Public address of the built lab; null if it has none. */
const LAB_URL = labUrl(process.env.LAB_URL);

export default defineConfig({
  base: './',
  // Share offers links to it (src/ui/share).
  define: { 'import.meta.env.LAB_URL': JSON.stringify(LAB_URL) },
  plugins: [
    react(),
    hooksPlugin(),
    environmentPlugin(),
    policyPlugin({ frames: ['packages/python-sandbox/src/frame-script.js'] }),
    examplePlugin(),
    licencesPlugin({
      workers: [
        'src/lab/worker.ts',
        'src/lab/agents/worker.ts',
        'packages/are/src/apps/files/documents/converter-worker.ts',
        'src/store/agents/layout-worker.ts',
        'packages/python-sandbox/src/meter-worker.ts',
      ],
    }),
    hostingPlugin({ url: LAB_URL }),
  ],
  worker: {
    format: 'es',
    plugins: () => [workerEntryPlugin(), wordsPlugin(), environmentPlugin(), shaderPlugin()],
    // The modules of a worker's start are one file beside its entry: eighty small files compress worse, and each waits for another.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'start', tags: ['$initial'] }] } } },
  },
  server: { headers: ISOLATION },
  preview: { headers: ISOLATION },
  // This package finds its WebAssembly beside its own file, so the development server must not move it.
  optimizeDeps: { exclude: ['onnxruntime-web'] },
  // The entries are the lab, and the document that a post may frame (src/ui/embed).
  build: {
    target: 'es2023',
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      input: { index: 'index.html', embed: 'embed.html' },
      output: { codeSplitting: { groups: [{ name: startChunk }], includeDependenciesRecursively: false } },
    },
  },
});
