// Vite plugin that removes comments and indentation from shaders, a third of their size. The first line `//! with …`, which names the files
// that a kernel shares, stays.
import { readFileSync } from 'node:fs';

const QUERY = '.wgsl?raw';

/** Keeps the lines of a shader that the compiler or src/kernels/webgpu/wgsl.ts reads. */
export const shortened = (text) =>
  text
    .split('\n')
    .map((line) => line.trimStart())
    .filter((line) => line !== '' && !(line.startsWith('//') && !line.startsWith('//!')))
    .join('\n')
    .concat('\n');

export function shaderPlugin() {
  return {
    name: 'shorter-shaders',
    apply: 'build',
    enforce: 'pre',
    load(id) {
      if (!id.endsWith(QUERY)) return null;
      return `export default ${JSON.stringify(shortened(readFileSync(id.slice(0, -'?raw'.length), 'utf8')))}`;
    },
  };
}
