// The page's build. COOP/COEP are not needed: nothing here uses shared memory. Relative base, so that the
// built lab can be served from any path (a project page, a file server).
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { licencesPlugin } from './scripts/tool/licences-plugin.mjs';
import { policyPlugin } from './scripts/tool/policy-plugin.mjs';

export default defineConfig({
  base: './',
  plugins: [
    react(),
    policyPlugin({ frames: ['src/environments/code/grader/frame-script.js'] }),
    licencesPlugin({ workers: ['src/lab/worker.ts'] }),
  ],
  worker: { format: 'es' },
  // It finds its WebAssembly beside its own file, which the development server must therefore leave where it is.
  optimizeDeps: { exclude: ['onnxruntime-web'] },
  build: { target: 'es2023', chunkSizeWarningLimit: 700 },
});
