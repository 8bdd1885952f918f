// Tests that a shortened shader keeps all its statements, and its first line if that names shared files.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { shaderPlugin, shortened } from './shader-plugin.mjs';

const ROOT = join(import.meta.dirname, '..', '..', 'shaders');

it('removes comments, empty lines and indentation, and keeps everything else', () => {
  const text = '//! with exp_log\n// Why.\nfn main() {\n  // How.\n  let x = 1.0; // What.\n\n  y[0] = x / 2.0;\n}\n';
  expect(shortened(text)).toBe('//! with exp_log\nfn main() {\nlet x = 1.0; // What.\ny[0] = x / 2.0;\n}\n');
});

it('keeps the code of every shader, and the build loads the shortened text', () => {
  let count = 0;
  for (const folder of readdirSync(ROOT))
    for (const file of readdirSync(join(ROOT, folder))) {
      const path = join(ROOT, folder, file);
      const text = readFileSync(path, 'utf8');
      const code = (lines) => lines.replace(/\/\/(?!!).*/g, '').replace(/\s+/g, '');
      expect(code(shortened(text)), path).toBe(code(text));
      expect(shaderPlugin().load(`${path}?raw`)).toBe(`export default ${JSON.stringify(shortened(text))}`);
      count++;
    }
  expect(count).toBeGreaterThan(60);
  expect(shaderPlugin().load('/src/main.ts')).toBeNull();
});
