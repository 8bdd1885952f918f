// Makes the page's two typefaces. They are cut down to the characters that the page writes, since every visitor loads them before the first
// text. It is run by hand when the fonts or the characters change. Its output is committed, so no build needs the packages, which it
// installs, in these versions, into a temporary folder.
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
/** Both fonts together may have this many bytes. */
const MAX_BYTES = 40_000;

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
if (total > MAX_BYTES)
  throw new Error(`The fonts have ${total} bytes, more than ${MAX_BYTES}: fewer characters or weights.`);
