// Tests the build's settings for workers on a worker that reads an option's declaration.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import config from '../../vite.config.ts';
import { hooksPlugin } from './words-plugin.mjs';

const OPTION = 'src/experiments/config/options/rate.ts';
const METHOD = 'src/experiments/methods/mine.ts';
const FILES = {
  'page.js': `import { RATE } from './${OPTION}';
import { MINE } from './${METHOD}';
new Worker(new URL('./src/worker.ts', import.meta.url), { type: 'module' });
document.title = JSON.stringify([RATE, MINE]);`,
  'src/worker.ts': `import { RATE } from '../${OPTION}';\nimport { MINE } from '../${METHOD}';\nself.postMessage([RATE, MINE.arms]);\nMINE.prepare();`,
  'src/hook.ts': `export const hook = () => self.postMessage('what it does');`,
  [METHOD]: `import { hook } from '../../hook.ts';\nconst named = (label, description) => ({ label, description });\nexport const MINE = { arms: { mine: named('My arm', 'A long description.') }, async prepare() { return hook; } };`,
  'src/reader.ts': `import { RATE } from '../${OPTION}';\nself.postMessage(RATE.rate.glossary);`,
  [OPTION]: `const nullValue = 'shorthand words';
export const RATE = {
  rate: { default: 0.03, label: 'Rate', glossary: { title: 'Long title', formula: 'long formula', nullValue } },
  concepts: { other: { notShown: 'long caveat' } },
};`,
};

let folder;
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'words-')));
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Builds and returns the code of the page and of its worker. */
async function built() {
  const { output } = await build({
    root: folder,
    configFile: false,
    base: './',
    logLevel: 'silent',
    publicDir: false,
    plugins: [hooksPlugin()],
    worker: config.worker,
    build: { write: false, target: 'es2023', rolldownOptions: { input: join(folder, 'page.js') } },
  });
  const isPage = ({ isEntry }) => isEntry === true;
  const text = (files) => files.map(({ code, source }) => String(code ?? source)).join('\n');
  return { page: text(output.filter(isPage)), worker: text(output.filter((file) => !isPage(file))) };
}

describe('the words of options and measures', () => {
  it('are in the page and not in a worker, which keeps the rest', async () => {
    const { page, worker } = await built();
    for (const word of ['Long title', 'long formula', 'long caveat', 'shorthand words']) {
      expect(page).toContain(word);
      expect(worker).not.toContain(word);
    }
    for (const part of [page, worker]) expect(part).toMatch(/label:\s*[`'"]Rate/);
  });

  it('leave the page a method’s arms, and the worker its hooks', async () => {
    const { page, worker } = await built();
    for (const part of [page, worker]) expect(part).toContain('My arm');
    expect(page).toContain('A long description.');
    expect(worker).not.toContain('A long description.');
    expect(page).not.toContain('what it does');
    expect(worker).toContain('what it does');
  });

  it('make the build fail if a worker reads them', async () => {
    const page = join(folder, 'page.js');
    writeFileSync(page, FILES['page.js'].replace('worker.ts', 'reader.ts'));
    await expect(built()).rejects.toThrow(/src\/reader\.ts reads glossary in a worker/);
    writeFileSync(page, FILES['page.js']);
  });
});
