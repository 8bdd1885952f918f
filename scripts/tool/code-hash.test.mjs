// The hash of the code that decides a run: equal wherever the checkout is, and whatever the page, comments and types say.
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { codeHash, ENTRIES } from './code-hash.mjs';
import { at } from './project.mjs';

let root;
/** The hash of this checkout. */
let own;
beforeAll(async () => {
  own = await codeHash();
  root = mkdtempSync(join(tmpdir(), 'code-'));
  for (const part of ['src', 'packages', 'shaders', 'public/models', 'package.json'])
    cpSync(at(part), join(root, part), { recursive: true, filter: (path) => !path.includes('node_modules') });
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** The hash while a file is another. */
async function whileIn(path, change) {
  const before = readFileSync(join(root, path));
  change(join(root, path));
  const hash = await codeHash(root);
  writeFileSync(join(root, path), before);
  return hash;
}
const more = (text) => (path) => appendFileSync(path, text);
const other = (from, to) => (path) => {
  const text = readFileSync(path, 'utf8');
  expect(text).toContain(from);
  writeFileSync(path, text.replace(from, to));
};

it('is that of every checkout of the same code', async () => {
  expect(await codeHash(root)).toBe(own);
});

it.each([
  ['a comment', ENTRIES[1], more('\n// And so on.\n')],
  ['a type', ENTRIES[1], more('\nexport interface Unheard { of: number }\n')],
  ['the page', 'src/ui/sweeps/SweepsView.tsx', more('\nexport const more = 1;\n')],
  ['another command', 'src/cli/parity/parity.ts', more('\nexport const more = 1;\n')],
  ['the lab’s version', 'package.json', other('"version": "', '"version": "9')],
])('is the same with another text of %s', async (_, path, change) => {
  expect(await whileIn(path, change)).toBe(own);
});

it.each([
  ['a default', 'src/experiments/config/presets.ts', more('\nexport const more = 1;\n')],
  ['a reward', 'src/environments/arithmetic/reward.ts', more('\nexport const more = 1;\n')],
  ['a thread of the CPU device', 'src/kernels/cpu/threads/helper.ts', more('\nconsole.log(1);\n')],
  ['a shader', 'shaders/linalg/matmul_plain.wgsl', more('\n// Another.\n')],
  ['a model', 'public/models/tiny-arithmetic/config.json', more('\n')],
  ['a package', 'package.json', other('"zod": "', '"zod": "9')],
])('is another with another text of %s', async (_, path, change) => {
  expect(await whileIn(path, change)).not.toBe(own);
});
