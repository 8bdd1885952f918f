// Vite plugin that builds the engine's example (examples/engine.html) separately. As an entry of the page's own build it would share modules
// with the page, which would then be split into more and smaller files.
import { join, resolve } from 'node:path';
import { build } from 'vite';
import { policyPlugin } from './policy-plugin.mjs';

export function examplePlugin() {
  let out;
  let root;
  return {
    name: 'engine-example',
    apply: 'build',
    configResolved(config) {
      root = config.root;
      out = resolve(config.root, config.build.outDir);
    },
    async closeBundle() {
      await build({
        configFile: false,
        root: join(root, 'examples'),
        base: './',
        publicDir: false,
        logLevel: 'warn',
        plugins: [policyPlugin({ frames: [] })],
        worker: { format: 'es' },
        build: {
          target: 'es2023',
          outDir: join(out, 'examples'),
          emptyOutDir: true,
          rolldownOptions: { input: join(root, 'examples', 'engine.html') },
        },
      });
    },
  };
}
