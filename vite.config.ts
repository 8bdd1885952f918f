// The page's build. COOP/COEP are not needed: nothing here uses shared memory. Relative base, so that the
// built lab can be served from any path (a project page, a file server).
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  base: './',
  plugins: [react()],
  worker: { format: 'es' },
  // It finds its WebAssembly beside its own file, which the development server must therefore leave where it is.
  optimizeDeps: { exclude: ['onnxruntime-web'] },
  build: { target: 'es2023', chunkSizeWarningLimit: 700 },
});
