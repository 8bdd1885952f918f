// Tests the build's settings for workers, on a worker whose entry shares modules with one of its chunks.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import config from '../../vite.config.ts';

const FILES = {
  'page.js': "new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });",
  'worker.js':
    "import { kept } from './shared.js';\nself.onmessage = async () => (await import('./late.js')).late(kept);",
  'shared.js': 'export const kept = new Map();\nexport const put = (name) => kept.set(name, kept.size);',
  'late.js':
    "import { put } from './shared.js';\nexport const late = (kept) => self.postMessage([put('x'), kept.size]);",
};

let folder;
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'worker-entry-')));
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Maps the name of each script of the build to its text. */
async function built(worker) {
  const { output } = await build({
    root: folder,
    configFile: false,
    base: './',
    logLevel: 'silent',
    publicDir: false,
    worker,
    build: { write: false, target: 'es2023', rolldownOptions: { input: join(folder, 'page.js') } },
  });
  return new Map(output.map(({ fileName, code, source }) => [fileName, String(code ?? source)]));
}

/** Returns the names of the scripts that import the worker's entry. */
const importers = (files) => {
  const entry = [...files.keys()]
    .find((name) => /\/worker-[^/]*\.js$/.test(name))
    .split('/')
    .at(-1);
  return [...files]
    .filter(([, text]) => new RegExp(`(from|import\\(?)\\s*["'\`]\\./${entry}`).test(text))
    .map(([name]) => name);
};

describe('a worker’s entry', () => {
  it('is imported by nothing in the build', async () => {
    const files = await built(config.worker);
    expect([...files.keys()].some((name) => name.includes('late'))).toBe(true);
    expect(importers(files)).toEqual([]);
    // As a control, without the plugin the bundler makes the chunk import the entry.
    expect(importers(await built({ format: 'es' }))).toEqual([expect.stringContaining('late')]);
  });

  it('fails the build if a chunk imports it nevertheless', async () => {
    const [plugin] = config.worker.plugins();
    const worker = { format: 'es', plugins: () => [{ ...plugin, options: undefined }] };
    await expect(built(worker)).rejects.toThrow(/worker-\S+\.js is a worker’s entry, and \S*late-\S+\.js import it/);
  });
});
