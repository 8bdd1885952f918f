// Tests the hash of the code that decides a run: it does not depend on the place of the checkout, nor on the page, comments and types.
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { codeHash, ENTRIES } from './code-hash.mjs';
import { at } from './project.mjs';

let root;
/** The hash of this checkout. */
let expected;
beforeAll(async () => {
  expected = await codeHash();
  root = mkdtempSync(join(tmpdir(), 'code-'));
  for (const part of ['src', 'packages', 'shaders', 'public/models', 'package.json'])
    cpSync(at(part), join(root, part), { recursive: true, filter: (path) => !path.includes('node_modules') });
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Changes a file, returns the hash, and restores the file. */
async function hashAfter(path, change) {
  const before = readFileSync(join(root, path));
  change(join(root, path));
  const hash = await codeHash(root);
  writeFileSync(join(root, path), before);
  return hash;
}
const appended = (text) => (path) => appendFileSync(path, text);
const replaced = (from, to) => (path) => {
  const text = readFileSync(path, 'utf8');
  expect(text).toContain(from);
  writeFileSync(path, text.replace(from, to));
};

it('is the same for every checkout of the same code', async () => {
  expect(await codeHash(root)).toBe(expected);
});

it.each([
  ['a comment', ENTRIES[1], appended('\n// And so on.\n')],
  ['a type', ENTRIES[1], appended('\nexport interface Unheard { of: number }\n')],
  ['the page', 'src/ui/sweeps/SweepsView.tsx', appended('\nexport const more = 1;\n')],
  ['another command', 'src/cli/parity/parity.ts', appended('\nexport const more = 1;\n')],
  ['the lab’s version', 'package.json', replaced('"version": "', '"version": "9')],
])('does not change with %s', async (_, path, change) => {
  expect(await hashAfter(path, change)).toBe(expected);
});

it.each([
  ['a default', 'src/experiments/config/presets.ts', appended('\nexport const more = 1;\n')],
  ['a reward', 'src/environments/arithmetic/reward.ts', appended('\nexport const more = 1;\n')],
  ['a thread of the CPU device', 'src/kernels/cpu/threads/helper.ts', appended('\nconsole.log(1);\n')],
  ['a shader', 'shaders/linalg/matmul_plain.wgsl', appended('\n// Another.\n')],
  ['a model', 'public/models/tiny-arithmetic/config.json', appended('\n')],
  ['a package', 'package.json', replaced('"zod": "', '"zod": "9')],
])('changes with %s', async (_, path, change) => {
  expect(await hashAfter(path, change)).not.toBe(expected);
});
