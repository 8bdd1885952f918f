// Shaders without comments and indentation in a build: a third of what the page loads of them. What a kernel shares is named in its first
// line, `//! with …`, which stays.
import { readFileSync } from 'node:fs';

const QUERY = '.wgsl?raw';

/** A shader's lines that a compiler, or src/kernels/webgpu/wgsl.ts, reads. */
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
