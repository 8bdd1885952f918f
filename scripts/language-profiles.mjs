// Packs the profiles of langdetect 1.0.9 (Apache-2.0) into the one file that instructions are checked with:
//   node scripts/language-profiles.mjs FOLDER      FOLDER: the installed Python package, with profiles/ and utils/messages.properties
// Logarithms of probabilities are rounded to 256 steps (± 2%), so that the file is a fifth as large; docs/instructions.md says what that
// changes.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { argv } from 'node:process';
import { gzipSync } from 'fflate';
import { at } from './tool/project.mjs';

const folder = argv[2];
const languages = readdirSync(join(folder, 'profiles')).sort();
/** Maps each gram to its pairs of [language, probability]. */
const grams = new Map();
for (const [index, language] of languages.entries()) {
  const { freq, n_words } = JSON.parse(readFileSync(join(folder, 'profiles', language), 'utf8'));
  for (const [gram, count] of Object.entries(freq)) {
    const length = [...gram].length;
    // The detector looks up grams of one to three characters only.
    if (length < 1 || length > 3) continue;
    const known = grams.get(gram) ?? [];
    known.push([index, count / n_words[length - 1]]);
    grams.set(gram, known);
  }
}
const logs = [...grams.values()].flat().map(([, probability]) => Math.log(probability));
const low = logs.reduce((a, b) => Math.min(a, b));
const high = logs.reduce((a, b) => Math.max(a, b));
const sorted = [...grams.keys()].sort();
const entries = sorted.map((gram) => grams.get(gram));
const level = (probability) => Math.round((255 * (Math.log(probability) - low)) / (high - low));
const bytes = Buffer.concat([
  Buffer.from(`${sorted.join('\n')}\n`),
  Buffer.from(entries.map((known) => known.length)),
  Buffer.from(entries.flatMap((known) => known.map(([index]) => index))),
  Buffer.from(entries.flatMap((known) => known.map(([, probability]) => level(probability)))),
]);
const kanji = [
  ...readFileSync(join(folder, 'utils/messages.properties'), 'utf8').matchAll(/^NGram\.KANJI_.*?=(.*)$/gm),
].map(([, escaped]) =>
  escaped.trim().replace(/\\u([0-9A-Fa-f]{4})/g, (_, hex) => String.fromCodePoint(Number.parseInt(hex, 16))),
);
const packed = Buffer.from(gzipSync(bytes, { level: 9, mtime: 0 })).toString('base64');
const file = { source: 'langdetect 1.0.9, Apache-2.0', languages, grams: sorted.length, low, high, kanji, packed };
writeFileSync(at('src/environments/instructions/language/profiles.json'), `${JSON.stringify(file, null, 2)}\n`);
