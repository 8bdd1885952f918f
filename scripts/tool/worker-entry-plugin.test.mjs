// The build's own settings for workers, on a worker whose entry shares what it is made of with a chunk of its own.
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

/** Name of each script of the build → its text. */
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

/** What imports the worker's entry, in a script of its own. */
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
    // The control: left alone, the bundler has the chunk import it.
    expect(importers(await built({ format: 'es' }))).toEqual([expect.stringContaining('late')]);
  });

  it('that is imported all the same is refused', async () => {
    const [plugin] = config.worker.plugins();
    const worker = { format: 'es', plugins: () => [{ ...plugin, options: undefined }] };
    await expect(built(worker)).rejects.toThrow(/worker-\S+\.js is a worker’s entry, and \S*late-\S+\.js import it/);
  });
});
