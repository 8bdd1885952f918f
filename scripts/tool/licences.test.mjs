// Tests the licence page of a build that records every module of every bundle, the workers' too.
import { basename } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { licencePage, shipped } from './licences.mjs';
import { PAGE } from './licences-plugin.mjs';
import { at } from './project.mjs';

/** `@scope/name` or `name` of the innermost package that a file belongs to. */
const packageOf = (path) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path.replaceAll('\\', '/'))?.[1];

let page;
let assets;
/** Maps each bundled package to one of its modules. */
const bundled = new Map();

beforeAll(async () => {
  const { build } = await import('vite');
  const note = () => ({
    name: 'note-packages',
    generateBundle(_, bundle) {
      for (const output of Object.values(bundle)) {
        for (const id of output.moduleIds ?? output.originalFileNames ?? []) {
          const name = packageOf(id.startsWith('node_modules/') ? `/${id}` : id);
          if (name && !id.startsWith('\0')) bundled.set(name, id);
        }
      }
    },
  });
  const { output } = await build({
    root: at(),
    configFile: at('vite.config.ts'),
    logLevel: 'error',
    plugins: [note()],
    worker: { plugins: () => [note()] },
    build: { write: false, minify: false, copyPublicDir: false },
  });
  page = String(output.find(({ fileName }) => fileName === PAGE)?.source);
  assets = output.map(({ fileName }) => basename(fileName));
}, 400_000);

describe('the licence page of the build', () => {
  it('lists every package that is in a bundle, with a text', () => {
    // Only the page contains the first, only the worker the second, and the last are copied files.
    for (const name of ['react', 'onnxruntime-web', '@huggingface/hub', 'pyodide'])
      expect([...bundled.keys()]).toContain(name);
    const listed = [...page.matchAll(/<h2>(\S+) [^<]*<\/h2>/g)].map(([, name]) => name);
    for (const [name, module] of bundled) expect(listed, `${name} is shipped (${module})`).toContain(name);
    const texts = [...page.matchAll(/<pre>([^<]*)<\/pre>/g)].map(([, text]) => text);
    expect(texts).toHaveLength(listed.length);
    for (const [i, text] of texts.entries()) {
      expect(text.length, listed[i]).toBeGreaterThan(400);
      expect(text, listed[i]).toMatch(/licen[cs]e|permission|permitted/i);
    }
  });

  it('lists the works that are shipped as WebAssembly or typefaces, and every such file is known', () => {
    for (const name of [
      '@micropython/micropython-webassembly-pyscript',
      'pyodide',
      'CPython',
      'Emscripten',
      'assemblyscript',
      'IBM Plex Sans',
      'Newsreader',
    ])
      expect(page).toContain(`<h2>${name} `);
    const known =
      /^((micropython|ort-wasm-simd-threaded(\.\w+)?|pyodide\.asm|python_stdlib)-[\w-]+\.(wasm|zip)|(text|title)-[\w-]+\.woff2)$/;
    for (const file of assets.filter((name) => /\.(wasm|zip|woff2?|ttf|otf)$/.test(name))) expect(file).toMatch(known);
    // The MPL requires the address of the source.
    expect(page).toMatch(/Mozilla Public License Version 2\.0/);
    expect(page).toContain('https://github.com/pyodide/pyodide/tree/');
  });

  it('leaves no other file about licences in the build', () => {
    expect(assets.filter((name) => /licen[cs]e/i.test(name))).toEqual([PAGE]);
  });
});

describe('the list of licences', () => {
  const one = { name: 'a', version: '1.0.0', identifier: 'MIT', text: 'Permission' };

  it('refuses a package without a licence, so that the build stops', () => {
    expect(() => shipped([{ ...one, text: undefined }])).toThrow(/a 1\.0\.0 .* no licence text/);
    expect(() => shipped([{ ...one, identifier: undefined }])).toThrow(/no licence name/);
    expect(shipped([one, one]).filter(({ name }) => name === 'a')).toHaveLength(1);
  });

  it('is escaped, whatever it contains', () => {
    const made = licencePage([{ ...one, name: '<b>&', text: '</pre><script>x</script>' }]);
    expect(made).toContain('<h2>&lt;b&gt;&amp; 1.0.0 (MIT)</h2>');
    expect(made).not.toMatch(/<script/);
    expect(made).toMatch(/default-src 'none'; style-src 'sha256-/);
  });
});
