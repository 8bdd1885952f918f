// Makes the page's two typefaces: cut down to the characters that the page writes, since every visitor loads them before the first text.
// Run by hand where the fonts or the characters change; its output is kept, so that no build and no installation needs the packages,
// which it installs, in these versions, into a folder of its own.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { at } from './tool/project.mjs';
import { say } from './tool/terminal.mjs';

/** Printable ASCII, and the signs of the page's sentences and formulas. Anything else falls back to the system's font. */
const ASCII = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)).join('');
const SIGNS = '–—‘’“”…−×·±≤≥→°§½¾¼•δΔ‖©éü';

/** Text has the weights from regular to bold; titles have one weight, at the optical size of a headline. */
const FONTS = [
  {
    name: 'text',
    package: 'ibm-plex-sans',
    file: 'ibm-plex-sans-latin-wght-normal',
    axes: { wght: { min: 400, max: 700 } },
  },
  { name: 'title', package: 'newsreader', file: 'newsreader-latin-standard-normal', axes: { wght: 560, opsz: 30 } },
];
/** Bytes of both together. */
const MOST = 40_000;

const PACKAGES = [
  'subset-font@2.9.0',
  '@fontsource-variable/ibm-plex-sans@5.3.0',
  '@fontsource-variable/newsreader@5.3.0',
];

const folder = mkdtempSync(join(tmpdir(), 'lab-fonts-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
execFileSync('npm', ['install', '--silent', '--no-audit', '--no-fund', '--prefix', folder, ...PACKAGES], {
  stdio: 'inherit',
});
const require = createRequire(join(folder, 'package.json'));
const { default: subsetFont } = await import(pathToFileURL(require.resolve('subset-font')).href);
let total = 0;
for (const { name, package: id, file, axes } of FONTS) {
  const whole = readFileSync(join(folder, 'node_modules', '@fontsource-variable', id, 'files', `${file}.woff2`));
  const part = await subsetFont(whole, ASCII + SIGNS, {
    targetFormat: 'woff2',
    variationAxes: axes,
    // Old-style figures, small capitals and the like, which no style asks for, would come with the characters.
    noLayoutClosure: true,
  });
  writeFileSync(at('src', 'ui', 'styles', 'fonts', `${name}.woff2`), part);
  total += part.length;
  say(`${name}.woff2: ${id}, ${part.length} bytes of ${whole.length}.`);
}
if (total > MOST) throw new Error(`The fonts have ${total} bytes, more than ${MOST}: fewer characters or weights.`);
